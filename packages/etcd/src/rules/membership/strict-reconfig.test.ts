// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { versionOf } from '../versions/version.ts';
import { type Reconfig, type ReconfigMember, type ReconfigView, reconfigVerdict } from './strict-reconfig.ts';

const long = 60_000;
const voter = (id: string, connectedForMs: number | undefined = long, started = true): ReconfigMember => ({
  id,
  voter: true,
  started,
  connectedForMs,
});
const dead = (id: string): ReconfigMember => ({ id, voter: true, started: true, connectedForMs: undefined });
const unstarted = (id: string): ReconfigMember => ({ id, voter: true, started: false, connectedForMs: undefined });
const learner = (id: string, started = true): ReconfigMember => ({
  id,
  voter: false,
  started,
  connectedForMs: started ? long : undefined,
});

/** Requested from member `a`. */
function ask(version: string, members: readonly ReconfigMember[], change: Reconfig) {
  return reconfigVerdict({ servedBy: { id: 'a', version: versionOf(version) }, members }, change);
}

const all = ['3.4.23', '3.5.29', '3.5.30', '3.6.10', '3.6.11', '3.7.0'];
const newer = ['3.5.30', '3.5.33', '3.6.11', '3.6.16', '3.7.0', '3.7.3'];
const older = ['3.3.25', '3.4.23', '3.5.29', '3.6.0', '3.6.10'];

describe('adding (etcd fact 2, operator rule 7)', () => {
  test.each(all)('%s: from one voter anything is accepted at once', (version) => {
    expect(ask(version, [voter('a')], { kind: 'addVoter' }).accepted).toBe(true);
    expect(ask(version, [voter('a')], { kind: 'addLearner' }).accepted).toBe(true);
    expect(ask(version, [voter('a'), learner('b', false)], { kind: 'addLearner' }).accepted).toBe(true);
  });

  test.each(all)('%s: three voters, all connected: accepted', (version) => {
    const members = [voter('a'), voter('b'), voter('c')];
    expect(ask(version, members, { kind: 'addVoter' }).accepted).toBe(true);
    expect(ask(version, members, { kind: 'addLearner' }).accepted).toBe(true);
  });

  test.each(all)('operator rule 7, %s: three voters, one dead: even a learner is refused', (version) => {
    const verdict = ask(version, [voter('a'), voter('b'), dead('c')], { kind: 'addLearner' });
    expect(verdict).toMatchObject({ accepted: false, code: 'Unhealthy', waitMs: undefined });
  });

  test.each(newer)('operator rule 7, %s: five voters, one dead: a learner is accepted', (version) => {
    const members = [voter('a'), voter('b'), voter('c'), voter('d'), dead('e')];
    expect(ask(version, members, { kind: 'addLearner' }).accepted).toBe(true);
  });

  test.each(older)('%s: five voters, one dead: a learner is refused, all had to be connected', (version) => {
    const members = [voter('a'), voter('b'), voter('c'), voter('d'), dead('e')];
    expect(ask(version, members, { kind: 'addLearner' })).toMatchObject({ accepted: false, code: 'Unhealthy' });
  });

  test('a second voter that has not started holds up a third voter, not a learner', () => {
    const members = [voter('a'), voter('b'), voter('c'), unstarted('d')];
    expect(ask('3.6.16', members, { kind: 'addVoter' }).accepted).toBe(true);
    expect(ask('3.6.16', [voter('a'), unstarted('b')], { kind: 'addVoter' })).toMatchObject({
      code: 'NotEnoughStarted',
    });
  });

  test('operator rule 14: shortly after a promotion the wait is counted from the youngest connection', () => {
    const verdict = ask('3.6.16', [voter('a'), voter('b', 1_200)], { kind: 'addLearner' });
    expect(verdict).toMatchObject({ code: 'Unhealthy', waitMs: 3_801 });
    expect(ask('3.6.16', [voter('a'), voter('b', 5_001)], { kind: 'addLearner' }).accepted).toBe(true);
  });

  test('it waits for only as many young connections as are needed', () => {
    const members = [voter('a'), voter('b'), voter('c', 3_000), voter('d', 1_000), voter('e', 500)];
    expect(ask('3.6.16', members, { kind: 'addLearner' })).toMatchObject({ waitMs: 4_001 });
    expect(ask('3.6.10', members, { kind: 'addLearner' })).toMatchObject({ waitMs: 4_501 });
  });
});

