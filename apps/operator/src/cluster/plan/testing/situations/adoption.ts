// SPDX-License-Identifier: Apache-2.0
import type { MemberPod } from '../../../observation.ts';
import {
  type Change,
  cluster,
  healthy,
  learner,
  noQuorum,
  pod,
  pods,
  type Row,
  see,
  spec,
  volume,
  withoutPod,
} from './vocabulary.ts';

const original: Partial<MemberPod> = { adopted: true, boot: 'fixed' };
const unmarked: Partial<MemberPod> = { ...original, markedVoter: false, memberId: '', clusterId: '' };
const unlatched = cluster((facts) => ({ ...facts, latchedInStatus: undefined, latchedInAnnotation: undefined }));
const v094: readonly Change[] = [pods(original)];

/** Clusters that the original operator made: rules 2, 8, 27; checklist 101 to 103. */
export const adoption: readonly Row[] = [
  {
    name: '[101] a running cluster of the original is taken over by recording who it is; no pod is touched',
    given: [healthy(3), unlatched, pods(unmarked), see({ services: { peer: 'drifted', client: 'drifted' } })],
    steps: ['ensureService peer', 'ensureService client', 'latchIdentity c1/1'],
    because: 'takes over a running cluster of 3 members (ID c1) without restarting any',
    situation: 'bootstrapping',
  },
  {
    name: '[101] then its pods get their marks; they are not restarted',
    given: [healthy(3), pods(unmarked)],
    steps: ['disarm b', 'disarm c', 'disarm d'],
    situation: 'steady',
  },
  {
    name: '[101] at rest they are left alone',
    given: [healthy(3), ...v094],
    steps: [],
    situation: 'steady',
  },
  {
    name: '[101] pods of the original that do not tell their membership: nothing is founded beside them',
    given: [healthy(3), unlatched, pods(unmarked), noQuorum],
    steps: [],
    because: 'nothing is bootstrapped beside them',
    situation: 'bootstrapping',
  },
  {
    name: '[103] while the original operator is alive nothing is touched',
    given: [healthy(3), ...v094, spec({ size: 5 }), see({ oldOperator: 'etcd-operator-7d9f' })],
    steps: [],
    because: 'etcd-operator-7d9f',
    situation: 'oldOperator',
  },
  {
    name: '[101] C-40: an adopted cluster is resized: one learner at a time (rule 2)',
    given: [healthy(3), ...v094, spec({ size: 5 }), see({ budget: { minAvailable: 3, foreign: false } })],
    steps: ['joinMember as learner 3.6.16'],
    situation: 'scalingUp',
  },
  {
    name: 'rule 2: with the original pods around no second learner is added, also beside a single voter',
    given: [
      healthy(1),
      ...v094,
      spec({ size: 3 }),
      see({ budget: { minAvailable: 2, foreign: false } }),
      learner('c', { raftAppliedIndex: 1 }),
    ],
    steps: [],
    because: 'it receives the data',
    situation: 'scalingUp',
  },
  {
    name: '[101] C-41: a dead adopted member is replaced by one of ours',
    given: [healthy(3), ...v094, withoutPod('d')],
    steps: ['removeMember d (dead)'],
    situation: 'healing',
  },
  {
    name: 'rule 8: a version change replaces adopted pods by a surge, never by a patch',
    given: [healthy(3), ...v094, spec({ version: '3.6.17' })],
    steps: ['joinMember as learner 3.6.17'],
    situation: 'updating',
  },
  {
    name: 'rule 8: adopted pods go first when the fresh one votes',
    given: [
      healthy(4),
      ...v094,
      pod('f', { adopted: false, boot: 'disarmed', image: 'quay.io/coreos/etcd:v3.6.17', version: '3.6.17' }),
      spec({ version: '3.6.17', size: 3 }),
      see({ budget: { minAvailable: 3, foreign: false } }),
    ],
    steps: ['removeMember c (scale)'],
    situation: 'updating',
  },
  {
    name: 'rule 8: before a minor step they are converted at the version they run; the gates come after',
    given: [healthy(3, { version: '3.5.35' }), ...v094, spec({ version: '3.6.16' })],
    steps: ['joinMember as learner 3.5.35'],
    situation: 'updating',
  },
  {
    name: 'rule 8: a refused version converts nobody',
    given: [healthy(3, { version: '3.5.35' }), ...v094, spec({ version: '3.7.3' })],
    steps: [],
    because: 'skips a minor',
    situation: 'upgrading',
  },
  {
    name: 'rule 6: an adopted pod on a volume is never patched: it gets a new pod on its volume',
    given: [
      healthy(3, { storage: 'claim' }),
      ...v094,
      spec({ version: '3.6.17' }),
      (seen) => ({
        ...seen,
        imageChecks: ['b', 'c', 'd'].map((letter) => ({
          name: letter,
          uid: letter,
          node: `node-${letter}`,
          image: 'quay.io/coreos/etcd:v3.6.17',
          seenSince: 0,
          result: 'succeeded',
          detail: '3.6.17',
        })),
      }),
    ],
    steps: ['deletePod c'],
    because: 'the original operator made the old one',
    situation: 'upgrading',
  },
  {
    name: 'rule 27: a member that comes back on a volume of the original finds files of root, and runs as root',
    given: [healthy(3, { storage: 'claim' }), ...v094, volume('d', { adopted: true, tls: undefined }), withoutPod('d')],
    steps: ['createPod d disarmed 3.6.16 on its volume as root'],
    situation: 'healing',
  },
  {
    name: '[102] members of 0.8 with counted names are ours, not strangers',
    given: [
      healthy(3),
      (seen) => {
        const { membership } = seen.etcd;
        if (membership.kind === 'unknown') return seen;
        const members = membership.members.map((item) =>
          item.podName === 'c-dddddddddd' ? { ...item, podName: 'c-0002' } : item,
        );
        return { ...seen, etcd: { ...seen.etcd, membership: { ...membership, members } } };
      },
      withoutPod('d'),
    ],
    steps: ['removeMember new (dead)'],
    because: 'c-0002 is replaced',
    situation: 'healing',
  },
];
