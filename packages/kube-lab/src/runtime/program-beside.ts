// SPDX-License-Identifier: Apache-2.0
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The file of a program of ours: TypeScript in the source as its URL says, JavaScript in the published package as the module is that asks. */
export function programBeside(moduleUrl: string, source: URL): string {
  return fileURLToPath(source).replace(/\.ts$/, extname(new URL(moduleUrl).pathname));
}
