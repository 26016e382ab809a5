// SPDX-License-Identifier: Apache-2.0
import type { MemberPod } from '../../../observation.ts';
import {
  budget,
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
const unrecorded = cluster((facts) => ({ ...facts, recordedInStatus: undefined, recordedInAnnotation: undefined }));
const v094: readonly Change[] = [pods(original)];

/** Clusters that CoreOS etcd-operator created: operator rules 2, 8, 27; checklist 101 to 103. */
export const adoption: readonly Row[] = [
  {
    name: '[101] a running cluster of CoreOS etcd-operator is taken over by recording who it is; no pod is touched',
    given: [healthy(3), unrecorded, pods(unmarked), see({ services: { peer: 'drifted', client: 'drifted' } })],
    steps: ['ensureService peer', 'ensureService client', 'recordIdentity c1/1'],
    because: 'Adopting the running cluster c1 of 3 members, without restarting any.',
    situation: 'bootstrapping',
  },
  {
    name: '[101] then its pods get their marks; they are not restarted',
    given: [healthy(3), pods(unmarked)],
    steps: ['clearBootstrap b', 'clearBootstrap c', 'clearBootstrap d'],
    situation: 'steady',
  },
  {
    name: '[101] at rest they are left alone',
    given: [healthy(3), ...v094],
    steps: [],
    situation: 'steady',
  },
  {
    name: '[101] pods of CoreOS etcd-operator that do not tell their membership: nothing is bootstrapped beside them',
    given: [healthy(3), unrecorded, pods(unmarked), noQuorum],
    steps: [],
    because:
      'status has no cluster ID, but 3 pods of this cluster are running and the operator cannot get the member list from them (no member answers). No new cluster is created while they exist. Check that the operator can reach these pods.',
    situation: 'bootstrapping',
  },
  {
    name: '[103] while CoreOS etcd-operator is alive nothing is touched',
    given: [healthy(3), ...v094, spec({ size: 5 }), see({ coreosOperator: 'etcd-operator-7d9f' })],
    steps: [],
    because: 'etcd-operator-7d9f',
    situation: 'coreosOperator',
  },
  {
    name: '[101] C-40: an adopted cluster is resized: one learner at a time (operator rule 2)',
    given: [healthy(3), ...v094, spec({ size: 5 }), budget(3)],
    steps: ['joinMember as learner 3.6.16'],
    situation: 'scalingUp',
  },
  {
    name: "operator rule 2: with CoreOS's pods around no second learner is added, also beside a single voter",
    given: [healthy(1), ...v094, spec({ size: 3 }), budget(2), learner('c', { raftAppliedIndex: 1 })],
    steps: [],
    because: 'Waiting for learner c-cccccccccc: it is receiving the data.',
    situation: 'scalingUp',
  },
  {
    name: '[101] C-41: a dead adopted member is replaced by one of ours',
    given: [healthy(3), ...v094, withoutPod('d')],
    steps: ['removeMember d (dead)'],
    situation: 'healing',
  },
  {
    name: 'operator rule 8: a version change replaces adopted members by new ones, never by a patch',
    given: [healthy(3), ...v094, spec({ version: '3.6.17' })],
    steps: ['joinMember as learner 3.6.17'],
    situation: 'updating',
  },
  {
    name: 'operator rule 8: adopted pods go first when the fresh one votes',
    given: [
      healthy(4),
      ...v094,
      pod('f', { adopted: false, boot: 'cleared', image: 'quay.io/coreos/etcd:v3.6.17', version: '3.6.17' }),
      spec({ version: '3.6.17', size: 3 }),
      budget(3),
    ],
    steps: ['removeMember c (scale)'],
    situation: 'updating',
  },
  {
    name: 'operator rule 8: before a minor step they are converted at the version they run; the gates come after',
    given: [healthy(3, { version: '3.5.35' }), ...v094, spec({ version: '3.6.16' })],
    steps: ['joinMember as learner 3.5.35'],
    situation: 'updating',
  },
  {
    name: 'operator rule 8: a refused version converts no member',
    given: [healthy(3, { version: '3.5.35' }), ...v094, spec({ version: '3.7.3' })],
    steps: [],
    because: 'only one minor at a time',
    situation: 'upgrading',
  },
  {
    name: 'operator rule 6: an adopted pod on a volume is never patched: it gets a new pod on its volume',
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
    because: 'a pod of the CoreOS etcd-operator cannot change its version in place.',
    situation: 'upgrading',
  },
  {
    name: 'operator rule 27: a member that comes back on a volume of CoreOS etcd-operator finds files of root, and runs as root',
    given: [healthy(3, { storage: 'claim' }), ...v094, volume('d', { adopted: true, tls: undefined }), withoutPod('d')],
    steps: ['createPod d cleared 3.6.16 on its volume as root'],
    situation: 'healing',
  },
  {
    name: '[102] members of 0.8 with counted names are ours, not unmanaged',
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
    because: 'Replacing member c-0002: removing it, because its pod is gone and it has no volume.',
    situation: 'healing',
  },
];
