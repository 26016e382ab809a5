// SPDX-License-Identifier: Apache-2.0
import {
  bool,
  cel,
  choice,
  dateTime,
  defineKind,
  duration,
  enumeration,
  int32,
  int64,
  type KindOf,
  list,
  nullable,
  object,
  optional,
  string,
} from '@operator-parts/crd';
import { bounded, statusItems, statusText } from './bounds.ts';
import { conditionList } from './condition-schema.ts';
import { clusterSpec } from './etcd-cluster.ts';
import { group } from './names.ts';
import { restoreReasons } from './reasons.ts';
import { isWithoutBackup, pointRules, prefixRules, sourceRules } from './restore-spec/rules.ts';
import { unseenStatus } from './status/unseen-status.ts';
import { storageFields, storageRules } from './storage-source.ts';

const spec = object(
  {
    backupStorageType: optional(
      string({
        description:
          'Type of the backup store: S3, ABS (Azure Blob Storage), GCS (Google Cloud Storage), OSS (Alibaba Cloud) or Directory (a mounted volume). Required if source is not set.',
        maxLength: 32,
      }),
    ),
    source: optional(
      object(
        {
          survivor: optional(
            object(
              {
                member: optional(
                  string({
                    description:
                      'Name of the member to recover from. Default: the member whose write-ahead log (WAL) is the most advanced. A member whose WAL is behind the WAL of another remaining member is refused.',
                    maxLength: 253,
                  }),
                ),
              },
              {
                description:
                  'Recovers a cluster that has lost its quorum, without a backup, from the data of a remaining member. The volumes of the remaining members are only read and are kept.',
              },
            ),
          ),
          cluster: optional(
            string({
              description:
                'Name of an EtcdCluster in the same namespace to copy while it serves clients. A snapshot of one of its members becomes the data of the new EtcdCluster etcdCluster.name, which must not exist yet. The source cluster is only read.',
              pattern: '^[a-z0-9][-a-z0-9.]*$',
              maxLength: 253,
            }),
          ),
        },
        { description: 'Where the data comes from if no backup is restored. Not allowed with backupStorageType.' },
      ),
    ),
    etcdCluster: object(
      { name: string({ description: 'Name of the EtcdCluster, in the same namespace.', maxLength: 253 }) },
      {
        description: 'The EtcdCluster to restore. If this EtcdCluster does not exist, the restore creates it.',
        preserveUnknownFields: true,
      },
    ),
    ...storageFields,
    // The spec for a new EtcdCluster. Without this spec, size, version and volume size come from the manifest of the backup, and all other
    // fields have their defaults.
    clusterSpec: optional(nullable(clusterSpec)),
    pointInTime: optional(
      object(
        {
          time: optional(
            bounded(
              dateTime({
                description:
                  'Restores the data as it was at this time, such as 2026-11-18T14:32:00Z: the last revision that was recorded until then. The fields `time` and `revision` cannot be used together.',
              }),
            ),
          ),
          revision: optional(
            int64({
              description:
                'Restores the data as it was at this etcd revision. The fields `revision` and `time` cannot be used together.',
              minimum: 1,
              maximum: Number.MAX_SAFE_INTEGER,
            }),
          ),
        },
        {
          description:
            'Restores the data as it was at a time or a revision between two backups. Requires backups of an EtcdBackup with spec.continuous. Set the path of the backup to the path in the spec of that EtcdBackup, which has no revision and time at its end. The newest full backup from before this point is restored, and then the changes that the continuous backup recorded are applied. Users, roles and leases without keys are restored as they were in the full backup.',
        },
      ),
    ),
    prefixes: optional(
      list(string({ minLength: 1, maxLength: 1024 }), {
        description:
          'Restores only keys that begin with one of these prefixes, such as /registry/configmaps/, into an existing cluster, which continues to serve clients. Keys whose value differs from the backup are put, without a lease. Keys that are not in the backup are deleted. Other keys are not changed. Each transaction checks that no other client has changed its keys meanwhile.',
        minItems: 1,
        maxItems: 64,
      }),
    ),
    dryRun: optional(
      bool({
        description:
          'True: the restore only counts the keys that it would put and delete, and reports the numbers in status.prefixes. Nothing is written. To write exactly these changes afterwards, set dryRun to false. If another client has changed these keys meanwhile, onConflict applies.',
      }),
    ),
    onConflict: optional(
      enumeration(['Refuse', 'Overwrite'], {
        description:
          'What happens if another client changes keys of prefixes in the cluster after the restore has compared them with the backup. Refuse (default): the restore fails and names the key. Overwrite: the restore first stores a safety snapshot that contains the changes of the other client (unless safetySnapshot is false), and then overwrites these changes with the values in the backup.',
      }),
    ),
    safetySnapshot: optional(
      choice(['Required', 'IfPossible', true, false], {
        description:
          'Whether a snapshot of the present data is stored next to the backup before the new incarnation is created. Required (default, same as true): if no current snapshot can be stored although an old pod is Ready, or an old volume or pod may hold data that is not saved, the restore fails and changes nothing. IfPossible: if no snapshot can be stored, the restore continues without it. false: no snapshot is taken. Old volumes are always kept. Without a snapshot, data in pods that have no volume is lost.',
      }),
    ),
    oldVolumes: optional(
      object(
        {
          retention: optional(
            bounded(
              duration({
                description:
                  'How long the operator keeps the PersistentVolumeClaims that the members used before the restore, counted from the success of the restore. The operator deletes these PersistentVolumeClaims only while this EtcdRestore exists. Default: they are kept until you delete them.',
              }),
            ),
          ),
        },
        {
          description:
            'What the operator does with the PersistentVolumeClaims that the members used before the restore. status.oldVolumes lists these PersistentVolumeClaims.',
        },
      ),
    ),
    requireManifest: optional(
      bool({
        description:
          'True: the restore refuses a backup if its manifest is missing or does not match the backup. With encryption, the restore also refuses a manifest that was not written with the encryption key.',
      }),
    ),
    acceptForeign: optional(
      bool({
        description:
          'True: the restore accepts a backup of another cluster. False (default): if the EtcdCluster etcdCluster.name exists, the manifest of the backup must name it. With encryption, true also accepts a backup whose manifest is missing, names no cluster or was not written with the encryption key, such as a safety snapshot.',
      }),
    ),
    acceptWithoutAuth: optional(
      bool({
        description:
          'False (default): if the EtcdCluster exists and has auth.secret, the restore refuses a backup in which authentication is not enabled. True: the restore accepts this backup. Until you enable authentication again, the restored cluster then serves clients without a login.',
      }),
    ),
    acceptWithoutHash: optional(
      bool({
        description:
          'True: the restore accepts a file without a hash at its end, such as a copy of member/snap/db from a data directory. Damage to such a file cannot be detected.',
      }),
    ),
    revisionBump: optional(
      int64({
        description:
          'Number that is added to the revision of the backup, so that watches and caches of clients notice the restore. Default 1000000000. 0: the revision of the backup is kept.',
        minimum: 0,
        maximum: 1_000_000_000_000_000,
      }),
    ),
    ttlSecondsAfterFinished: optional(
      int32({
        description:
          'Number of seconds after which this EtcdRestore is deleted, counted from the end of the restore, whether it succeeded or failed. If oldVolumes.retention is set, the old volumes are deleted first. Default: this EtcdRestore is not deleted.',
        minimum: 0,
      }),
    ),
    timeout: optional(
      bounded(
        duration({
          description:
            'Time limit for the restored member to start serving clients. If this limit is exceeded, the restore is rolled back. With prefixes: if the keys cannot be written for this long, for example because the quorum is lost, the restore fails. Default 1h.',
        }),
      ),
    ),
  },
  {
    preserveUnknownFields: true,
    rules: [...sourceRules, ...pointRules, ...prefixRules, ...storageRules('backupStorageType', isWithoutBackup)],
  },
);

