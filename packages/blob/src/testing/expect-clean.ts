// SPDX-License-Identifier: Apache-2.0
import { inspect } from 'node:util';
import { expect } from 'vitest';

/** Nothing reachable from an error may contain a secret, in any of the encodings used on the wire. */
export function expectClean(error: unknown, secrets: readonly string[]): void {
  const text = inspect(error, { depth: 30, showHidden: true, maxStringLength: 100_000, maxArrayLength: 10_000 });
  for (const secret of secrets) {
    expect(text).not.toContain(secret);
    expect(text).not.toContain(Buffer.from(secret).toString('base64'));
    expect(text).not.toContain(encodeURIComponent(secret));
  }
  expect(text).not.toMatch(/Bearer |Signature=|AWS4-HMAC|SharedKey /);
}
