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
    last: kept('Number of newest backups to keep.'),
    hourly: kept(
      'Number of hours: the newest backup of each of these hours is kept. Hours without a backup are not counted.',
    ),
    daily: kept(
      'Number of days: the newest backup of each of these days is kept. Days without a backup are not counted.',
    ),
    weekly: kept(
      'Number of weeks: the newest backup of each of these weeks is kept. Weeks begin on Monday. Weeks without a backup are not counted.',
    ),
    monthly: kept(
      'Number of months: the newest backup of each of these months is kept. Months without a backup are not counted.',
    ),
    within: optional(
      bounded(
        duration({
          description:
            'Duration, for example 72h: every backup that is at most this much older than the newest backup is kept.',
        }),
      ),
    ),
  },
  {
    description:
      'Which periodic backups are kept. The fields `keep` and `maxBackups` cannot be set together. A backup is kept if at least one of these rules applies to it; all other backups are deleted. The field `timeZone` decides when days, weeks and months begin. The newest backup is always kept. The backup that last passed a test restore (status.lastProven) is kept, too.',
    rules: [
      cel(
        '(has(self.last) && self.last > 0) || (has(self.hourly) && self.hourly > 0) || (has(self.daily) && self.daily > 0) || (has(self.weekly) && self.weekly > 0) || (has(self.monthly) && self.monthly > 0) || has(self.within)',
        'spec.backupPolicy.keep needs at least one rule: set `last`, `hourly`, `daily`, `weekly` or `monthly` to a number above 0, or set `within` to a duration such as 72h',
      ),
    ],
  },
);

const backupPolicy = object(
  {
    timeoutInSecond: optional(
      int64({
        description:
          'Time limit for one backup, in seconds. The time to connect to etcd and to the backup store is included. Default 60.',
      }),
    ),
    backupIntervalInSecond: optional(
      int64({
        description:
          'Interval between backups, in seconds. If the interval is 0 or absent and schedule is not set, exactly one backup is taken.',
      }),
    ),
    schedule: optional(
      string({
        description:
          'Times of backups in cron syntax, for example "30 2 * * *" or @daily. schedule and backupIntervalInSecond cannot be set together.',
        maxLength: 128,
      }),
    ),
    timeZone: optional(
      string({
        description: 'IANA time zone for the fields `schedule` and `keep`, such as Europe/Berlin. Default UTC.',
        maxLength: 64,
      }),
    ),
    maxBackups: optional(
      int32({
        description:
          'Number of periodic backups to keep. Older backups are deleted. 0 or absent: all backups are kept.',
      }),
    ),
    keep: optional(keep),
  },
  {
    description: 'When backups are taken, how long one backup may take, and how many backups are kept.',
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
        'the fields `keep` and `maxBackups` cannot be set together: remove `maxBackups`, and set `keep.last` instead',
        { fieldPath: '.keep' },
      ),
      cel(
        "!(has(self.schedule) && self.schedule != '' && has(self.backupIntervalInSecond) && self.backupIntervalInSecond > 0)",
        'schedule and backupIntervalInSecond cannot be set together: remove one of these fields',
      ),
    ],
  },
);

const prove = object(
  {
    schedule: optional(
      string({
        description:
          'When to test the newest backup by restoring it, in cron syntax, for example "0 5 * * 0". The newest backup is tested even if an earlier test restore of it succeeded. The time zone is spec.backupPolicy.timeZone.',
        minLength: 1,
        maxLength: 128,
      }),
    ),
    everyNth: optional(
      int32({
        description: 'N: every Nth backup is tested by restoring it. With 1, each backup is tested.',
        minimum: 1,
        maximum: 10_000,
      }),
    ),
  },
  {
    description:
      'Tests stored backups by restoring them. In a test restore, the newest backup is downloaded from the backup store and restored into a temporary member, in a pod without a Service, with the etcd version of the cluster. The revision, HashKV, number of keys and members of this temporary member are compared with the backup. The first test restore starts immediately. Default: backups are not tested.',
    rules: [
      cel(
        'has(self.schedule) != has(self.everyNth)',
        'exactly one of the fields `schedule` and `everyNth` must be set',
      ),
    ],
  },
);

const onlySeriesRecords = cel(
  "!has(self.continuous) || (has(self.backupPolicy) && ((has(self.backupPolicy.backupIntervalInSecond) && self.backupPolicy.backupIntervalInSecond > 0) || (has(self.backupPolicy.schedule) && self.backupPolicy.schedule != '')))",
  'continuous requires periodic backups: set backupPolicy.backupIntervalInSecond or backupPolicy.schedule',
  { fieldPath: '.continuous' },
);

const onlySingleEnds = cel(
  "!has(self.ttlSecondsAfterFinished) || !has(self.backupPolicy) || ((!has(self.backupPolicy.backupIntervalInSecond) || self.backupPolicy.backupIntervalInSecond == 0) && (!has(self.backupPolicy.schedule) || self.backupPolicy.schedule == ''))",
  'ttlSecondsAfterFinished cannot be set for periodic backups, because they never finish: remove ttlSecondsAfterFinished',
  { fieldPath: '.ttlSecondsAfterFinished' },
);

