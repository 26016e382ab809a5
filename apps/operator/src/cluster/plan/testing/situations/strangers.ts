// SPDX-License-Identifier: Apache-2.0
import { addMember, healthy, now, type Row, see, spec, withoutMember, withoutPod } from './vocabulary.ts';

const elsewhere = { podName: 'db-7', peerURLs: ['http://db-7.example:2380'], id: 'id-x' } as const;
const unstarted = { ...elsewhere, name: '' } as const;
const unstartedLearner = { ...unstarted, isLearner: true } as const;

/** Members that somebody added by hand: rules 9 and 29, fault 22, checklist 61. */
export const strangers: readonly Row[] = [
  {
    name: 'rule 29: a started stranger is left alone, and does not count for the size',
    given: [
      healthy(3),
      addMember('x', { ...elsewhere, name: 'db-7' }),
      see({ budget: { minAvailable: 3, foreign: false } }),
    ],
    steps: [],
    situation: 'steady',
  },
  {
    name: 'rule 29: a voter that never started may be a join in progress: it is not removed, however old',
    given: [
      healthy(3),
      addMember('x', { ...unstarted, seenSince: 0 }),
      see({ budget: { minAvailable: 3, foreign: false } }),
    ],
    steps: [],
    situation: 'steady',
  },
  {
    name: 'rule 29: a learner that has not started yet is waited for',
    given: [healthy(3), addMember('x', { ...unstartedLearner, seenSince: now - 100_000 })],
    steps: [],
    situation: 'steady',
  },
  {
    name: 'rule 29: a learner that has not started for five minutes is removed',
    given: [healthy(3), addMember('x', { ...unstartedLearner, seenSince: now - 301_000 })],
    steps: ['removeMember new (dead)'],
    because: 'was added by somebody else and has not started for 301 s',
    situation: 'healing',
  },
  {
    name: 'rule 9: a stranger that has not started keeps ours from joining, and it is said what to do',
    given: [
      healthy(3),
      spec({ size: 5 }),
      addMember('x', { ...unstarted, seenSince: now - 1_000 }),
      see({ budget: { minAvailable: 3, foreign: false } }),
    ],
    steps: [],
    because: 'remove it with etcdctl member remove',
    situation: 'scalingUp',
  },
  {
    name: 'rule 29: it does not keep a dead member of ours from being removed',
    given: [healthy(3), withoutPod('d'), addMember('x', { ...unstartedLearner, seenSince: now - 1_000 })],
    steps: ['removeMember d (dead)'],
    situation: 'healing',
  },
  {
    name: 'a started stranger does not keep ours from joining',
    given: [
      healthy(3),
      spec({ size: 5 }),
      addMember('x', { ...elsewhere, name: 'db-7' }),
      see({ budget: { minAvailable: 3, foreign: false } }),
    ],
    steps: ['joinMember as learner 3.6.16'],
    situation: 'scalingUp',
  },
  {
    name: 'a stranger among the voters holds an upgrade back: its version is not known',
    given: [
      healthy(3),
      spec({ version: '3.6.17' }),
      addMember('x', { ...elsewhere, name: 'db-7' }),
      see({ budget: { minAvailable: 3, foreign: false } }),
    ],
    steps: [],
    because: 'is not run by this operator',
    situation: 'upgrading',
  },
  {
    name: '[61] a member of ours was removed by hand: its pod goes, and a fresh one joins',
    given: [healthy(3), withoutMember('d')],
    steps: ['deletePod d', 'joinMember as learner 3.6.16'],
    situation: 'scalingUp',
  },
  {
    name: '[61] a member of ours on a volume was removed by hand: its volume is kept until the fresh one votes',
    given: [healthy(3, { storage: 'claim' }), withoutMember('d'), withoutPod('d')],
    steps: ['joinMember as learner 3.6.16'],
    situation: 'scalingUp',
  },
  {
    name: 'two external voters and one of ours: the list was agreed on, so there is a quorum',
    given: [
      healthy(1),
      addMember('x', { ...elsewhere, name: 'db-7' }),
      addMember('y', { ...elsewhere, id: 'id-y', podName: 'db-8', name: 'db-8' }),
    ],
    steps: ['ensureBudget 2'],
    situation: 'steady',
  },
];
