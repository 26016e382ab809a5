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
import { unseenStatus } from './status/unseen-status.ts';
import { storageFields, storageRules } from './storage-source.ts';

const isFromSurvivor = 'has(self.source) && has(self.source.survivor)';
const isFromCluster = 'has(self.source) && has(self.source.cluster)';
const isWithoutBackup = 'has(self.source) && (has(self.source.survivor) || has(self.source.cluster))';

const sourceRules = [
  cel(
    `!has(self.source) || has(self.source.survivor) != has(self.source.cluster)`,
    'source must name one source: survivor or cluster',
    { fieldPath: '.source' },
  ),
  cel(
    `!(${isWithoutBackup}) || (!has(self.backupStorageType) && !has(self.s3) && !has(self.abs) && !has(self.gcs) && !has(self.oss) && !has(self.directory))`,
    'source takes the data from members, not from a backup: remove the backup (backupStorageType, s3, abs, gcs, oss, directory), or remove source',
    { fieldPath: '.source' },
  ),
  cel(
    `!(${isFromSurvivor}) || !has(self.clusterSpec)`,
    'source.survivor recovers a cluster that exists: remove clusterSpec',
    { fieldPath: '.source' },
  ),
  cel(
    `!(${isFromCluster}) || self.source.cluster != self.etcdCluster.name`,
    'source.cluster is the cluster to copy: etcdCluster.name must be another name, of a cluster that does not exist yet',
    { fieldPath: '.source' },
  ),
];

const pointRules = [
  cel(
    `!has(self.pointInTime) || has(self.pointInTime.time) != has(self.pointInTime.revision)`,
    'pointInTime must be one of time and revision',
    { fieldPath: '.pointInTime' },
  ),
  cel(
    `!has(self.pointInTime) || !(${isWithoutBackup})`,
    'pointInTime needs a backup: remove source, or remove pointInTime',
    { fieldPath: '.pointInTime' },
  ),
];

const prefixRules = [
  cel(
    `!has(self.prefixes) || !(${isWithoutBackup})`,
    'prefixes are taken from a backup: remove source, or remove prefixes',
    { fieldPath: '.prefixes' },
  ),
  cel(
    '!has(self.prefixes) || (!has(self.clusterSpec) && !has(self.oldVolumes) && !has(self.revisionBump))',
    'prefixes are written to a cluster that exists and goes on serving: remove clusterSpec, oldVolumes and revisionBump',
    { fieldPath: '.prefixes' },
  ),
  cel('has(self.prefixes) || (!has(self.dryRun) && !has(self.onConflict))', 'dryRun and onConflict need prefixes', {
    fieldPath: '.prefixes',
  }),
];

