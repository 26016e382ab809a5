// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import {
  type Isolation,
  type NewIncarnation,
  type OldPod,
  type OldVolume,
  objectionsTo,
  type Subjects,
} from './gate.ts';

const namesOf = <K extends keyof Subjects>(action: K, subject: Subjects[K]) =>
  objectionsTo(action, subject).map(({ name }) => name);

describe('isolating a pod', () => {
  const fine: Isolation = { isAcknowledged: true, isSourceVerified: true };
  test.each<readonly [string, Partial<Isolation>, readonly string[]]>([
    ['the etcd-operator stands back and the backup is verified', {}, []],
    ['the etcd-operator may still act', { isAcknowledged: false }, ['OperatorActive']],
    ['nobody has read the backup to its end', { isSourceVerified: false }, ['SourceUnverified']],
  ])('%s', (_what, facts, objections) => {
    expect(namesOf('isolate', { ...fine, ...facts })).toEqual(objections);
  });
});

describe('creating a new incarnation', () => {
  const unsaved: NewIncarnation = {
    policy: 'Required',
    snapshot: 'none',
    readyPods: [],
    volumes: [],
    podsWithData: [],
    isAnswered: false,
    unisolatedPods: [],
  };
  test.each<readonly [string, Partial<NewIncarnation>, readonly string[]]>([
    ['nothing of the cluster is left', {}, []],
    [
      'a snapshot is stored',
      { snapshot: 'stored', readyPods: ['a'], volumes: ['a'], podsWithData: ['b'], isAnswered: true },
      [],
    ],
    ['one that is not current is, and nothing else is left', { snapshot: 'notCurrent', isAnswered: true }, []],
    [
      'one that is not current is, and another pod is Ready',
      { snapshot: 'notCurrent', readyPods: ['b'] },
      ['PodReady'],
    ],
    [
      'one that is not current is, and a volume holds the data of another member',
      { snapshot: 'notCurrent', volumes: ['b'] },
      ['VolumeWithData'],
    ],
    [
      'one that is not current is, and another pod may hold data',
      { snapshot: 'notCurrent', podsWithData: ['b'] },
      ['PodMayHoldData'],
    ],
    [
      'one that is not current is, which IfPossible accepts',
      { policy: 'IfPossible', snapshot: 'notCurrent', readyPods: ['b'], volumes: ['b'], podsWithData: ['d'] },
      [],
    ],
    ['it is not known whether one is', { snapshot: 'unknown' }, ['SnapshotUnknown']],
    ['no snapshot, and an old pod is Ready', { readyPods: ['a'] }, ['PodReady']],
    ['no snapshot, and an old volume holds data', { volumes: ['a'] }, ['VolumeWithData']],
    ['no snapshot, and an old pod may hold data', { podsWithData: ['a'] }, ['PodMayHoldData']],
    ['no snapshot, and a member that answers', { isAnswered: true }, ['MemberAnswers']],
    ['no snapshot, and both', { readyPods: ['a'], volumes: ['a'] }, ['PodReady', 'VolumeWithData']],
    ['no snapshot, which IfPossible accepts', { policy: 'IfPossible', readyPods: ['a'], podsWithData: ['b'] }, []],
    ['no snapshot, and none was asked for', { policy: 'Never', volumes: ['a'], podsWithData: ['b'] }, []],
    ['IfPossible does not accept not to know', { policy: 'IfPossible', snapshot: 'unknown' }, ['SnapshotUnknown']],
    ['clients still find an old pod', { policy: 'Never', unisolatedPods: ['a'] }, ['NotIsolated']],
  ])('%s', (_what, facts, objections) => {
    expect(namesOf('restore', { ...unsaved, ...facts })).toEqual(objections);
  });

  test('each objection names what it is about', () => {
    const said = objectionsTo('restore', { ...unsaved, readyPods: ['a', 'b'], volumes: ['a'] });
    expect(said.map(({ evidence }) => evidence)).toEqual(['pod/a, pod/b are Ready', 'pvc/a holds data of the cluster']);
    const held = objectionsTo('restore', { ...unsaved, podsWithData: ['a'] });
    expect(held[0]?.evidence).toBe('pod/a may hold data of the cluster that is nowhere else');
    const many = objectionsTo('restore', { ...unsaved, volumes: ['a', 'b', 'c', 'd', 'e'] });
    expect(many[0]?.evidence).toBe('pvc/a, pvc/b, pvc/c, 2 more hold data of the cluster');
  });
});

describe('deleting a pod of the previous incarnation', () => {
  test.each<readonly [string, OldPod, readonly string[]]>([
    ['the new incarnation is Available', { isReplaced: true, isStartedForSnapshot: false }, []],
    ['the new incarnation is not', { isReplaced: false, isStartedForSnapshot: false }, ['NotReplaced']],
    ['it was only started for a snapshot', { isReplaced: false, isStartedForSnapshot: true }, []],
  ])('%s', (_what, facts, objections) => {
    expect(namesOf('deleteOldPod', facts)).toEqual(objections);
  });
});

describe('deleting a volume of the previous incarnation', () => {
  const over: OldVolume = {
    isReplaced: true,
    isKeptByThisRestore: true,
    retention: 60_000,
    keptFor: 60_000,
    seenFor: 60_000,
    usedBy: [],
  };
  test.each<readonly [string, Partial<OldVolume>, readonly string[]]>([
    ['its retention is over', {}, []],
    ['nobody has stated a retention', { retention: undefined }, ['KeptForGood']],
    ['its retention runs', { keptFor: 59_999 }, ['RetentionRuns']],
    ['its retention is over by the wall clock alone', { seenFor: 59_999 }, ['RetentionUnseen']],
    ['of a long retention an hour was seen', { retention: 9e9, keptFor: 9e9, seenFor: 3_600_000 }, []],
    ['of a long retention less was', { retention: 9e9, keptFor: 9e9, seenFor: 3_599_999 }, ['RetentionUnseen']],
    ['the new incarnation is not Available now', { isReplaced: false }, ['NotReplaced']],
    ['another restore kept it', { isKeptByThisRestore: false }, ['NotItsOwn']],
    ['a pod has it mounted', { usedBy: ['a'] }, ['InUse']],
  ])('%s', (_what, facts, objections) => {
    expect(namesOf('deleteOldVolume', { ...over, ...facts })).toEqual(objections);
  });
});
