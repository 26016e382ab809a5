// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { objectionsTo, type Subjects } from './gate.ts';

/** One row for each situation: the changed facts, and the names of the objections. */
type Row<K extends keyof Subjects> = readonly [
  what: string,
  change: Partial<Subjects[K]>,
  objections: readonly string[],
];

const names = <K extends keyof Subjects>(action: K, subject: Subjects[K]) =>
  objectionsTo(action, subject).map(({ name }) => name);

describe('removing a member as dead', () => {
  const dead: Subjects['removeDeadMember'] = {
    evidence: [
      { source: 'operator', what: 'it is not reachable' },
      { source: 'kubernetes', what: 'its pod is not Ready' },
    ],
    isReady: false,
    heardBy: [],
    isBooting: false,
    isOutOfMemory: false,
    waited: 120_000,
    patience: 120_000,
    remaining: { healthy: 2, needed: 2 },
  };
  const rows: readonly Row<'removeDeadMember'>[] = [
    ['two pieces of evidence, patience over, quorum without it', {}, []],
    ['its pod is Ready', { isReady: true }, ['PodReady']],
    ['another member received data from it', { heardBy: ['c-a'] }, ['HeardByPeers']],
    ['no evidence at all', { evidence: [] }, ['SingleEvidence']],
    ['one piece of evidence', { evidence: dead.evidence.slice(0, 1) }, ['SingleEvidence']],
    [
      'two pieces from one source',
      {
        evidence: [
          { source: 'operator', what: 'it is not reachable' },
          { source: 'operator', what: 'it was not reachable before' },
        ],
      },
      ['SingleEvidence'],
    ],
    ['its process opens its data', { isBooting: true }, ['Booting']],
    ['it is killed for lack of memory', { isOutOfMemory: true }, ['OutOfMemory']],
    ['it has not been waited for long enough', { waited: 119_999 }, ['StillPatient']],
    ['the others would not be a quorum', { remaining: { healthy: 1, needed: 2 } }, ['QuorumWithoutIt']],
    ['its data is gone: there is nothing to wait for', { waited: 0, patience: 0 }, []],
    [
      'Kubernetes ends it, whatever anybody says',
      { isLeaving: true, isReady: true, heardBy: ['c-a'], evidence: [] },
      [],
    ],
    [
      'Kubernetes ends it, and the others would not be a quorum',
      { isLeaving: true, remaining: { healthy: 0, needed: 1 } },
      ['QuorumWithoutIt'],
    ],
    ['several at once', { isReady: true, heardBy: ['c-a'], waited: 0 }, ['PodReady', 'HeardByPeers', 'StillPatient']],
  ];
  test.each(rows)('%s', (_what, change, expected) => {
    expect(names('removeDeadMember', { ...dead, ...change })).toEqual(expected);
  });
});

describe('deleting a pod that may hold data', () => {
  const leftover: Subjects['deletePod'] = {
    holdsMemberData: false,
    answersAsMember: false,
    isReady: false,
    isForced: false,
    isNodeLost: false,
  };
  const rows: readonly Row<'deletePod'>[] = [
    ['nothing depends on it', {}, []],
    ['it holds the data of a listed member', { holdsMemberData: true }, ['HoldsMemberData']],
    ['it answers as a listed member', { answersAsMember: true }, ['AnswersAsMember']],
    ['it is Ready', { isReady: true }, ['PodReady']],
    ['by force, while its node may run it', { isForced: true }, ['NodeMayRunIt']],
    ['by force, and its node is gone', { isForced: true, isNodeLost: true }, []],
  ];
  test.each(rows)('%s', (_what, change, expected) => {
    expect(names('deletePod', { ...leftover, ...change })).toEqual(expected);
  });
});

describe('deleting a volume', () => {
  const leftover: Subjects['deleteVolume'] = {
    isListed: false,
    isInUse: false,
    isRecorded: true,
    isReplaced: true,
    isInTheWay: false,
  };
  const rows: readonly Row<'deleteVolume'>[] = [
    ['its member was removed and is replaced', {}, []],
    ['etcd lists its member', { isListed: true }, ['MemberListed']],
    ['a pod of its name is there', { isInUse: true }, ['InUse']],
    ['the cluster is not complete yet', { isReplaced: false }, ['ReplacementUnproven']],
    ['the same, and nothing was ever recorded on it', { isReplaced: false, isRecorded: false }, []],
    ['the same, and a voter cannot start before it is gone', { isReplaced: false, isInTheWay: true }, []],
  ];
  test.each(rows)('%s', (_what, change, expected) => {
    expect(names('deleteVolume', { ...leftover, ...change })).toEqual(expected);
  });
});

describe('bootstrapping', () => {
  const nothing: Subjects['bootstrap'] = {
    earlierIncarnation: undefined,
    ownPod: undefined,
    ownVolume: undefined,
    staleSeedVolume: undefined,
    podOfOtherOwner: undefined,
    secretProblem: undefined,
  };
  const rows: readonly Row<'bootstrap'>[] = [
    ['nothing of this cluster is there', {}, []],
    ['an earlier incarnation is on record', { earlierIncarnation: 'x' }, ['EarlierIncarnation']],
    ['a pod of its own is there', { ownPod: 'x' }, ['OwnPod']],
    ['a volume of its own is there', { ownVolume: 'x' }, ['OwnVolume']],
    ['a volume of the first member from before is there', { staleSeedVolume: 'x' }, ['StaleSeedVolume']],
    ['a pod of another owner would be mistaken for a member', { podOfOtherOwner: 'x' }, ['PodOfOtherOwner']],
    ['its secrets cannot be used', { secretProblem: 'x' }, ['SecretsInvalid']],
  ];
  test.each(rows)('%s', (_what, change, expected) => {
    expect(names('bootstrap', { ...nothing, ...change })).toEqual(expected);
  });
});