const spec = object(
  {
    backupStorageType: optional(
      string({
        description: 'S3, ABS, GCS, OSS or Directory. Required, unless source is set.',
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
                      'Name of the member to recover from. Default: the member whose log is the most advanced. A member that is behind another one is refused.',
                    maxLength: 253,
                  }),
                ),
              },
              {
                description:
                  'Recovers a cluster that has lost its quorum from the data that its remaining members hold, without a backup. The volumes of these members are only read, and are kept.',
              },
            ),
          ),
          cluster: optional(
            string({
              description:
                'Name of an EtcdCluster of the same namespace to copy while it serves. A snapshot of one of its members becomes the new cluster etcdCluster.name, which must not exist yet. The cluster that is copied is only read.',
              pattern: '^[a-z0-9][-a-z0-9.]*$',
              maxLength: 253,
            }),
          ),
        },
        { description: 'Where the data comes from, if not from a backup. Not together with backupStorageType.' },
      ),
    ),
    etcdCluster: object(
      { name: string({ description: 'Name of the EtcdCluster, in the same namespace.', maxLength: 253 }) },
      {
        description: 'The cluster to restore. If the EtcdCluster does not exist, it is created.',
        preserveUnknownFields: true,
      },
    ),
    ...storageFields,
    // The spec for a new EtcdCluster if none exists. Without it, size, version and volume size come from the manifest, and the rest has
    // defaults.
    clusterSpec: optional(nullable(clusterSpec)),
    pointInTime: optional(
      object(
        {
          time: optional(
            bounded(
              dateTime({
                description:
                  'Restores the last revision that was recorded at this time or before, such as 2026-11-18T14:32:00Z. Not together with revision.',
              }),
            ),
          ),
          revision: optional(
            int64({
              description: 'Restores this revision. Not together with time.',
              minimum: 1,
              maximum: Number.MAX_SAFE_INTEGER,
            }),
          ),
        },
        {
          description:
            'Restores the data as it was at a point between two backups, from an EtcdBackup with spec.continuous. The path of the backup is then that of the EtcdBackup, without the revision and time of a single backup. The newest full backup at or before the point is taken, and the recorded changes are added to it. Users and roles, and leases without keys, are those of the full backup.',
        },
      ),
    ),
    prefixes: optional(
      list(string({ minLength: 1, maxLength: 1024 }), {
        description:
          'Restores only keys that begin with one of these prefixes, such as /registry/configmaps/, into a cluster that exists and goes on serving. These keys become what they are in the backup: keys that differ are put, without a lease, and keys that are not in the backup are deleted. No other key is touched. Each transaction is guarded by the revisions of its keys.',
        minItems: 1,
        maxItems: 64,
      }),
    ),
    dryRun: optional(
      bool({
        description:
          'True only counts what prefixes would put and delete, in status.prefixes; nothing is written. Set it to false afterwards to write exactly that, if no other client has changed those keys meanwhile.',
      }),
    ),
    onConflict: optional(
      enumeration(['Refuse', 'Overwrite'], {
        description:
          'What happens if another client has changed keys of prefixes in the cluster since they were compared with the backup. Refuse (default): the restore fails and names the key. Overwrite: the values in the backup overwrite these changes, once a safety snapshot that contains them is stored (unless safetySnapshot is false).',
      }),
    ),
    safetySnapshot: optional(
      choice(['Required', 'IfPossible', true, false], {
        description:
          'Whether a snapshot of the present data is stored next to the backup before the new incarnation is created. Required (default, same as true): without a current snapshot, the restore fails and changes nothing if an old pod is Ready, or if an old volume or pod may hold data that was not saved. IfPossible: the restore continues without the snapshot. false: no snapshot is taken. Old volumes are always kept; without a snapshot, data in pods without a volume is lost.',
      }),
    ),
    oldVolumes: optional(
      object(
        {
          retention: optional(
            bounded(
              duration({
                description:
                  'How long the volumes of the previous incarnation are kept after the restore succeeded. They are deleted only while the EtcdRestore exists. Default: they are kept until you delete them.',
              }),
            ),
          ),
        },
        {
          description: 'Handling of the volumes of the previous incarnation, which are listed in status.oldVolumes.',
        },
      ),
    ),
    requireManifest: optional(
      bool({
        description:
          'True refuses a backup whose manifest is missing or does not match the backup, or, with encryption, was not written with the encryption key.',
      }),
    ),
    acceptForeign: optional(
      bool({
        description:
          'True accepts a backup whose manifest names another cluster than etcdCluster.name, if that cluster exists. With encryption, True also accepts a backup whose manifest is missing, names no cluster or was not written with its key, such as a safety snapshot.',
      }),
    ),
    acceptWithoutHash: optional(
      bool({
        description:
          'True accepts a file without a hash at its end, such as a copy of member/snap/db. Damage to such a file cannot be detected.',
      }),
    ),
    revisionBump: optional(
      int64({
        description:
          "Number added to the revision of the backup, so that clients' watches and caches notice that history was rewritten. Default 1000000000; 0 keeps the revision of the backup.",
        minimum: 0,
        maximum: 1_000_000_000_000_000,
      }),
    ),
    ttlSecondsAfterFinished: optional(
      int32({
        description:
          'How long after the restore succeeded or failed this object is deleted. If oldVolumes.retention is set, the old volumes are deleted first. Default: this object is not deleted.',
        minimum: 0,
      }),
    ),
    timeout: optional(
      bounded(
        duration({
          description:
            'How long the restored member may take to serve before the restore is rolled back. With prefixes: how long writing may be held up, as by a lost quorum, before the restore fails. Default 1h.',
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
    statusText('SHA-256 of the backup, decrypted if it is encrypted; absent while verified is Pending.'),
  ),
  revision: int64({ description: 'Revision of the backup.' }),
  newestEntry: optional(
    int64({
      description:
        'Revision of the newest key-value entry still in the backup. Set only if it is lower than revision, because compaction removed the entries after it.',
    }),
  ),
  storageVersion: optional(
    statusText('Storage version of the backup, such as 3.6. Absent in backups from etcd 3.5 and older.'),
  ),
  authEnabled: bool(),
  verified: enumeration(['Manifest', 'Embedded', 'Nothing', 'Pending', 'Survivor', 'Live'], {
    description:
      'What the backup was verified against: the SHA-256 in its manifest (Manifest), the hash at its end (Embedded), or nothing (Nothing). Pending: the EtcdCluster did not exist, so the backup is verified while it is copied to the first member, before that member serves, or the member to recover from has not been chosen yet. Survivor (source.survivor) and Live (source.cluster): a snapshot of a member, which is verified against the hash at its end while it is copied.',
  }),
  cluster: optional(
    object(
      { name: statusText(), size: int64(), version: statusText(), storage: optional(statusText()) },
      { description: 'The cluster that the backup was taken from, according to the manifest.' },
    ),
  ),
  survivor: optional(
    object(
      {
        member: statusText('Name of the member.'),
        term: int64({
          description:
            'Raft term of the last entry in the log of the member; 0 if the data of the member is only in its pod: its running etcd was asked instead of reading its log.',
        }),
        index: int64({ description: 'Raft index of the last entry that is recovered.' }),
        warning: optional(statusText('What may be missing.')),
      },
      { description: 'The member that the cluster is recovered from, with source.survivor.' },
    ),
  ),
  pointInTime: optional(
    object(
      {
        snapshot: statusText('Path of the full backup.'),
        segments: int64({ description: 'Number of segments of changes that were added to the full backup.' }),
        time: statusText(
          'When the last restored change was recorded; if no changes were added to the full backup, when that backup was begun.',
        ),
      },
      {
        description:
          'Which full backup and which changes the data comes from, with spec.pointInTime. The revision that was reached is in field revision.',
      },
    ),
  ),
  clusterID: optional(
    statusText(
      'Cluster ID of the cluster that is copied, with source.cluster. Another cluster of that name is refused.',
    ),
  ),
  etcdVersion: optional(statusText('Version of etcd that the backup was taken from, according to the manifest.')),
});

const status = object(
  {
    succeeded: bool({ description: 'True once the restored cluster is available with all its members.' }),
    reason: optional(statusText('Why the restore failed, or what it is waiting for.')),
    phase: optional(enumeration(restorePhases)),
    observedGeneration: optional(
      int64({
        description:
          'The metadata.generation that was acted upon or refused; -1 before an operator has seen the object.',
      }),
    ),
    startedAt: optional(statusText()),
    completedAt: optional(statusText()),
    source: optional(source),
    bytesVerified: optional(int64()),
    bytesDelivered: optional(int64()),
    incarnation: optional(int64({ description: 'The cluster incarnation that this restore creates.' })),
    revision: optional(int64({ description: 'Revision at which the restored member started.' })),
    clusterID: optional(statusText()),
    safetySnapshot: optional(
      object({
        generation: optional(
          int64({ description: 'The metadata.generation of the EtcdRestore that this safety snapshot belongs to.' }),
        ),
        path: optional(
          statusText(
            'Path of the snapshot in the store. With source.survivor: pod/NAME, the pod that holds a snapshot of a member that ran on a volume, taken before that member was stopped. That snapshot is used if the volume turns out to be damaged, or to have nothing more.',
          ),
        ),
        revision: optional(
          int64({
            description:
              'Highest revision that the old members reported. Also set if no snapshot was taken. With prefixes: revision of the snapshot; what clients wrote afterwards is not in the snapshot.',
          }),
        ),
        bytes: optional(int64()),
        current: optional(
          bool({
            description:
              'True if the member had a quorum when its snapshot was taken, so that the snapshot contains every write acknowledged before. False: other members may hold newer data.',
          }),
        ),
        members: optional(
          list(string({ maxLength: 253 }), {
            description: 'Pods of the members that are known to hold no newer data than the snapshot.',
            ...statusItems,
          }),
        ),
        warning: optional(
          statusText('Set if current is false. Says why other members may hold data that is not in the snapshot.'),
        ),
        skipped: optional(statusText('Why no snapshot was taken.')),
        round: optional(
          int64({
            description:
              'Number of this safety snapshot for this generation, with prefixes. Above 1: with onConflict Overwrite, keys that other clients changed after a safety snapshot are overwritten only after another one.',
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
                'Safety snapshots that this EtcdRestore stored before, the oldest first: the first one and the last 15. What an earlier attempt overwrote is in its own safety snapshot only.',
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
          dryRun: bool({ description: 'True if they were only counted.' }),
          compared: list(string({ maxLength: 1024 }), { description: 'The prefixes.', maxItems: 64 }),
          sha256: statusText('SHA-256 of the backup that was compared.'),
          pointInTime: optional(
            object(
              {
                asked: statusText('What spec.pointInTime was.'),
                snapshot: statusText('Path of the full backup.'),
                revision: int64({ description: 'Revision that was reached.' }),
              },
              {
                description:
                  'Which full backup and which changes the compared data comes from, with spec.pointInTime. The same data is written, also if newer full backups were stored meanwhile.',
              },
            ),
          ),
          clusterID: statusText('ID of the etcd cluster that was compared.'),
          revision: int64({ description: 'Revision of the cluster at which its keys were compared with the backup.' }),
          puts: int64({
            description: 'Number of keys to put, because their value differs or the cluster does not have them.',
          }),
          creates: int64({ description: 'Of puts, keys that the cluster does not have.' }),
          leased: int64({
            description: 'Of puts, keys that had a lease in the backup. These keys get no lease and do not expire.',
          }),
          putBytes: optional(int64({ description: 'Size of the keys and values to put, in bytes.' })),
          deletes: int64({ description: 'Number of keys to delete, because the backup does not have them.' }),
          unchanged: int64({ description: 'Number of keys that have the same value in both.' }),
          warning: optional(
            statusText(
              'Set by a dry run if the keys cannot be written now, because the database would exceed its quota. Says what to do.',
            ),
          ),
          writtenRevision: optional(
            int64({ description: 'Revision of the cluster after the last key was written. Absent before that.' }),
          ),
        },
        {
          description:
            'What spec.prefixes changes, as it was found when the keys of the cluster were compared with the backup.',
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
              'When these PersistentVolumeClaims are deleted, according to spec.oldVolumes.retention. Absent: never.',
            ),
          ),
        },
        { description: 'PersistentVolumeClaims of the previous incarnation that this restore kept.' },
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
    // A restore that only writes or counts keys must not turn into one that replaces the cluster.
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
