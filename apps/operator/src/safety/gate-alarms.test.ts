// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { type Admission, type CorruptMember, objectionsTo } from './gate.ts';

/** The objections while etcd has raised CORRUPT. Each test changes one fact. */

const names = (objections: ReturnType<typeof objectionsTo>) => objections.map(({ name }) => name);

describe('removing a voter whose data differs', () => {
  const certain: CorruptMember = {
    isRaised: true,
    isDeviating: true,
    agreeing: 2,
    voters: 3,
    remaining: { healthy: 2, needed: 2 },
  };

  test.each<readonly [string, Partial<CorruptMember>, readonly string[]]>([
    ['etcd and the comparison say so, and the others are a quorum', {}, []],
    ['etcd has raised no alarm', { isRaised: false }, ['NoAlarm']],
    ['its own hash is the one of the majority', { isDeviating: false }, ['NotDeviating']],
    ['half of the voters agree', { agreeing: 2, voters: 4 }, ['NoMajority']],
    ['one of two agrees with itself', { agreeing: 1, voters: 2 }, ['NoMajority']],
    ['the others would not be a quorum', { remaining: { healthy: 1, needed: 2 } }, ['QuorumWithoutIt']],
  ])('%s', (_case, facts, expected) => {
    expect(names(objectionsTo('removeCorruptMember', { ...certain, ...facts }))).toEqual(expected);
  });
});

describe('a member that is to join, start or vote', () => {
  test.each<readonly [string, Admission, readonly string[]]>([
    ['no alarm', { isCorrupt: false, isListed: false, isSourceSound: false }, []],
    ['CORRUPT', { isCorrupt: true, isListed: false, isSourceSound: false }, ['CorruptSource']],
    ['CORRUPT, the leader is right', { isCorrupt: true, isListed: false, isSourceSound: true }, ['CorruptSource']],
    ['CORRUPT, a listed voter', { isCorrupt: true, isListed: true, isSourceSound: false }, ['CorruptSource']],
    ['CORRUPT, a listed voter, the leader is right', { isCorrupt: true, isListed: true, isSourceSound: true }, []],
  ])('%s', (_case, facts, expected) => {
    expect(names(objectionsTo('admitMember', facts))).toEqual(expected);
  });
});

describe('what may be the only right copy', () => {
  const volume = { isListed: false, isInUse: false, isRecorded: true, isReplaced: true, isInTheWay: false };
  const pod = { holdsMemberData: false, answersAsMember: false, isReady: false, isForced: false, isNodeLost: false };

  test.each([
    ['a volume, no alarm', objectionsTo('deleteVolume', volume), []],
    ['a volume', objectionsTo('deleteVolume', { ...volume, isCorrupt: true }), ['DataDisputed']],
    ['a volume without a record', objectionsTo('deleteVolume', { ...volume, isRecorded: false, isCorrupt: true }), []],
    ['a pod', objectionsTo('deletePod', { ...pod, isDisputed: true }), ['DataDisputed']],
    ['an alarm, all agree', objectionsTo('disarmAlarm', { isSettled: true }), []],
    ['an alarm, not all agree', objectionsTo('disarmAlarm', { isSettled: false }), ['DataDiffers']],
  ] as const)('%s', (_case, objections, expected) => {
    expect(names(objections)).toEqual(expected);
  });
});
