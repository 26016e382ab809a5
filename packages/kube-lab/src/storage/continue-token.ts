// SPDX-License-Identifier: Apache-2.0
import { isObject } from '../json/json.ts';
import { ApiError } from '../server/api-error.ts';

/** The position of a paged list. `revision` is -1 if the rest of the list may be of the present version. */
export interface ContinueToken {
  readonly revision: number;
  /** The key of the last object that was sent. */
  readonly after: string;
}

const format = 'meta.k8s.io/v1';

/** Opaque to clients, in the real server's format. */
export function encodeContinue({ revision, after }: ContinueToken): string {
  const text = JSON.stringify({ v: format, rv: revision, start: `${after}\u0000` });
  return Buffer.from(text, 'utf8').toString('base64url');
}

/** The inverse of `encodeContinue`; an invalid token is a 400. */
export function decodeContinue(token: string): ContinueToken {
  const value = parse(token);
  if (!isObject(value) || value['v'] !== format) throw bad('invalid value for v');
  const { rv, start } = value;
  if (typeof rv !== 'number' || rv === 0 || typeof start !== 'string' || start === '')
    throw bad('incorrect encoded start');
  return { revision: rv, after: start.endsWith('\u0000') ? start.slice(0, -1) : start };
}

function parse(token: string): unknown {
  try {
    return JSON.parse(Buffer.from(token, 'base64url').toString('utf8'));
  } catch {
    throw bad('illegal base64 data');
  }
}

function bad(why: string): ApiError {
  return new ApiError(400, 'BadRequest', `invalid continue token: continue key is not valid: ${why}`);
}
