// SPDX-License-Identifier: Apache-2.0
import type { EtcdRestoreSpec, RestorePhaseName } from '../api/etcd-restore.ts';

const backupWords = {
  Verifying: 'Reading and checking the backup',
  Preparing: 'The backup is valid; preparing the restore',
  Isolating: 'Removing the old members from the Service endpoints',
  SavingPresent: 'Saving the data of the old members in the backup store, next to the backup',
  Writing: 'Writing the keys that match spec.prefixes to the cluster',
  Seeding: 'Creating the first member from the backup',
  Growing: 'The first member serves the restored data; the other members are joining',
  CleaningUp: 'The restored cluster is available. Deleting the old pods; their volumes are kept',
  Succeeded: 'The cluster is restored and available',
  RollingBack: 'Rolling back the changes of this restore',
  Failed: 'The cluster was not restored',
} as const;

const pointWords = {
  Verifying: 'Reading and checking the full backup and the change segments of the continuous backup',
  Preparing: 'The full backup and the change segments of the continuous backup are valid; preparing the restore',
  Seeding: 'Creating the first member from the full backup and the change segments of the continuous backup',
} as const;

const prefixWords = {
  Verifying: 'Reading and checking the backup, and comparing its keys with the keys of the cluster',
  SavingPresent: 'Saving the data of the cluster in the backup store, next to the backup',
  Succeeded: 'In the cluster, the keys that match spec.prefixes are now the same as in the backup',
  Failed: 'The keys that match spec.prefixes were not restored',
} as const;

const survivorWords = {
  Verifying: 'Asking the running members whether the cluster has a quorum',
  Preparing: 'The cluster has no quorum; preparing the recovery',
  SavingPresent: 'Reading the data of the remaining members; the data is not changed',
  Seeding: 'Creating the first member from the data of the member with the most advanced write-ahead log (WAL)',
  Growing: 'The first member serves the recovered data; the other members are joining',
  Succeeded: 'The cluster is recovered and available',
  Failed: 'The cluster was not recovered',
} as const;

const cloneWords = {
  Verifying: 'Asking the members of the source cluster whether they have a quorum',
  Preparing: 'The source cluster has a quorum; creating the new cluster',
  Seeding: 'Creating the first member from a snapshot of the source cluster',
  Growing: 'The first member serves the copied data; the other members are joining',
  Succeeded: 'The new cluster is available',
  Failed: 'The cluster was not copied',
} as const;

/** The event message for a phase that began without a reason of its own. */
export function eventMessages(spec: EtcdRestoreSpec): Readonly<Record<RestorePhaseName, string>> {
  const { source, pointInTime, prefixes, dryRun } = spec;
  return {
    ...backupWords,
    ...(pointInTime && pointWords),
    ...(prefixes && prefixWords),
    ...(dryRun && { Succeeded: 'Dry run finished: the keys that differ were counted, and nothing was written' }),
    ...(source?.survivor && survivorWords),
    ...(source?.cluster !== undefined && cloneWords),
  };
}
