// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Attributes, allows, type PolicyRule, rulesOf, ruleText, uncovered } from './policy-rule.ts';

const some = (values: readonly string[], least = 0) =>
  fc.uniqueArray(fc.constantFrom(...values), { minLength: least, maxLength: 3 });

const resourceRules: fc.Arbitrary<PolicyRule> = fc.record({
  verbs: some(['get', 'list', '*'], 1),
  apiGroups: some(['', 'apps', '*'], 1),
  resources: some(['pods', 'pods/log', '*', '*/log'], 1),
  resourceNames: some(['a', 'b']),
  nonResourceURLs: fc.constant([]),
});
const pathRules: fc.Arbitrary<PolicyRule> = fc.record({
  verbs: some(['get', '*'], 1),
  apiGroups: fc.constant([]),
  resources: fc.constant([]),
  resourceNames: fc.constant([]),
  nonResourceURLs: some(['/healthz', '/apis/*', '*'], 1),
});
const rules = fc.oneof(resourceRules, pathRules);

const attributes: fc.Arbitrary<Attributes> = fc.oneof(
  fc.record({
    kind: fc.constant('resource' as const),
    verb: fc.constantFrom('get', 'list', 'delete'),
    group: fc.constantFrom('', 'apps', 'batch'),
    resource: fc.constantFrom('pods', 'secrets'),
    subresource: fc.constantFrom('', 'log', 'exec'),
    namespace: fc.constant('default'),
    name: fc.constantFrom('a', 'b', 'c', ''),
  }),
  fc.record({
    kind: fc.constant('path' as const),
    verb: fc.constantFrom('get', 'post'),
    path: fc.constantFrom('/healthz', '/apis/apps', '/metrics'),
  }),
);

describe('a rule', () => {
  test('is covered by itself, and by one that allows everything', () => {
    const everything = rulesOf({
      rules: [
        { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
        { verbs: ['*'], nonResourceURLs: ['*'] },
      ],
    });
    fc.assert(
      fc.property(rules, (rule) => {
        expect(uncovered(rule, [rule])).toEqual([]);
        expect(uncovered(rule, everything)).toEqual([]);
        expect(uncovered(rule, []).length).toBeGreaterThan(0);
      }),
    );
  });

  test('rights that are covered grant nothing new', () => {
    fc.assert(
      fc.property(rules, fc.array(rules, { maxLength: 3 }), attributes, (rule, held, wanted) => {
        fc.pre(uncovered(rule, held).length === 0 && allows(rule, wanted));
        expect(held.some((one) => allows(one, wanted))).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  test('allows what one of its parts allows, and nothing else', () => {
    fc.assert(
      fc.property(rules, attributes, (rule, wanted) => {
        const parts = uncovered(rule, []);
        expect(parts.some((part) => allows(part, wanted))).toBe(allows(rule, wanted));
      }),
      { numRuns: 1000 },
    );
  });

  test('is shown as the real server shows it', () => {
    const [rule] = rulesOf({ rules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods', 'secrets'] }] });
    expect(rule && ruleText(rule)).toBe('{APIGroups:[""], Resources:["pods" "secrets"], Verbs:["get"]}');
  });
});
