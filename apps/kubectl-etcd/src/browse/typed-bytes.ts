// SPDX-License-Identifier: Apache-2.0
import { CliError } from '../cli-error.ts';

/** The argument of a user: text, or in double quotes the output of `printable` in the etcd package. */
export function bytesOf(typed: string): Uint8Array {
  if (typed.length < 2 || !typed.startsWith('"') || !typed.endsWith('"')) return Buffer.from(typed);
  const inner = typed.slice(1, -1);
  const parts = inner.match(/\\x[0-9a-fA-F]{2}|\\["\\]|[^\\]+/g) ?? [];
  if (parts.join('').length !== inner.length)
    throw new CliError(
      'Usage',
      `${typed} is not a valid key: between double quotes, write a byte as \\xNN, a quote as \\" and a backslash as \\\\`,
    );
  return Buffer.concat(
    parts.map((part) => {
      if (part.startsWith('\\x')) return Buffer.from(part.slice(2), 'hex');
      return Buffer.from(part.startsWith('\\') ? part.slice(1) : part);
    }),
  );
}
