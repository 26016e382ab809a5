// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { parseGoFlags } from './go-flags.ts';
import { scopeFlags, scopeOptions } from './scope-flags.ts';

const read = (...args: readonly string[]) => scopeOptions(parseGoFlags(scopeFlags, args));

test('without a flag it is the own namespace', () => {
  expect(read()).toEqual({ clusterWide: false, onlyAnnotated: false, namespaces: [] });
});

test('namespaces are separated by commas; blanks and doubles do no harm', () => {
  expect(read('-namespaces=a, b,,a').namespaces).toEqual(['a', 'b']);
});

test.each([
  [['-cluster-wide', '-namespaces=a'], '-cluster-wide and -namespaces cannot be used together'],
  [['-only-annotated'], '-only-annotated needs -cluster-wide'],
  [['-namespaces=a,B_c'], 'invalid namespace "B_c" in -namespaces: use a list such as team-a,team-b'],
])('%j is refused in one sentence', (args, message) => {
  expect(() => read(...args)).toThrow(message);
});