const clusterOrEndpoints = cel(
  '!has(self.clusterRef) || !(has(self.etcdEndpoints) || has(self.clientTLSSecret) || has(self.auth))',
  'clusterRef cannot be set together with etcdEndpoints, clientTLSSecret or auth, because the EtcdCluster already defines them: remove these fields, or remove clusterRef',
  { fieldPath: '.clusterRef' },
);

const spec = object(
  {
    clusterRef: optional(
      object(
        {
          name: string({
            description: 'Name of the EtcdCluster, in the same namespace.',
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
    storageType: string({
      description:
        'Type of the backup store: S3, ABS (Azure Blob Storage), GCS (Google Cloud Storage), OSS (Alibaba Cloud) or Directory (a mounted volume).',
      maxLength: 64,
    }),
    backupPolicy: optional(nullable(backupPolicy)),
    clientTLSSecret: optional(
      string({
        description:
          'Name of the Secret with the client certificate for etcd: etcd-client.crt, etcd-client.key and etcd-client-ca.crt (or tls.crt, tls.key, ca.crt).',
        maxLength: 253,
      }),
    ),
    auth: optional(
      object({
        secret: string({
          description: 'Name of the Secret with username and password. Required if authentication is enabled in etcd.',
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
            'Continuous backup: records every change of keys between periodic backups. The operator watches all keys and stores a change segment every 3 seconds under <path>.changes/, with the same encryption as the backups. A change segment is kept as long as a backup from before these changes is kept. Requires an interval or a schedule in backupPolicy. Default: changes are not recorded.',
        },
      ),
    ),
    deletionPolicy: optional(
      enumeration(['Keep', 'Delete'], {
        description: 'Whether stored backups are kept or deleted when this EtcdBackup is deleted. Default Keep.',
      }),
    ),
    ttlSecondsAfterFinished: optional(
      int32({
        description:
          'Number of seconds after which this EtcdBackup is deleted, counted from the end of the backup. deletionPolicy decides whether the stored backup is deleted too. For single backups only. Default: this EtcdBackup is not deleted.',
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
  path: statusText('Path of the backup in the backup store: <bucket>/<key>.'),
  bytes: int64(),
  sha256: statusText('SHA-256 of the stored backup; if the backup is encrypted, of the encrypted backup.'),
  encryptionKeyID: optional(
    statusText('ID of the key with which the backup is encrypted. Absent if the backup is not encrypted.'),
  ),
  durationSeconds: optional(int64()),
});

const provenBackup = object({
  path: statusText('Path of the backup in the backup store: <bucket>/<key>.'),
  sha256: statusText('SHA-256 of the snapshot in the backup.'),
  backupDate: statusText('When the backup was begun.'),
  provenDate: statusText('When the test restore of the backup succeeded.'),
  etcdVersion: statusText('Version of etcd that the backup was restored with.'),
  etcdRevision: int64(),
  keys: int64({ description: 'Number of keys in the backup.' }),
  hash: int64({ description: 'HashKV of the backup at revision etcdRevision.' }),
});

const proof = object(
  {
    path: statusText('Path of the backup that is being tested by restoring it, or was tested last.'),
    dueDate: statusText('When the test restore of this backup was due.'),
    pod: optional(
      statusText(
        'Pod of the test restore of this backup. If the test restore fails, the pod is kept until the next test restore.',
      ),
    ),
    running: optional(
      bool({ description: 'True while this backup is being tested by restoring it to a temporary member.' }),
    ),
    backupsSince: optional(int32({ description: 'Number of backups made since the last test restore.' })),
    attempts: optional(
      int32({
        description:
          'Number of consecutive test restores that failed for a reason other than the backup, so that it is not known whether the backup is good.',
      }),
    ),
    nextAttemptDate: optional(statusText('When the test restore is retried.')),
  },
  { description: 'The test restore that is in progress, or the last one.' },
);

const recoveryPoint = object(
  {
    revision: int64({ description: 'The last etcd revision that is stored.' }),
    time: statusText(
      'The continuous backup has stored all changes of keys before this time. While no key changes, this time is updated once a minute.',
    ),
  },
  {
    description:
      'Newest state of the cluster that can be restored from the stored backups and the change segments of the continuous backup. Set only with spec.continuous.',
  },
);

const progress = object({
  object: optional(statusText('Name of the object in the backup store to which the backup is being written.')),
  startTime: statusText(),
  reportTime: optional(statusText('When bytes, bytesPerSecond and percent were last updated.')),
  bytes: optional(int64({ description: 'Number of bytes that were read from etcd so far.' })),
  bytesPerSecond: optional(int64()),
  percent: optional(int32()),
});

const status = object(
  {
    succeeded: optional(bool({ description: 'True if the last backup attempt succeeded.' })),
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
            'Names of the objects that failed backups left in the backup store. These objects and their unfinished uploads could not be deleted. Event LeftoversKept says why. The operator tries to delete them again before the next backup.',
          maxItems: 64,
        }),
      ),
    ),
    observedGeneration: optional(
      int64({
        description:
          'The metadata.generation of this object that an operator has last processed or refused. -1: no operator has processed this object yet.',
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
