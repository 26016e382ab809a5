// SPDX-License-Identifier: Apache-2.0
import { BlobError } from './blob-error.ts';

/** The longest key that S3, Azure and Google accept. */
const maxKeyBytes = 1024;

/**
 * Refuses keys that stores interpret differently, or that leave their directory: absolute ones, `..`, empty path
 * components, backslashes, control characters. Returns the key.
 */
export function checkKey(key: string): string {
  const problem = keyProblem(key);
  if (problem !== undefined) refuseKey(key, problem);
  return key;
}

/** @param problem the error, as the end of a sentence */
export function refuseKey(key: string, problem: string): never {
  throw new BlobError('InvalidPath', `the object name ${shown(key)} ${problem}`);
}

/** Refuses such prefixes of keys. A prefix may be empty, and end anywhere. Returns the prefix. */
export function checkPrefix(prefix: string): string {
  const problem = prefix === '' ? undefined : (textProblem(prefix) ?? segmentProblem(prefix.split('/').slice(0, -1)));
  if (problem !== undefined) throw new BlobError('InvalidPath', `the prefix ${shown(prefix)} ${problem}`);
  return prefix;
}

function keyProblem(key: string): string | undefined {
  return key === '' ? 'is empty' : (textProblem(key) ?? segmentProblem(key.split('/')));
}

function textProblem(text: string): string | undefined {
  if (Buffer.byteLength(text) > maxKeyBytes) return `is longer than ${maxKeyBytes} bytes`;
  if (!text.isWellFormed()) return 'is not well-formed Unicode';
  if (/\p{Cc}/u.test(text)) return 'contains a control character';
  if (text.includes('\\')) return 'contains a backslash';
  return undefined;
}

function segmentProblem(segments: readonly string[]): string | undefined {
  if (segments[0] === '') return 'starts with a slash';
  if (segments.includes('')) return 'has an empty path component';
  if (segments.includes('.') || segments.includes('..')) return 'has a path component that is "." or ".."';
  return undefined;
}

/** JSON escapes characters that could disturb a terminal or a log. */
function shown(text: string): string {
  return JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}...` : text);
}
