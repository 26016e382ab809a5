// SPDX-License-Identifier: Apache-2.0
import { fileURLToPath } from 'node:url';

/**
 * The path of a file in testdata: a CA, and the certificate of a server on loopback with its key. Useless elsewhere.
 */
export function testdata(name: string): string {
  return fileURLToPath(new URL(`testdata/${name}`, import.meta.url));
}