/** The phases of a restore, in the order in which a restore passes through them. Only a restore that fails has the last two. */
const restorePhases = Object.values(restoreReasons);

export type RestorePhaseName = (typeof restorePhases)[number];

const source = object({
  generation: int64({ description: 'The metadata.generation of the EtcdRestore for which the backup was read.' }),
  path: statusText(),
  bytes: int64(),
  sha256: optional(
    statusText('SHA-256 of the backup, after decryption if it is encrypted. Absent while verified is Pending.'),
  ),
  revision: int64({ description: 'Revision of the backup.' }),
  newestEntry: optional(
    int64({
      description:
        'Revision of the newest key-value entry that is still in the backup. Set only if this revision is lower than field revision, because compaction has removed newer entries.',
    }),
  ),
  storageVersion: optional(
    statusText('Storage version of the backup, such as 3.6. Absent in backups from etcd 3.5 and older.'),
  ),
  authEnabled: bool(),
  verified: enumeration(['Manifest', 'Embedded', 'Nothing', 'Pending', 'Survivor', 'Live'], {
    description:
      'How the backup was verified. Manifest: against the SHA-256 in its manifest. Embedded: against the hash at its end. Nothing: the backup was not verified. Pending: the backup is not verified yet. If the EtcdCluster did not exist, the backup is verified while it is copied to the first member, before that member serves. Pending also means that the member to recover from has not been chosen yet. Survivor (with source.survivor) and Live (with source.cluster): the data is a snapshot of a member, which is verified against the hash at its end while it is copied.',
  }),
  cluster: optional(
    object(
      { name: statusText(), size: int64(), version: statusText(), storage: optional(statusText()) },
      { description: 'The cluster from which the backup was taken, according to the manifest.' },
    ),
  ),
  survivor: optional(
    object(
      {
        member: statusText('Name of the member.'),
        term: int64({
          description:
            'Raft term of the last entry in the write-ahead log (WAL) of the member. 0 if the member has no volume: then the operator does not read the WAL, and asks the running etcd of the member instead.',
        }),
        index: int64({ description: 'Raft index of the last entry of the write-ahead log (WAL) that is recovered.' }),
        warning: optional(statusText('Which data may be missing, and why.')),
      },
      { description: 'With source.survivor: the member from which the cluster is recovered.' },
    ),
  ),
  pointInTime: optional(
    object(
      {
        snapshot: statusText('Path of the full backup.'),
        segments: int64({
          description: 'Number of change segments of the continuous backup that were applied to the full backup.',
        }),
        time: statusText(
          'When the last restored change was recorded. If no changes were applied to the full backup: when the full backup was begun.',
        ),
      },
      {
        description:
          'With spec.pointInTime: the full backup and the change segments of the continuous backup from which the data comes. The field `revision` is the restored revision.',
      },
    ),
  ),
  clusterID: optional(
    statusText(
      'With source.cluster: cluster ID of the source cluster. A source cluster of the same name with another cluster ID is refused.',
    ),
  ),
  etcdVersion: optional(statusText('Version of etcd that the backup was taken from, according to the manifest.')),
});

