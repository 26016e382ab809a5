// SPDX-License-Identifier: Apache-2.0
import {
  bool,
  cel,
  choice,
  defineKind,
  duration,
  enumeration,
  int64,
  type KindOf,
  list,
  nullable,
  object,
  optional,
  string,
} from '@etcd-operator/crd';
import { conditionList } from './condition-schema.ts';
import { clusterSpec } from './etcd-cluster.ts';
import { group } from './names.ts';
import { storageFields, storageRules } from './storage-source.ts';

const spec = object(
  {
    backupStorageType: string({ description: 'S3, ABS, GCS, OSS or Directory.', maxLength: 32 }),
    etcdCluster: object(
      { name: string({ description: 'The EtcdCluster, in the same namespace.', maxLength: 253 }) },
      { description: 'What is restored. It need not exist any more, nor yet.', preserveUnknownFields: true },
    ),
    ...storageFields,
    // Used if there is no EtcdCluster. Without it size, version and volume size come from the manifest, the rest is default.
    clusterSpec: optional(nullable(clusterSpec)),
    safetySnapshot: optional(
      choice(['Required', 'IfPossible', true, false], {
        description:
          'Whether a snapshot of the present data is stored beside the backup before the new incarnation is created. Required (default, the same as true): the restore fails and changes nothing if no current snapshot can be taken while an old pod is Ready, or an old volume or pod may hold data that is not saved. IfPossible: the restore goes on without it. false: none is taken. Old volumes are kept in every case; data that is only in pods is lost.',
      }),
    ),
    oldVolumes: optional(
      object(
        {
          retention: optional(
            duration({
              description:
                'How long after the restore succeeded the volumes of the previous incarnation are kept, as long as the EtcdRestore exists. Default: until somebody deletes them.',
            }),
          ),
        },
        {
          description: 'What becomes of the volumes of the previous incarnation. They are listed in status.oldVolumes.',
        },
      ),
    ),
    requireManifest: optional(bool({ description: 'Refuses a backup without a manifest that fits it.' })),
    acceptForeign: optional(
      bool({ description: 'Takes a backup whose manifest names another cluster than the one that is there.' }),
    ),
    acceptWithoutHash: optional(
      bool({
        description:
          'Takes a file without a hash at its end, such as a copied member/snap/db: nothing shows it is whole.',
      }),
    ),
    revisionBump: optional(
      int64({
        description:
          'By how much revisions are raised, so that watches and caches of clients notice that history was rewritten. Default 1000000000; 0 keeps the revisions of the backup.',
        minimum: 0,
        maximum: 1_000_000_000_000_000,
      }),
    ),
    timeout: optional(
      duration({
        description:
          'How long the restored member may take to serve before everything is put back as it was. Default 1h.',
      }),
    ),
  },
  { preserveUnknownFields: true, rules: [...storageRules('backupStorageType')] },
);

/** In this order, but for the last two. */
export const restorePhases = [
  'Verifying',
  'Preparing',
  'Fencing',
  'SavingPresent',
  'Seeding',
  'Growing',
  'CleaningUp',
  'Succeeded',
  'RollingBack',
  'Failed',
] as const;

export type RestorePhaseName = (typeof restorePhases)[number];

const source = object({
  generation: int64({ description: 'The generation of the spec that it belongs to.' }),
  path: string(),
  bytes: int64(),
  sha256: optional(string({ description: 'Of the whole object; absent while verified is Pending.' })),
  revision: int64({ description: 'The newest revision in it.' }),
  newestEntry: optional(
    int64({ description: 'The revision of its newest entry, where compaction has removed all newer ones.' }),
  ),
  storageVersion: optional(string({ description: 'The format it is in; from 3.6 on.' })),
  authEnabled: bool(),
  verified: enumeration(['Manifest', 'Embedded', 'Nothing', 'Pending'], {
    description:
      'What its bytes were compared with: the manifest beside it, the hash at its end, or nothing. Pending: into a cluster that does not exist yet they are compared on their way to its first member, before that serves.',
  }),
  cluster: optional(
    object(
      { name: string(), size: int64(), version: string(), storage: optional(string()) },
      { description: 'Of the manifest: whose backup it is.' },
    ),
  ),
});

const status = object(
  {
    succeeded: bool({ description: 'True once the restored cluster is available at its size.' }),
    reason: optional(string({ description: 'Why it failed, or what it waits for.' })),
    phase: optional(enumeration(restorePhases)),
    observedGeneration: optional(int64()),
    startedAt: optional(string()),
    completedAt: optional(string()),
    source: optional(source),
    bytesVerified: optional(int64()),
    bytesDelivered: optional(int64()),
    incarnation: optional(int64({ description: 'The life of the cluster that it brings.' })),
    revision: optional(int64({ description: 'The revision that the restored member began with.' })),
    clusterID: optional(string()),
    safetySnapshot: optional(
      object({
        generation: optional(int64({ description: 'The generation of the spec that it was kept for.' })),
        path: optional(string()),
        revision: optional(
          int64({ description: 'The highest revision that the old members were at, also if no snapshot was taken.' }),
        ),
        bytes: optional(int64()),
        current: optional(
          bool({
            description:
              'True if the saved member had a quorum: nothing that was acknowledged before is missing. False: other members may have held more.',
          }),
        ),
        members: optional(
          list(string({ maxLength: 253 }), {
            description: 'Pods of the members that are known to have held nothing beyond it.',
          }),
        ),
        warning: optional(string({ description: 'What is to be known of a snapshot that is not current.' })),
        skipped: optional(string({ description: 'Why there is none.' })),
      }),
    ),
    oldVolumes: optional(
      object(
        {
          names: list(string({ maxLength: 253 })),
          delete: string({ description: 'The command that deletes them.' }),
          deletedAt: optional(string({ description: 'When spec.oldVolumes.retention ends. Absent: never.' })),
        },
        { description: 'PersistentVolumeClaims of the previous incarnation, which this restore has kept.' },
      ),
    ),
    failure: optional(object({ generation: int64(), message: string() })),
    conditions: optional(nullable(conditionList)),
  },
  { preserveUnknownFields: true },
);

/** `EtcdRestore` of `etcd.database.coreos.com/v1beta2`: every field of the original, under its exact name, and our additions. */
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
      'the cluster that a restore has begun with stays the one it is for: make another EtcdRestore',
      { fieldPath: '.spec.etcdCluster.name' },
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
