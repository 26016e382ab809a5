// SPDX-License-Identifier: Apache-2.0
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The file of one of our programs: TypeScript in the source, JavaScript in the published package. */
export function programBeside(moduleUrl: string, source: URL): string {
  return fileURLToPath(source).replace(/\.ts$/, extname(new URL(moduleUrl).pathname));
}
