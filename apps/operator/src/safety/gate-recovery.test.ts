// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { type LostQuorum, objectionsTo } from './gate.ts';

const names = (facts: LostQuorum) => objectionsTo('recoverQuorum', facts).map(({ name }) => name);

/** The objections to an automatic recovery of a cluster. Each test changes one fact. */
describe('recovering a cluster from the remaining members', () => {
  const certain: LostQuorum = {
    survivors: ['a'],
    mayReturn: [],
    gone: 2,
    voters: 3,
    needed: 2,
    readyPods: [],
    attempt: 'none',
    isCorrupt: false,
    waited: 600_000,
    patience: 600_000,
  };

  test.each<readonly [string, Partial<LostQuorum>, readonly string[]]>([
    ['two of three are gone, and it was waited for', {}, []],
    ['nobody is left', { survivors: [] }, ['NoSurvivor']],
    ['one may return', { mayReturn: ['pvc/b still exists'] }, ['MayReturn']],
    ['one of three is gone', { gone: 1 }, ['QuorumLeft']],
    ['two of four are gone', { gone: 2, voters: 4, needed: 3 }, []],
    ['two of five are gone', { gone: 2, voters: 5, needed: 3 }, ['QuorumLeft']],
    ['nobody knows who votes', { gone: 0, voters: 0, needed: 0 }, ['QuorumLeft']],
    ['a pod is Ready', { readyPods: ['a'] }, ['PodReady']],
    ['CORRUPT is raised', { isCorrupt: true }, ['DataDisputed']],
    ['the recovery was begun before', { attempt: 'begun' }, ['Attempted']],
    ['nobody knows whether it was begun before', { attempt: 'unknown' }, ['Attempted']],
    ['it has not been waited for', { waited: 599_999 }, ['StillPatient']],
  ])('%s', (_case, facts, expected) => {
    expect(names({ ...certain, ...facts })).toEqual(expected);
  });
});
