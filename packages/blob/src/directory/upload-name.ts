// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';

/**
 * The names of files in progress: `.<beginning of the name>.<hash of the name>.<unique>.upload`, beside the final file.
 * They are never listed, and no key may have such a name.
 */
const pattern =
  /^\.(?<beginning>.+)\.(?<hash>[0-9a-f]{16})\.(?<unique>[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})\.upload$/s;

/**
 * How many bytes of the file name are kept: with the additions, the name of an upload stays below the 255 bytes that
 * file systems allow.
 */
const beginningBytes = 160;

/** What the name of an upload says about its final file. */
export interface UploadName {
  /** The first characters of the file's name. */
  readonly beginning: string;
  readonly hash: string;
}

export function uploadName(name: string, unique: string): string {
  return `.${beginningOf(name)}.${hashOf(name)}.${unique}.upload`;
}

/** Undefined for the name of an ordinary file. */
export function parseUploadName(file: string): UploadName | undefined {
  const { beginning, hash } = pattern.exec(file)?.groups ?? {};
  return beginning === undefined || hash === undefined ? undefined : { beginning, hash };
}

/** True if this is an upload for the file with this name. */
export function isUploadFor(upload: UploadName, name: string): boolean {
  return upload.hash === hashOf(name);
}

/**
 * True if this may be an upload for a file whose name starts like this. For long names, only the stored beginning is
 * compared.
 */
export function mayStartWith(upload: UploadName, prefix: string): boolean {
  return upload.beginning.startsWith(prefix) || prefix.startsWith(upload.beginning);
}

function beginningOf(name: string): string {
  let beginning = '';
  for (const character of name) {
    if (Buffer.byteLength(beginning + character) > beginningBytes) break;
    beginning += character;
  }
  return beginning;
}

function hashOf(name: string): string {
  return createHash('sha256').update(name).digest('hex').slice(0, 16);
}
