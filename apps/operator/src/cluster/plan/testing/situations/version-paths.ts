// SPDX-License-Identifier: Apache-2.0
import { proven, upgraded } from './rolling.ts';
import {
  answer,
  answers,
  budget,
  type Change,
  cluster,
  container,
  healthy,
  joining,
  pod,
  pods,
  rowsOf,
  spec,
} from './vocabulary.ts';

const bootstrappedWith = (bootstrapVersion: string | undefined) => cluster((facts) => ({ ...facts, bootstrapVersion }));
const clusterVersion =
  (text: string): Change =>
  (seen) => ({ ...seen, etcd: { ...seen.etcd, clusterVersion: text } });

const toNewer = [healthy(3), spec({ version: '3.7.3' })] as const;
const toOlder = [healthy(3), spec({ version: '3.5.35' })] as const;
/** etcd is ready for members of 3.5. */
const downgradeEnabled = [
  clusterVersion('3.5.0'),
  answers({ downgradeTarget: '3.5.0', storageVersion: '3.5.0' }),
] as const;

const release = { version: '3.6.16', image: 'quay.io/coreos/etcd:v3.6.16' } as const;
const joins = joining('f', release);

/** Which versions can be reached from which, and the steps needed before: operator rules 3 and 11; fault 46. */
export const versionPaths = rowsOf('upgrading', [
  {
    name: '[9] fault 46: a skipped minor is refused, with the way to go',
    given: [healthy(3, { version: '3.5.35' }), spec({ version: '3.7.3' })],
    steps: [],
    because:
      'Version 3.7.3 is refused: etcd cannot be upgraded from 3.5 to 3.7 directly, only one minor at a time. Upgrade to 3.6 first.',
  },
  {
    name: 'fault 46: 3.5.25 may not go to 3.6',
    given: [healthy(3, { version: '3.5.25' }), spec({ version: '3.6.16' })],
    steps: [],
    because: 'Upgrade to 3.5.32 or newer first',
  },
  {
    name: 'fault 46: 3.6.10 may not go to 3.7',
    given: [healthy(3, { version: '3.6.10' }), spec({ version: '3.7.3' })],
    steps: [],
    because: 'Upgrade to 3.6.11 or newer first',
  },
  {
    name: 'an unknown version is refused',
    given: [healthy(3), spec({ version: '4.0.0' })],
    steps: [],
    because: 'this operator does not know etcd',
  },
  {
    name: 'fault 46: 3.5 cannot go down to 3.4',
    given: [healthy(3, { version: '3.5.35' }), spec({ version: '3.4.44' })],
    steps: [],
    because: 'Restore a backup into a new cluster',
  },
  {
    name: 'operator rule 11: an option that the target ignores holds the change back',
    given: [
      healthy(3, { version: '3.6.16' }),
      spec({ version: '3.7.3', optionProblems: ['etcd 3.7 ignores ETCD_EXPERIMENTAL_X'] }),
    ],
    steps: [],
    because: 'on hold: etcd 3.7 ignores ETCD_EXPERIMENTAL_X',
  },
  {
    name: 'a minor step waits for the cluster version to be known',
    given: [...toNewer, clusterVersion('')],
    steps: [],
    because: 'the cluster version is not known',
  },
  {
    name: 'operator rule 3: a cluster bootstrapped on this minor needs no raft snapshot before the next',
    given: [...toNewer, bootstrappedWith('3.6.1'), proven('3.7.3')],
    steps: ['setImage c 3.7.3 snapshots 5'],
  },
  {
    name: 'operator rule 3: bootstrapped with 3.5: the step from 3.6 to 3.7 waits for a raft snapshot of each member',
    given: [...toNewer, bootstrappedWith('3.5.35'), pods({ snapshotCount: '5' })],
    steps: ['nudgeSnapshot 16'],
    because:
      'Waiting for members c-bbbbbbbbbb, c-cccccccccc and c-dddddddddd to take a raft snapshot before the upgrade to 3.7.3.',
  },
  {
    name: 'operator rule 3: where the count is not lowered, enough entries for its own count are written',
    given: [...toNewer, bootstrappedWith(undefined)],
    steps: ['nudgeSnapshot 10000'],
  },
  {
    name: 'operator rule 3: one member without proof is enough to wait',
    given: [
      ...toNewer,
      bootstrappedWith(undefined),
      pods({ snapshotCount: '5' }),
      answers({ raftSnapshots: 2 }),
      answer('d', { raftSnapshots: 0 }),
    ],
    steps: ['nudgeSnapshot 16'],
    because: 'Waiting for member c-dddddddddd to take a raft snapshot before the upgrade to 3.7.3.',
  },
  {
    name: 'operator rule 3: the operator waits for a member that does not tell, without writing entries for ever',
    given: [...toNewer, bootstrappedWith(undefined), answers({ raftSnapshots: undefined })],
    steps: [],
    because:
      'Waiting for members c-bbbbbbbbbb, c-cccccccccc and c-dddddddddd to take a raft snapshot before the upgrade to 3.7.3.',
  },
  {
    name: 'operator rule 3: proven by all: the step begins with the image checks',
    given: [...toNewer, bootstrappedWith(undefined), answers({ raftSnapshots: 1 })],
    steps: ['checkImage node-b 3.7.3', 'checkImage node-c 3.7.3', 'checkImage node-d 3.7.3'],
  },
  {
    name: 'operator rule 3: a minor step is rolled with a low snapshot count, in the same patch',
    given: [
      healthy(3, { version: '3.5.35' }),
      spec({ version: '3.6.16' }),
      bootstrappedWith('3.5.35'),
      answers({ raftSnapshots: 1 }),
      proven('3.6.16'),
    ],
    steps: ['setImage c 3.6.16 snapshots 5'],
  },
  {
    name: 'operator rule 3: after the step the snapshots that the next one needs are taken',
    given: [healthy(3), pods({ snapshotCount: '5' })],
    steps: ['nudgeSnapshot 16'],
    because:
      'Waiting for members c-bbbbbbbbbb, c-cccccccccc and c-dddddddddd to take a raft snapshot, which must exist before an upgrade to the next minor.',
  },
  {
    name: "operator rule 3: then etcd's own count is restored",
    given: [healthy(3), pods({ snapshotCount: '5' }), answers({ raftSnapshots: 1 })],
    steps: ['setSnapshotCount b', 'setSnapshotCount c', 'setSnapshotCount d'],
  },
  {
    name: 'half-way through a minor step the target moves to a newer patch: it goes on there',
    given: [
      healthy(3, { version: '3.5.35' }),
      spec({ version: '3.6.17' }),
      ...upgraded('c', '3.6.16'),
      pod('c', { snapshotCount: '5' }),
      clusterVersion('3.5.0'),
      proven('3.6.17'),
    ],
    steps: ['setImage c 3.6.17 snapshots 5'],
  },
  {
    name: 'half-way through a minor step the spec goes back: a rollback is always allowed while the cluster version fits',
    given: [
      healthy(3, { version: '3.5.35' }),
      ...upgraded('c', '3.6.16'),
      ...upgraded('d', '3.6.16'),
      clusterVersion('3.5.0'),
      proven('3.5.35'),
    ],
    steps: ['setImage c 3.5.35 snapshots 5'],
  },
  {
    name: 'one minor down from 3.6: etcd is told first',
    given: toOlder,
    steps: ['enableDowngrade 3.5.0'],
    because: 'etcd can be downgraded from 3.6 to 3.5',
  },
  {
    name: 'a downgrade waits until the cluster speaks the older minor: it would not start before',
    given: [...toOlder, answers({ downgradeTarget: '3.5.0', storageVersion: '3.5.0' }), proven('3.5.35')],
    steps: [],
    because: 'Waiting for the cluster version to become 3.5 before a member is downgraded.',
  },
  {
    name: 'a downgrade waits while a young member does not tell the format of its database',
    given: [
      ...toOlder,
      clusterVersion('3.5.0'),
      answers({ downgradeTarget: '3.5.0', storageVersion: '' }),
      proven('3.5.35'),
    ],
    steps: [],
    because: 'Waiting for member c-cccccccccc to convert its database to 3.5.',
  },
  {
    name: 'a downgrade waits until the database is in the older format',
    given: [...toOlder, clusterVersion('3.5.0'), answers({ downgradeTarget: '3.5.0' }), proven('3.5.35')],
    steps: [],
    because: 'Waiting for member c-cccccccccc to convert its database to 3.5.',
  },
  {
    name: 'then members are replaced one by one',
    given: [...toOlder, ...downgradeEnabled, proven('3.5.35')],
    steps: ['setImage c 3.5.35 snapshots 5'],
  },
  {
    name: 'a downgrade goes on half-way',
    given: [...toOlder, ...downgradeEnabled, ...upgraded('c', '3.5.35'), proven('3.5.35')],
    steps: ['setImage d 3.5.35 snapshots 5'],
  },
  {
    name: 'the spec goes back up half-way: the downgrade is called off',
    given: [healthy(3), answers({ downgradeTarget: '3.5.0' }), ...upgraded('c', '3.5.35')],
    steps: ['cancelDowngrade'],
    because: 'Cancelling the downgrade to 3.5: the spec asks for 3.6.16.',
  },
  {
    name: 'a downgrade that the spec does not ask for is cancelled, though all run the right version',
    given: [healthy(3), answers({ downgradeTarget: '3.5.0' })],
    steps: ['cancelDowngrade'],
  },
  {
    name: 'no member can join while a downgrade is enabled: it is cancelled before a member is added',
    given: [
      healthy(3),
      spec({ size: 5, version: '3.5.35' }),
      budget(3),
      ...downgradeEnabled,
      ...upgraded('c', '3.5.35'),
    ],
    steps: ['cancelDowngrade'],
    because: 'etcd accepts no new member while a downgrade is enabled',
    situation: 'scalingUp',
  },
  {
    name: 'nor can one that was added before: it is called off for a learner that does not start',
    given: [healthy(3), spec({ size: 4, version: '3.5.35' }), budget(3), answers({ downgradeTarget: '3.5.0' }), joins],
    steps: ['cancelDowngrade'],
    situation: 'scalingUp',
  },
  {
    name: 'then members join, as the oldest runs, and the downgrade goes on afterwards',
    given: [
      healthy(3),
      spec({ size: 5, version: '3.5.35' }),
      budget(3),
      clusterVersion('3.5.0'),
      answers({ storageVersion: '3.5.0' }),
      ...upgraded('c', '3.5.35'),
    ],
    steps: ['joinMember as learner 3.5.35'],
    situation: 'scalingUp',
  },
  {
    name: 'a downgrade does not begin beside a learner that cannot come up: it could never join then',
    given: [
      healthy(3),
      spec({ size: 4, version: '3.5.35' }),
      budget(3),
      joining('f', { node: '', ...release }),
      container('f', { state: 'waiting', reason: 'Unschedulable', message: '0/3 nodes', startedAt: 0 }),
    ],
    steps: [],
    because: '0/3 nodes',
    situation: 'scalingUp',
  },
]);
