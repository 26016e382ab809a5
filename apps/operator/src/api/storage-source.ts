// SPDX-License-Identifier: Apache-2.0
import {
  bool,
  cel,
  enumeration,
  int32,
  nullable,
  object,
  optional,
  string,
  type ValidationRule,
  type ValueOf,
} from '@operator-parts/crd';

/** Types of storage for backups. The first four are from CoreOS; `Directory` is a volume that is mounted into the operator. */
export const storageTypes = ['S3', 'ABS', 'GCS', 'OSS', 'Directory'] as const;

export type StorageType = (typeof storageTypes)[number];

const objectPath = (description: string) => optional(string({ description, maxLength: 2048 }));
const secretName = (description: string) => optional(string({ description, maxLength: 253 }));
const endpoint = (description: string) => optional(string({ description, maxLength: 2048 }));
const caSecret = secretName(
  'Name of the Secret with ca.crt: CA certificates that the operator trusts for connections to the backup store, in addition to public CA certificates.',
);

const s3Encryption = object(
  {
    algorithm: enumeration(['AES256', 'aws:kms'], {
      description: 'AES256: S3 manages the encryption keys (SSE-S3). aws:kms: a key of AWS KMS is used (SSE-KMS).',
    }),
    kmsKeyID: optional(
      string({
        description: 'ID, ARN or alias of the AWS KMS key. Default: the key that AWS manages for S3.',
        maxLength: 2048,
      }),
    ),
    bucketKey: optional(
      bool({
        description:
          'True: S3 uses an S3 Bucket Key and so calls AWS KMS less often. Default: the setting of the bucket.',
      }),
    ),
  },
  {
    description:
      'Server-side encryption: how the backup store encrypts backups, their manifests and safety snapshots. If the backup store does not confirm this encryption, the backup fails. Default: the setting of the bucket.',
    rules: [
      cel(
        "self.algorithm == 'aws:kms' || !(has(self.kmsKeyID) || has(self.bucketKey))",
        'kmsKeyID and bucketKey can only be set if algorithm is aws:kms',
      ),
    ],
  },
);

/** @param modes what the two modes mean in this backup store; `needs` says what the backup store requires */
const objectLock = (modes: string, needs: string) =>
  object(
    {
      mode: enumeration(['Governance', 'Compliance'], { description: modes }),
      days: int32({ description: 'Number of days for which objects are locked.', minimum: 1, maximum: 36_500 }),
    },
    {
      description: `Locks backups, their manifests and safety snapshots in the backup store for a number of days, so that they cannot be deleted earlier. ${needs}`,
    },
  );

const newerVersion =
  'If another object is uploaded under the same name, the locked version is kept, but a restore reads the newer version. To prevent this, use credentials that cannot overwrite objects.';

const s3Lock = objectLock(
  'Governance: accounts with the permission s3:BypassGovernanceRetention can delete locked objects. Compliance: no account can delete locked objects.',
  `${newerVersion} The bucket must have object lock enabled.`,
);

const absLock = objectLock(
  'Governance: an unlocked immutability policy; accounts with the permission to set such policies can change or remove it. Compliance: a locked immutability policy; no account can change or remove it.',
  `${newerVersion} The container must have support for version-level immutability.`,
);

const gcsLock = objectLock(
  'Governance: an unlocked retention; accounts with the permission storage.objects.overrideUnlockedRetention can change or remove it. Compliance: a locked retention; no account can change or remove it.',
  'If object versioning is disabled for the bucket, locked objects cannot be overwritten either. The bucket must have object retention enabled.',
);

const ossEncryption = object(
  {
    algorithm: enumeration(['AES256', 'SM4', 'KMS'], {
      description: 'AES256 and SM4: OSS manages the encryption keys. KMS: a key of Alibaba Cloud KMS is used.',
    }),
    kmsKeyID: optional(
      string({
        description: 'ID of the key of Alibaba Cloud KMS. Default: the key that KMS manages for OSS.',
        maxLength: 256,
      }),
    ),
  },
  {
    description:
      'Server-side encryption: how the backup store encrypts backups, their manifests and safety snapshots. If the backup store does not confirm this encryption, the backup fails. Default: the setting of the bucket.',
    rules: [cel("self.algorithm == 'KMS' || !has(self.kmsKeyID)", 'kmsKeyID can only be set if algorithm is KMS')],
  },
);

const s3 = object(
  {
    path: objectPath(
      'Path of the backup in the backup store: <bucket>/<key>. Periodic backups add the revision and the time to the end of the path.',
    ),
    awsSecret: secretName(
      'Name of the Secret with the AWS CLI files credentials and config. If these files contain no access keys, the operator uses its own cloud identity. This requires flag -ambient-credentials for this namespace.',
    ),
    endpoint: endpoint(
      'URL of an S3-compatible server. Default: endpoint_url in the file config of awsSecret. If that is not set either, AWS is used.',
    ),
    forcePathStyle: optional(
      bool({
        description:
          'True: the name of the bucket is in the path of request URLs, not in their host name (path-style addressing). Default: addressing_style in the file config of awsSecret.',
      }),
    ),
    region: optional(
      string({
        description:
          'Region of the bucket. Default: region in the file config of awsSecret. If that is not set either, us-east-1.',
        maxLength: 64,
      }),
    ),
    caSecret,
    serverSideEncryption: optional(s3Encryption),
    objectLock: optional(s3Lock),
  },
  { description: 'AWS S3, or an S3-compatible server.', preserveUnknownFields: true },
);

