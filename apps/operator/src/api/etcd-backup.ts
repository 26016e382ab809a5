// SPDX-License-Identifier: Apache-2.0
import {
  bool,
  cel,
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
import { bounded, statusText } from './bounds.ts';
import { conditionList } from './condition-schema.ts';
import { group } from './names.ts';
import { unseenStatus } from './status/unseen-status.ts';
import { storageFields, storageRules } from './storage-source.ts';

const mostKept = 10_000;
const kept = (description: string) => optional(int32({ description, minimum: 0, maximum: mostKept }));

const keep = object(
  {
    last: kept('Keeps this number of the newest backups.'),
    hourly: kept(
      'Keeps the newest backup of each hour, for this number of hours. Hours without a backup do not count.',
    ),
    daily: kept('Keeps the newest backup of each day, for this number of days. Days without a backup do not count.'),
    weekly: kept(
      'Keeps the newest backup of each week, for this number of weeks. Weeks begin on Monday; weeks without a backup do not count.',
    ),
    monthly: kept(
      'Keeps the newest backup of each month, for this number of months. Months without a backup do not count.',
    ),
    within: optional(
      bounded(
        duration({
          description: 'Keeps backups that are at most this much older than the newest one, for example 72h.',
        }),
      ),
    ),
  },
  {
    description:
      'Which periodic backups to keep, instead of maxBackups. A backup is kept if at least one of these rules keeps it; all others are deleted. Days, weeks and months are those of timeZone. The backup just made and the backup last proven are always kept.',
    rules: [
      cel(
        '(has(self.last) && self.last > 0) || (has(self.hourly) && self.hourly > 0) || (has(self.daily) && self.daily > 0) || (has(self.weekly) && self.weekly > 0) || (has(self.monthly) && self.monthly > 0) || has(self.within)',
        'at least one rule of keep must be above 0',
      ),
    ],
  },
);

const backupPolicy = object(
  {
    timeoutInSecond: optional(
      int64({ description: 'Time limit for one backup, in seconds, including all its connections. Default 60.' }),
    ),
    backupIntervalInSecond: optional(
      int64({
        description:
          'Interval between backups, in seconds. Without an interval (0 or absent) and without a schedule, one backup is taken.',
      }),
    ),
    schedule: optional(
      string({
        description:
          'Times of backups in cron syntax, for example "30 2 * * *" or @daily. Use either this or an interval.',
        maxLength: 128,
      }),
    ),
    timeZone: optional(string({ description: 'IANA time zone of schedule and keep. Default UTC.', maxLength: 64 })),
    maxBackups: optional(
      int32({ description: 'Number of periodic backups to keep; the oldest are deleted. 0 or absent: all are kept.' }),
    ),
    keep: optional(keep),
  },
  {
    description: 'Schedule, time limit and number of backups.',
    preserveUnknownFields: true,
    rules: [
      cel(
        '!has(self.backupIntervalInSecond) || self.backupIntervalInSecond >= 0',
        'backupIntervalInSecond must not be negative',
        { fieldPath: '.backupIntervalInSecond' },
      ),
      cel('!has(self.maxBackups) || self.maxBackups >= 0', 'maxBackups must not be negative', {
        fieldPath: '.maxBackups',
      }),
      cel(
        '!(has(self.keep) && has(self.maxBackups) && self.maxBackups > 0)',
        'keep and maxBackups cannot be set together: use keep.last',
        { fieldPath: '.keep' },
      ),
      cel(
        "!(has(self.schedule) && self.schedule != '' && has(self.backupIntervalInSecond) && self.backupIntervalInSecond > 0)",
        'schedule and backupIntervalInSecond cannot be set together',
      ),
    ],
  },
);

const prove = object(
  {
    schedule: optional(
      string({
        description:
          'When to prove the newest backup (to restore it as a test), in cron syntax, for example "0 5 * * 0". A backup that was proven before is proven again. Times are those of backupPolicy.timeZone.',
        minLength: 1,
        maxLength: 128,
      }),
    ),
    everyNth: optional(
      int32({
        description: 'Proves every Nth backup; 1 proves each backup.',
        minimum: 1,
        maximum: 10_000,
      }),
    ),
  },
  {
    description:
      'Proves stored backups by restoring them: the newest is fetched from the store and restored into a temporary member, in a pod without a Service, with the etcd version of the cluster. Its revision, HashKV, number of keys and members are compared with what the backup holds. The first time is at once. Default: backups are not proven.',
    rules: [cel('has(self.schedule) != has(self.everyNth)', 'either schedule or everyNth must be set')],
  },
);

const onlySeriesRecords = cel(
  "!has(self.continuous) || (has(self.backupPolicy) && ((has(self.backupPolicy.backupIntervalInSecond) && self.backupPolicy.backupIntervalInSecond > 0) || (has(self.backupPolicy.schedule) && self.backupPolicy.schedule != '')))",
  'continuous is for periodic backups only: set backupPolicy.backupIntervalInSecond or backupPolicy.schedule',
  { fieldPath: '.continuous' },
);

const onlySingleEnds = cel(
  "!has(self.ttlSecondsAfterFinished) || !has(self.backupPolicy) || ((!has(self.backupPolicy.backupIntervalInSecond) || self.backupPolicy.backupIntervalInSecond == 0) && (!has(self.backupPolicy.schedule) || self.backupPolicy.schedule == ''))",
  'ttlSecondsAfterFinished is for single backups only: periodic backups do not finish',
  { fieldPath: '.ttlSecondsAfterFinished' },
);

const clusterOrEndpoints = cel(
  '!has(self.clusterRef) || !(has(self.etcdEndpoints) || has(self.clientTLSSecret) || has(self.auth))',
  'clusterRef takes endpoints, certificates and login from the EtcdCluster: remove etcdEndpoints, clientTLSSecret and auth, or clusterRef',
  { fieldPath: '.clusterRef' },
);

const spec = object(
  {
    clusterRef: optional(
      object(
        {
          name: string({
            description: 'The EtcdCluster, in the same namespace.',
            minLength: 1,
            maxLength: 253,
          }),
        },
        {
          description:
            'The EtcdCluster to back up. The operator connects to the members of this EtcdCluster, with the certificates and the login in the spec of the EtcdCluster. Use this instead of etcdEndpoints, clientTLSSecret and auth.',
        },
      ),
    ),
    etcdEndpoints: optional(
      nullable(
        list(string({ maxLength: 2048 }), {
          description:
            'Client URLs of members, or of a Service. The snapshot is taken from the member with the highest revision; members that do not respond are skipped. An operator that manages several namespaces connects only to pods and Services in the namespace of this EtcdBackup, unless the operator was started with -allow-etcd-endpoints.',
          maxItems: 64,
        }),
      ),
    ),
    storageType: string({ description: 'S3, ABS, GCS, OSS or Directory.', maxLength: 64 }),
    backupPolicy: optional(nullable(backupPolicy)),
    clientTLSSecret: optional(
      string({
        description:
          'Secret with etcd-client.crt, etcd-client.key and etcd-client-ca.crt (or tls.crt, tls.key, ca.crt).',
        maxLength: 253,
      }),
    ),
    auth: optional(
      object({
        secret: string({
          description: 'Secret with username and password for a cluster whose authentication is enabled.',
          maxLength: 253,
        }),
      }),
    ),
    prove: optional(prove),
    continuous: optional(
      object(
        {},
        {
          description:
            'Records every change between periodic backups: all keys are watched, and what changes is stored every 3 seconds under <path>.changes/, encrypted as the backups are. Changes are kept as long as a backup that was made before them is kept. Only with an interval or a schedule in backupPolicy. Default: changes are not recorded.',
        },
      ),
    ),
    deletionPolicy: optional(
      enumeration(['Keep', 'Delete'], {
        description: 'Whether stored backups are kept or deleted when this object is deleted. Default Keep.',
      }),
    ),
    ttlSecondsAfterFinished: optional(
      int32({
        description:
          'How long after the backup was made this object is deleted. The stored backup is then kept or deleted as deletionPolicy says. For single backups only. Default: this object is not deleted.',
        minimum: 0,
      }),
    ),
    ...storageFields,
  },
  {
    preserveUnknownFields: true,
    rules: [...storageRules('storageType'), clusterOrEndpoints, onlySingleEnds, onlySeriesRecords],
  },
);

const storedBackup = object({
  path: statusText('Path of the backup in the store: <bucket>/<key>.'),
  bytes: int64(),
  sha256: statusText('SHA-256 of the backup as it is stored.'),
  encryptionKeyID: optional(
    statusText('Identifies the key that the backup was encrypted with. Absent: the backup is not encrypted.'),
  ),
  durationSeconds: optional(int64()),
});

const provenBackup = object({
  path: statusText('Path of the backup in the store: <bucket>/<key>.'),
  sha256: statusText('SHA-256 of the snapshot in the backup.'),
  backupDate: statusText('When the backup was begun.'),
  provenDate: statusText('When the backup was proven.'),
  etcdVersion: statusText('Version of etcd that the backup was restored with.'),
  etcdRevision: int64(),
  keys: int64({ description: 'Number of keys in the backup.' }),
  hash: int64({ description: 'HashKV at that revision.' }),
});

const proof = object(
  {
    path: statusText('Path of the backup that is being proven (restored as a test) or was proven last.'),
    dueDate: statusText('When the proof of this backup was due.'),
    pod: optional(
      statusText(
        'Pod in which this backup is or was restored as a test. If the proof failed, the pod is kept until the next proof.',
      ),
    ),
    running: optional(bool({ description: 'True while this backup is being proven.' })),
    backupsSince: optional(int32({ description: 'Number of backups made since the last proof.' })),
    attempts: optional(int32({ description: 'Number of consecutive attempts that could not prove a backup.' })),
    nextAttemptDate: optional(statusText('When the proof is retried.')),
  },
  { description: 'The last proof of a backup.' },
);

const recoveryPoint = object(
  {
    revision: int64({ description: 'The last revision of etcd that is stored.' }),
    time: statusText(
      'Every change before this time is stored. While nothing changes, this time is updated once a minute.',
    ),
  },
  {
    description:
      'The newest state that can be recovered from the stored backups and changes. Only with spec.continuous.',
  },
);

const progress = object({
  object: optional(statusText('Key of the backup that is being written.')),
  startTime: statusText(),
  reportTime: optional(statusText('When bytes, bytesPerSecond and percent were last updated.')),
  bytes: optional(int64({ description: 'Bytes read from etcd so far.' })),
  bytesPerSecond: optional(int64()),
  percent: optional(int32()),
});

const status = object(
  {
    succeeded: optional(bool({ description: 'True if the last attempt made a backup.' })),
    Reason: optional(statusText('Why the last attempt failed.')),
    etcdVersion: optional(statusText()),
    etcdRevision: optional(int64({ description: 'etcd revision of the last backup.' })),
    lastSuccessDate: optional(nullable(statusText('When the last successful backup began.'))),
    lastExecutionDate: optional(nullable(statusText('When the last attempt began.'))),
    lastScheduleDate: optional(nullable(statusText('When the last backup was due.'))),
    nextScheduleDate: optional(nullable(statusText('When the next backup is due.'))),
    attempts: optional(int32({ description: 'Number of consecutive failed attempts.' })),
    nextAttemptDate: optional(nullable(statusText('When the backup is retried.'))),
    lastBackup: optional(nullable(storedBackup)),
    lastProven: optional(nullable(provenBackup)),
    proof: optional(nullable(proof)),
    recoveryPoint: optional(nullable(recoveryPoint)),
    progress: optional(nullable(progress)),
    leftovers: optional(
      nullable(
        list(string({ maxLength: 1100 }), {
          description:
            'Keys of objects and unfinished uploads of failed attempts that could not be deleted from the store; event LeftoversKept says why. Deletion is retried before the next backup.',
          maxItems: 64,
        }),
      ),
    ),
    observedGeneration: optional(
      int64({
        description:
          'The metadata.generation that was acted upon or refused; -1 before an operator has seen the object.',
      }),
    ),
    conditions: optional(nullable(conditionList)),
  },
  { preserveUnknownFields: true, default: unseenStatus },
);

/** `EtcdBackup` of `etcd.database.coreos.com/v1beta2`: every field of CoreOS etcd-operator under its exact name, plus our own fields. */
export const etcdBackups = defineKind({
  group,
  version: 'v1beta2',
  kind: 'EtcdBackup',
  plural: 'etcdbackups',
  singular: 'etcdbackup',
  scope: 'Namespaced',
  spec,
  status,
  columns: [
    { name: 'Succeeded', type: 'boolean', path: '.status.succeeded' },
    { name: 'Revision', type: 'integer', path: '.status.etcdRevision' },
    { name: 'Last', type: 'date', path: '.status.lastSuccessDate' },
    { name: 'Proven', type: 'date', path: '.status.lastProven.provenDate', priority: 1 },
    { name: 'Reason', type: 'string', path: '.status.Reason', priority: 1 },
    { name: 'Age', type: 'date', path: '.metadata.creationTimestamp' },
  ],
});

/** One backup or a series of backups: spec and status. */
export type EtcdBackup = KindOf<typeof etcdBackups>;
export type EtcdBackupSpec = NonNullable<EtcdBackup['spec']>;
export type EtcdBackupStatus = NonNullable<EtcdBackup['status']>;
