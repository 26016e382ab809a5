// SPDX-License-Identifier: Apache-2.0
import {
  bool,
  cel,
  defineKind,
  enumeration,
  int32,
  int64,
  type KindOf,
  list,
  nullable,
  object,
  optional,
  string,
} from '@etcd-operator/crd';
import { conditionList } from './condition-schema.ts';
import { group } from './names.ts';
import { storageFields, storageRules } from './storage-source.ts';

const backupPolicy = object(
  {
    timeoutInSecond: optional(
      int64({ description: 'How long one backup may take, from the first connection to the last. Default 60.' }),
    ),
    backupIntervalInSecond: optional(
      int64({ description: 'More than 0: a backup every so often. 0 or absent, and no schedule: one backup.' }),
    ),
    schedule: optional(
      string({
        description: 'Backups at these times, as cron writes them: "30 2 * * *", @daily. Instead of an interval.',
        maxLength: 128,
      }),
    ),
    timeZone: optional(string({ description: 'IANA name that schedule is meant in. Default UTC.', maxLength: 64 })),
    maxBackups: optional(int32({ description: 'How many periodic backups are kept, the newest. 0 or absent: all.' })),
  },
  {
    description: 'When, how long and how many.',
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
        "!(has(self.schedule) && self.schedule != '' && has(self.backupIntervalInSecond) && self.backupIntervalInSecond > 0)",
        'schedule and backupIntervalInSecond exclude each other',
      ),
    ],
  },
);

const spec = object(
  {
    etcdEndpoints: optional(
      nullable(
        list(string({ maxLength: 2048 }), {
          description:
            'URLs of members. The one with the highest revision is used; those that do not answer are passed over.',
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
    deletionPolicy: optional(
      enumeration(['Keep', 'Delete'], {
        description: 'What becomes of stored backups when this object is deleted. Default Keep.',
      }),
    ),
    ...storageFields,
  },
  { preserveUnknownFields: true, rules: [...storageRules('storageType')] },
);

const storedBackup = object({
  path: string({ description: '<bucket>/<key> of the object.' }),
  bytes: int64(),
  sha256: string({ description: 'SHA-256 of the whole object.' }),
  durationSeconds: optional(int64()),
});

const progress = object({
  object: optional(string({ description: 'Key of the object that is being written.' })),
  startTime: string(),
  reportTime: optional(string({ description: 'When the figures below were written.' })),
  bytes: optional(int64({ description: 'Read from etcd so far.' })),
  bytesPerSecond: optional(int64()),
  percent: optional(int32()),
});

const status = object(
  {
    succeeded: optional(bool({ description: 'The last try made a backup.' })),
    Reason: optional(string({ description: 'Why the last try failed.' })),
    etcdVersion: optional(string()),
    etcdRevision: optional(int64({ description: 'Revision of the store in the last backup.' })),
    lastSuccessDate: optional(nullable(string({ description: 'When the last backup was begun.' }))),
    lastExecutionDate: optional(nullable(string({ description: 'When the last try was begun.' }))),
    lastScheduleDate: optional(nullable(string({ description: 'The time that the last backup was due.' }))),
    nextScheduleDate: optional(nullable(string({ description: 'When the next backup is due.' }))),
    attempts: optional(int32({ description: 'Tries in a row that failed.' })),
    nextAttemptDate: optional(nullable(string({ description: 'When it is tried again.' }))),
    lastBackup: optional(nullable(storedBackup)),
    progress: optional(nullable(progress)),
    observedGeneration: optional(int64()),
    conditions: optional(nullable(conditionList)),
  },
  { preserveUnknownFields: true },
);

/** `EtcdBackup` of `etcd.database.coreos.com/v1beta2`: every field of the original, under its exact name, and our additions. */
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
    { name: 'Reason', type: 'string', path: '.status.Reason', priority: 1 },
    { name: 'Age', type: 'date', path: '.metadata.creationTimestamp' },
  ],
});

/** One backup or a series of them, as asked for and as reported. */
export type EtcdBackup = KindOf<typeof etcdBackups>;
export type EtcdBackupSpec = NonNullable<EtcdBackup['spec']>;
export type EtcdBackupStatus = NonNullable<EtcdBackup['status']>;
