// SPDX-License-Identifier: Apache-2.0
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** A real headless browser of this machine. */
export async function openBrowser(): Promise<Browser> {
  const found = (process.env['PATH'] ?? '')
    .split(delimiter)
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find((file) => isProgram(file));
  if (found === undefined)
    throw new Error(
      'There is no Chromium on PATH to open the site in: install one (Debian: apt-get install chromium).',
    );
  // Root, as in a container, cannot use its sandbox; only our own pages are opened.
  return chromium.launch({ executablePath: found, chromiumSandbox: process.getuid?.() !== 0 });
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