describe('removing (operator rules 7, 14)', () => {
  test.each(all)('%s: the dead one of three is removed without any wait', (version) => {
    expect(ask(version, [voter('a'), voter('b'), dead('c')], { kind: 'remove', id: 'c' }).accepted).toBe(true);
  });

  test.each(all)('operator rule 14, %s: a healthy one of three is kept while another is dead', (version) => {
    const verdict = ask(version, [voter('a'), voter('b'), dead('c')], { kind: 'remove', id: 'b' });
    expect(verdict).toMatchObject({ accepted: false, code: 'Unhealthy' });
  });

  test('operator rule 7: a living voter may be removed from three only when all have been connected long enough', () => {
    const young = [voter('a'), voter('b'), voter('c', 100)];
    expect(ask('3.6.16', young, { kind: 'remove', id: 'c' })).toMatchObject({ code: 'Unhealthy', waitMs: 4_901 });
    expect(ask('3.6.16', [voter('a'), voter('b'), voter('c')], { kind: 'remove', id: 'c' }).accepted).toBe(true);
  });

  test('operator rule 14: an unstarted learner goes at once, also below full strength', () => {
    const members = [voter('a'), voter('b'), dead('c'), learner('d', false)];
    expect(ask('3.5.33', members, { kind: 'remove', id: 'd' }).accepted).toBe(true);
  });

  test('operator rule 14: of two voters the leader may be removed through itself', () => {
    expect(ask('3.6.16', [voter('a'), voter('b')], { kind: 'remove', id: 'a' }).accepted).toBe(true);
  });

  test('the only started voter is never removed', () => {
    const verdict = ask('3.6.16', [voter('a'), unstarted('b')], { kind: 'remove', id: 'a' });
    expect(verdict).toMatchObject({ code: 'NotEnoughStarted' });
  });

  test('an unknown member is not found', () => {
    expect(ask('3.6.16', [voter('a')], { kind: 'remove', id: 'x' })).toMatchObject({ code: 'MemberNotFound' });
  });
});

describe('promoting (operator rules 14, 24)', () => {
  test('operator rule 24: promotions need no wait after each other', () => {
    const members = [voter('a'), voter('b', 0), learner('c')];
    expect(ask('3.6.16', members, { kind: 'promote', id: 'c', inSync: true }).accepted).toBe(true);
  });

  test.each([
    ['not in sync', learner('c'), false],
    ['never started', learner('c', false), true],
  ])('a learner %s is not ready', (_, member, inSync) => {
    const verdict = ask('3.6.16', [voter('a'), voter('b'), member], { kind: 'promote', id: 'c', inSync });
    expect(verdict).toMatchObject({ accepted: false, code: 'LearnerNotReady' });
  });

  test('a voter cannot be promoted', () => {
    const verdict = ask('3.6.16', [voter('a'), voter('b')], { kind: 'promote', id: 'b', inSync: true });
    expect(verdict).toMatchObject({ code: 'MemberNotFound' });
  });

  test('too many unstarted voters hold it up', () => {
    const members = [voter('a'), unstarted('b'), unstarted('c'), unstarted('d'), learner('e')];
    expect(ask('3.6.16', members, { kind: 'promote', id: 'e', inSync: true })).toMatchObject({
      code: 'NotEnoughStarted',
    });
  });
});

describe('over all clusters', () => {
  const memberOf = fc.record({
    voter: fc.boolean(),
    started: fc.boolean(),
    connectedForMs: fc.option(fc.nat(20_000), { nil: undefined }),
  });
  const views: fc.Arbitrary<ReconfigView> = fc
    .tuple(fc.array(memberOf, { maxLength: 7 }), fc.constantFrom(...all))
    .map(([others, version]) => ({
      servedBy: { id: 'a', version: versionOf(version) },
      members: [voter('a'), ...others.map((member, index) => ({ ...member, id: String(index) }))],
    }));

  test('waiting as long as told is enough, if nothing else changes', () => {
    fc.assert(
      fc.property(
        views,
        fc.constantFrom<Reconfig>({ kind: 'addLearner' }, { kind: 'remove', id: '0' }),
        (view, change) => {
          const verdict = reconfigVerdict(view, change);
          if (verdict.accepted || verdict.waitMs === undefined) return;
          const { waitMs } = verdict;
          const later = view.members.map((member) =>
            member.connectedForMs === undefined
              ? member
              : { ...member, connectedForMs: member.connectedForMs + waitMs },
          );
          expect(reconfigVerdict({ ...view, members: later }, change).accepted).toBe(true);
        },
      ),
    );
  });

  test('a newer server never refuses what an older one accepts', () => {
    fc.assert(
      fc.property(views, (view) => {
        const asked = (version: string) =>
          reconfigVerdict({ ...view, servedBy: { id: 'a', version: versionOf(version) } }, { kind: 'addLearner' })
            .accepted;
        expect(asked('3.5.30') || !asked('3.5.29')).toBe(true);
      }),
    );
  });
});