const status = object(
  {
    succeeded: bool({ description: 'True when the restored cluster is available and has all its members.' }),
    reason: optional(statusText('Why the restore failed, or what the restore is waiting for.')),
    phase: optional(enumeration(restorePhases)),
    observedGeneration: optional(
      int64({
        description:
          'The metadata.generation of this object that an operator has last processed or refused. -1: no operator has processed this object yet.',
      }),
    ),
    startedAt: optional(statusText()),
    completedAt: optional(statusText()),
    source: optional(source),
    bytesVerified: optional(int64()),
    bytesDelivered: optional(int64()),
    incarnation: optional(
      int64({
        description:
          'Number of the cluster incarnation that this restore creates: one more than before. It becomes status.incarnation of the EtcdCluster.',
      }),
    ),
    revision: optional(int64({ description: 'Revision at which the restored member started.' })),
    clusterID: optional(statusText()),
    safetySnapshot: optional(
      object({
        generation: optional(
          int64({ description: 'The metadata.generation of the EtcdRestore that this safety snapshot belongs to.' }),
        ),
        path: optional(
          statusText(
            'Path of the safety snapshot in the backup store. With source.survivor: pod/NAME, a pod that holds a snapshot of a member with a volume. The snapshot was taken before that member was stopped, and is used if the volume is damaged or has nothing newer.',
          ),
        ),
        revision: optional(
          int64({
            description:
              'Highest revision that the old members reported. Also set if no snapshot was taken. With prefixes: revision of the snapshot. The snapshot does not contain writes of clients after this revision.',
          }),
        ),
        bytes: optional(int64()),
        current: optional(
          bool({
            description:
              'True: the member had a quorum when the snapshot was taken, so the snapshot contains all writes that were acknowledged before. False: other members may hold newer data.',
          }),
        ),
        members: optional(
          list(string({ maxLength: 253 }), {
            description: 'Pods of members that are known to have no data newer than the snapshot.',
            ...statusItems,
          }),
        ),
        warning: optional(
          statusText('Why other members may hold data that is not in the snapshot. Set only if current is false.'),
        ),
        skipped: optional(statusText('Why no snapshot was taken.')),
        round: optional(
          int64({
            description:
              'With prefixes: number of this safety snapshot for this generation, starting at 1. A number above 1 occurs with onConflict Overwrite: if other clients change keys after a safety snapshot, another safety snapshot is taken before these keys are overwritten.',
          }),
        ),
        earlier: optional(
          list(
            object({
              path: statusText(),
              revision: optional(int64({ description: 'Revision of this earlier safety snapshot.' })),
            }),
            {
              description:
                'Earlier safety snapshots of this EtcdRestore, the oldest first: the first snapshot and the last 15 snapshots. Data that an earlier attempt overwrote is only in the safety snapshot of that attempt.',
              maxItems: 16,
            },
          ),
        ),
      }),
    ),
    prefixes: optional(
      object(
        {
          generation: int64({
            description: 'The metadata.generation of the EtcdRestore for which the keys were compared.',
          }),
          dryRun: bool({ description: 'True if the keys were only counted and not written (spec.dryRun).' }),
          compared: list(string({ maxLength: 1024 }), {
            description: 'The prefixes whose keys were compared.',
            maxItems: 64,
          }),
          sha256: statusText('SHA-256 of the backup that was compared with the cluster.'),
          pointInTime: optional(
            object(
              {
                asked: statusText('The value of spec.pointInTime when the keys were compared.'),
                snapshot: statusText('Path of the full backup.'),
                revision: int64({ description: 'Revision of the data that was compared with the cluster.' }),
              },
              {
                description:
                  'With spec.pointInTime: the full backup and the change segments of the continuous backup that were compared with the cluster. The same data is written afterwards, even if newer full backups were stored meanwhile.',
              },
            ),
          ),
          clusterID: statusText('Cluster ID of the etcd cluster that was compared with the backup.'),
          revision: int64({ description: 'Revision of the cluster at which its keys were compared with the backup.' }),
          puts: int64({
            description: 'Number of keys to put, because their value differs or the cluster does not have them.',
          }),
          creates: int64({ description: 'Number of keys to put that do not exist in the cluster.' }),
          leased: int64({
            description: 'Number of keys to put that had a lease in the backup. They get no lease and do not expire.',
          }),
          putBytes: optional(int64({ description: 'Size of the keys and values to put, in bytes.' })),
          deletes: int64({ description: 'Number of keys to delete, because the backup does not have them.' }),
          unchanged: int64({ description: 'Number of keys with the same value in cluster and backup.' }),
          warning: optional(
            statusText(
              'Says what to do if the keys cannot be written now because the database would exceed its quota. Set only by a dry run.',
            ),
          ),
          writtenRevision: optional(
            int64({ description: 'Revision of the cluster after the last key was written. Absent until then.' }),
          ),
        },
        {
          description:
            'Number of keys that spec.prefixes changes, found by comparing the keys of the cluster with the backup.',
        },
      ),
    ),
    oldVolumes: optional(
      object(
        {
          names: list(string({ maxLength: 253 }), statusItems),
          delete: statusText('Command that deletes these PersistentVolumeClaims.'),
          deletedAt: optional(
            statusText(
              'When these PersistentVolumeClaims are deleted, according to spec.oldVolumes.retention. Absent: they are not deleted.',
            ),
          ),
        },
        { description: 'PersistentVolumeClaims that the members used before the restore, and that this restore kept.' },
      ),
    ),
    failure: optional(object({ generation: int64(), message: statusText() })),
    conditions: optional(nullable(conditionList)),
  },
  { preserveUnknownFields: true, default: { succeeded: false, ...unseenStatus } },
);

