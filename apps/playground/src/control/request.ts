// SPDX-License-Identifier: Apache-2.0
import type { Action } from '../model/action.ts';

/** The request of a second terminal: an action or a query. */
export type Request = Action | { readonly do: 'status' } | { readonly do: 'events' };

/** The answer, one line of JSON each: lines to print, then the result. */
export type Reply = { readonly line: string } | { readonly ok: boolean };

/** An invalid request. */
export class RequestError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'RequestError';
  }
}

/** Parses the words after `npm run lab --`, except for `shell` and `apply`, which run locally. */
export function parseRequest([verb = '', ...rest]: readonly string[]): Request {
  switch (verb) {
    case 'status':
    case 'events':
    case 'reboot':
    case 'backup':
    case 'restore':
    case 'renew':
    case 'recover':
      none(verb, rest);
      return { do: verb };
    case 'kill':
    case 'blank':
      return { do: verb, member: one(verb, 'a member', rest) };
    case 'lose':
      return { do: 'lose', but: one(verb, 'a member', rest) };
    case 'cut':
      return { do: 'cut', node: one(verb, 'a node', rest) };
    case 'heal':
      return { do: 'heal', node: rest.length === 0 ? undefined : one(verb, 'a node', rest) };
    case 'resize':
      return { do: 'resize', size: sizeOf(one(verb, 'a number', rest)) };
    case 'upgrade':
      return { do: 'upgrade', version: rest.length === 0 ? undefined : one(verb, 'a version', rest) };
    default:
      throw new RequestError(`unknown command "${verb}"; see npm run lab -- --help`);
  }
}

function none(verb: string, rest: readonly string[]): void {
  if (rest.length > 0) throw new RequestError(`${verb} takes no argument: ${rest.join(' ')}`);
}

function one(verb: string, what: string, [word, ...more]: readonly string[]): string {
  if (word === undefined || more.length > 0) throw new RequestError(`${verb} takes ${what}`);
  return word;
}

function sizeOf(text: string): number {
  const size = Number(text);
  if (Number.isInteger(size) && size >= 1 && size <= 7) return size;
  throw new RequestError(`resize ${text}: a cluster has 1 to 7 members`);
}
