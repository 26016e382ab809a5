// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Claim, judge, type ScopeFacts } from './judge.ts';

const none: Claim = { kind: 'none' };
const held: Claim = { kind: 'held', by: 'the operator a in namespace n' };
const lapsed: Claim = { kind: 'lapsed', by: 'the operator a in namespace n' };
const unknown: Claim = { kind: 'unknown' };

const facts = (more: Partial<ScopeFacts>): ScopeFacts => ({
  reach: { kind: 'cluster', onlyAnnotated: false },
  home: 'here',
  scope: undefined,
  markedBy: undefined,
  claim: none,
  markClaim: none,
  hasStatus: false,
  hasWaited: false,
  ...more,
});
const one = { kind: 'namespace' } as const;
const annotated = { kind: 'cluster', onlyAnnotated: true } as const;

test.each<[string, Partial<ScopeFacts>, string]>([
  ['a cluster-wide operator marks what nobody claims', {}, 'mark'],
  ['and manages it then', { markedBy: 'here' }, 'ours'],
  ['and hands it over to an operator that comes to its namespace', { markedBy: 'here', claim: held }, 'release'],
  ['and leaves alone what an operator of its namespace has', { claim: held }, 'others'],
  ['and waits when that one stops: it may be restarted', { claim: lapsed }, 'wait'],
  ['and goes on with what it has marked while that one comes and goes', { markedBy: 'here', claim: lapsed }, 'ours'],
  ['and does nothing while it cannot see who claims it', { markedBy: 'here', claim: unknown }, 'wait'],
  ['and takes what is annotated for it, claimed or not', { scope: 'clusterwide', claim: held }, 'mark'],
  [
    'but waits for an operator that may have worked on it',
    { scope: 'clusterwide', claim: held, hasStatus: true },
    'wait',
  ],
  ['though not for ever', { scope: 'clusterwide', claim: held, hasStatus: true, hasWaited: true }, 'mark'],
  ['and leaves what is annotated away', { scope: 'namespaced' }, 'nobody'],
  ['and what is annotated with anything else', { scope: 'global' }, 'nobody'],
  ['and what another cluster-wide operator has', { markedBy: 'there', markClaim: held }, 'others'],
  ['and waits for one that stops', { markedBy: 'there', markClaim: lapsed }, 'wait'],
  ['and takes over from one that is gone', { markedBy: 'there' }, 'mark'],
  ["by CoreOS's rule it leaves what is not annotated", { reach: annotated }, 'nobody'],
  ["by CoreOS's rule it takes what is", { reach: annotated, scope: 'clusterwide' }, 'mark'],
  ['an operator of one namespace takes what is not annotated', { reach: one }, 'ours'],
  ['and what is annotated for it', { reach: one, scope: 'namespaced' }, 'ours'],
  ['and never what is annotated for a cluster-wide one', { reach: one, scope: 'clusterwide' }, 'nobody'],
  ['and waits until a cluster-wide operator has let go', { reach: one, markedBy: 'there' }, 'wait'],
  ['but not for ever', { reach: one, markedBy: 'there', hasWaited: true }, 'unmark'],
])('%s', (_what, more, kind) => {
  expect(judge(facts(more)).kind).toBe(kind);
});

const scope = fc.constantFrom(undefined, 'clusterwide', 'namespaced', 'global');

test('of an operator of a namespace and one or two cluster-wide ones that see the same, at most one manages an object', () => {
  const mark = fc.constantFrom(undefined, 'here', 'there');
  fc.assert(
    fc.property(scope, mark, fc.boolean(), fc.boolean(), fc.boolean(), (given, markedBy, only, runs, otherRuns) => {
      const seen = { scope: given, markedBy, claim: runs ? held : none };
      const wide = (home: string) =>
        facts({ ...seen, home, reach: { kind: 'cluster', onlyAnnotated: only }, markClaim: otherRuns ? held : none });
      const verdicts = [
        judge(wide('here')),
        ...(otherRuns ? [judge(wide('there'))] : []),
        ...(runs ? [judge(facts({ ...seen, reach: one }))] : []),
      ];
      expect(verdicts.filter(({ kind }) => kind === 'ours').length).toBeLessThanOrEqual(1);
    }),
  );
});

test('what cannot be seen never makes an object ours that is not annotated', () => {
  fc.assert(
    fc.property(fc.constantFrom(undefined, 'here', 'there'), fc.boolean(), (markedBy, onlyAnnotated) => {
      const verdict = judge(facts({ reach: { kind: 'cluster', onlyAnnotated }, markedBy, claim: unknown }));
      expect(verdict.kind).toBe('wait');
    }),
  );
});