const abs = object(
  {
    path: objectPath('Path of the backup in the backup store: <container>/<key>.'),
    absSecret: secretName(
      'Name of the Secret with storage-account and storage-key. For an Azure cloud other than the public cloud, the Secret also needs the entry cloud.',
    ),
    storageAccount: optional(
      string({
        description:
          'Name of the storage account. Use this instead of absSecret if the operator uses its own cloud identity. This requires flag -ambient-credentials for this namespace.',
        maxLength: 24,
      }),
    ),
    endpoint: endpoint('URL of the blob service. Default: the blob service of the storage account.'),
    caSecret,
    encryptionScope: optional(
      string({
        description:
          'Encryption scope of the storage account with which the backup store encrypts backups. Default: the encryption scope of the container.',
        maxLength: 63,
      }),
    ),
    objectLock: optional(absLock),
  },
  { description: 'Azure Blob Storage.', preserveUnknownFields: true },
);

const gcs = object(
  {
    path: objectPath('Path of the backup in the backup store: <bucket>/<key>.'),
    gcpSecret: secretName(
      'Name of the Secret with access-token or credentials.json. If no Secret is set, the operator uses its own cloud identity. This requires flag -ambient-credentials for this namespace.',
    ),
    endpoint: endpoint('Default: https://storage.googleapis.com'),
    caSecret,
    kmsKeyName: optional(
      string({
        description:
          'Cloud KMS key with which the backup store encrypts backups: projects/P/locations/L/keyRings/R/cryptoKeys/K. Default: the key of the bucket.',
        maxLength: 512,
      }),
    ),
    objectLock: optional(gcsLock),
  },
  { description: 'Google Cloud Storage.', preserveUnknownFields: true },
);

const oss = object(
  {
    path: objectPath('Path of the backup in the backup store: <bucket>/<key>.'),
    ossSecret: secretName('Secret with accessKeyID and accessKeySecret.'),
    endpoint: endpoint('Default: https://oss-cn-hangzhou.aliyuncs.com'),
    region: optional(
      string({
        description: 'Region of the bucket. Default: the region in the host name of the endpoint.',
        maxLength: 64,
      }),
    ),
    caSecret,
    serverSideEncryption: optional(ossEncryption),
  },
  { description: 'Alibaba Object Storage Service.', preserveUnknownFields: true },
);

const directory = object(
  {
    path: objectPath(
      "Path of the backup file, relative to the folder of this namespace in the directory of the operator's flag -backup-directory.",
    ),
  },
  { description: "A directory on a volume that is mounted into the operator's pod." },
);

const encryption = object(
  {
    secret: string({
      description:
        'Name of the Secret whose entry `key` holds the encryption key: 32 random bytes, or their base64 encoding.',
      minLength: 1,
      maxLength: 253,
    }),
  },
  {
    description:
      'Client-side encryption: backups are encrypted with AES-256-GCM before they are sent to the backup store. A restore needs the same key. A restore with this setting refuses a backup that is not encrypted, and encrypts its safety snapshot.',
  },
);

/** How backups are encrypted, according to a spec. */
export type SpecEncryption = ValueOf<typeof encryption>;

/** The storage sources, inline in the specs of EtcdBackup and EtcdRestore, with the names that CoreOS gave them. */
export const storageFields = {
  s3: optional(nullable(s3)),
  abs: optional(nullable(abs)),
  gcs: optional(nullable(gcs)),
  oss: optional(nullable(oss)),
  directory: optional(nullable(directory)),
  encryption: optional(encryption),
} as const;

/** The storage sources of a spec. Only the one that the storage type names is used. */
export interface StorageSources {
  readonly s3?: ValueOf<typeof s3> | null;
  readonly abs?: ValueOf<typeof abs> | null;
  readonly gcs?: ValueOf<typeof gcs> | null;
  readonly oss?: ValueOf<typeof oss> | null;
  readonly directory?: ValueOf<typeof directory> | null;
}

/** The spec field of each storage type. */
export const sourceField: Readonly<Record<StorageType, keyof StorageSources>> = {
  S3: 's3',
  ABS: 'abs',
  GCS: 'gcs',
  OSS: 'oss',
  Directory: 'directory',
};

/**
 * Rules by which the API server rejects an unknown storage type, and a storage type whose source is missing. The CoreOS operators crashed
 * in both cases.
 *
 * @param field the spec's field with the storage type
 * @param insteadOf a CEL condition for a source that needs no store; if it is true, the field may be absent
 */
export function storageRules(
  field: 'storageType' | 'backupStorageType',
  insteadOf?: string,
): readonly ValidationRule[] {
  const known = storageTypes.map((type) => `'${type}'`).join(', ');
  const isKnown = `self.${field} in [${known}]`;
  const isAbsent = insteadOf === undefined ? '' : `!has(self.${field}) || `;
  return [
    cel(
      insteadOf === undefined ? isKnown : `(${insteadOf}) || (has(self.${field}) && ${isKnown})`,
      `${field} must be one of ${storageTypes.join(', ')}`,
      { fieldPath: `.${field}` },
    ),
    ...storageTypes.map((type) => {
      const source = sourceField[type];
      const given = `has(self.${source}) && has(self.${source}.path)`;
      return cel(
        `${isAbsent}self.${field} != '${type}' || (${given})`,
        `${source}.path is required if ${field} is ${type}`,
      );
    }),
  ];
}
