// SPDX-License-Identifier: Apache-2.0
import { beforeAll, describe, expect, test } from 'vitest';
import { until } from './until.ts';

const never = (what: string) =>
  until(what, async () => undefined, { log: [], explain: async () => 'seen last' }).then(
    () => 'an answer',
    (error: Error) => error.message,
  );

describe('a wait that is longer than the time of its test or hook', () => {
  let inHook = '';
  beforeAll(async () => {
    inHook = await never('a hook');
  }, 7_000);

  test('ends before its hook does, and says what it waited for and what was seen last', () => {
    expect(inHook).toMatch(/^a hook: not within \d{1,4} ms, which is nearly all that its test had\. seen last/);
  });

  test('ends before its test does, and says so too', { timeout: 7_000 }, async () => {
    expect(await never('a test')).toMatch(/^a test: not within \d{1,4} ms, which is nearly all that its test had\. /);
  });
});