/** `EtcdRestore` of `etcd.database.coreos.com/v1beta2`: every field of CoreOS etcd-operator under its exact name, plus our own fields. */
export const etcdRestores = defineKind({
  group,
  version: 'v1beta2',
  kind: 'EtcdRestore',
  plural: 'etcdrestores',
  singular: 'etcdrestore',
  scope: 'Namespaced',
  spec,
  status,
  rules: [
    cel(
      "!has(oldSelf.status) || !has(oldSelf.status.phase) || oldSelf.status.phase == 'Failed' || self.spec.etcdCluster.name == oldSelf.spec.etcdCluster.name",
      'spec.etcdCluster.name cannot be changed; create another EtcdRestore',
      { fieldPath: '.spec.etcdCluster.name' },
    ),
    // A restore that only writes or counts keys must not become a restore that replaces the whole cluster.
    cel(
      '!has(oldSelf.status) || !has(oldSelf.status.phase) || has(self.spec.prefixes) == has(oldSelf.spec.prefixes)',
      'spec.prefixes cannot be added or removed; create another EtcdRestore',
      { fieldPath: '.spec' },
    ),
  ],
  columns: [
    { name: 'Cluster', type: 'string', path: '.spec.etcdCluster.name' },
    { name: 'Phase', type: 'string', path: '.status.phase' },
    { name: 'Succeeded', type: 'boolean', path: '.status.succeeded' },
    { name: 'Age', type: 'date', path: '.metadata.creationTimestamp' },
  ],
});

export type EtcdRestore = KindOf<typeof etcdRestores>;
export type EtcdRestoreSpec = NonNullable<EtcdRestore['spec']>;
export type EtcdRestoreStatus = NonNullable<EtcdRestore['status']>;
