// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { missingPrerequisite, type Probe } from './prerequisites.ts';

/** A machine on which matching programs exit like this, and all others succeed. */
function machine(answer: 'badly' | 'missing', pattern: RegExp): Probe {
  return async (program, args) => (pattern.test([program, ...args].join(' ')) ? answer : 'well');
}

describe('prerequisites of tests with real processes', () => {
  test('a machine with all requirements gives no output', async () => {
    expect(await missingPrerequisite(async () => 'well')).toBeUndefined();
  });

  test.each([
    ['util-linux', machine('missing', /^unshare/)],
    ['iproute2', machine('missing', /^ip/)],
    ['user namespaces', machine('badly', /--user/)],
  ])('a machine without %s is told so in one sentence', async (what, probe) => {
    const sentence = await missingPrerequisite(probe);
    expect(sentence).toContain(what);
    expect(sentence).not.toContain('\n');
  });
});
