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
  "Secret with ca.crt: CA certificates to trust for the store's certificate, in addition to the public ones.",
);

const s3Encryption = object(
  {
    algorithm: enumeration(['AES256', 'aws:kms'], { description: 'AES256: keys of S3. aws:kms: a key of AWS KMS.' }),
    kmsKeyID: optional(
      string({
        description: 'ID, ARN or alias of the key of AWS KMS. Default: the key that AWS manages for S3.',
        maxLength: 2048,
      }),
    ),
    bucketKey: optional(
      bool({
        description:
          'True uses an S3 Bucket Key, so that S3 calls AWS KMS less often. Default: the setting of the bucket.',
      }),
    ),
  },
  {
    description:
      'How the store encrypts backups, their manifests and safety snapshots. A store that does not confirm this encryption is refused. Default: the setting of the bucket.',
    rules: [
      cel(
        "self.algorithm == 'aws:kms' || !(has(self.kmsKeyID) || has(self.bucketKey))",
        'kmsKeyID and bucketKey need algorithm aws:kms',
      ),
    ],
  },
);

/** @param modes what the two modes mean in this store; `needs` says what the store requires */
const objectLock = (modes: string, needs: string) =>
  object(
    {
      mode: enumeration(['Governance', 'Compliance'], { description: modes }),
      days: int32({ description: 'For how many days.', minimum: 1, maximum: 36_500 }),
    },
    {
      description: `Locks backups, their manifests and safety snapshots, so that what was stored cannot be deleted. ${needs}`,
    },
  );

const newerVersion =
  'If another object is uploaded under the same name, the old version stays, but a restore reads the new one. To prevent this, use credentials that cannot overwrite objects.';

const s3Lock = objectLock(
  'Governance: accounts with the right s3:BypassGovernanceRetention can delete locked objects. Compliance: no account can delete locked objects.',
  `${newerVersion} The bucket must have object lock enabled.`,
);

const absLock = objectLock(
  'Governance: an unlocked immutability policy, which accounts that may set policies can change or remove. Compliance: a locked one, which no account can change or remove.',
  `${newerVersion} The container must have support for version-level immutability.`,
);

const gcsLock = objectLock(
  'Governance: an unlocked retention, which accounts with the right storage.objects.overrideUnlockedRetention can change or remove. Compliance: a locked one, which no account can change or remove.',
  'Without object versioning, locked objects cannot be replaced either. The bucket must have object retention enabled.',
);

const ossEncryption = object(
  {
    algorithm: enumeration(['AES256', 'SM4', 'KMS'], {
      description: 'AES256, SM4: keys of OSS. KMS: a key of Alibaba Cloud KMS.',
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
      'How the store encrypts backups, their manifests and safety snapshots. A store that does not confirm this encryption is refused. Default: the setting of the bucket.',
    rules: [cel("self.algorithm == 'KMS' || !has(self.kmsKeyID)", 'kmsKeyID needs algorithm KMS')],
  },
);

const s3 = object(
  {
    path: objectPath(
      'Path of the backup in the store: <bucket>/<key>. Periodic backups add the revision and the time to the key.',
    ),
    awsSecret: secretName(
      'Secret with the AWS CLI files credentials and config. If they contain no access keys, the operator uses its own cloud identity if it was started with -ambient-credentials for this namespace.',
    ),
    endpoint: endpoint(
      'URL of an S3-compatible server. Default: endpoint_url in the file config of awsSecret; without one, AWS.',
    ),
    forcePathStyle: optional(
      bool({
        description:
          'True puts the bucket into the path of requests instead of the host name. Default: addressing_style in the file config of awsSecret.',
      }),
    ),
    region: optional(
      string({
        description: 'Default: region in the file config of awsSecret; without one, us-east-1.',
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
    path: objectPath('Path of the backup in the store: <container>/<key>.'),
    absSecret: secretName(
      'Secret with storage-account, storage-key and, for any cloud other than the public one, cloud.',
    ),
    storageAccount: optional(
      string({
        description:
          'Storage account, instead of absSecret: the operator uses its own cloud identity if it was started with -ambient-credentials for this namespace.',
        maxLength: 24,
      }),
    ),
    endpoint: endpoint('URL of the blob service. Default: the blob service of the storage account.'),
    caSecret,
    encryptionScope: optional(
      string({
        description:
          'Encryption scope of the storage account that the store encrypts backups with. Default: the encryption scope of the container.',
        maxLength: 63,
      }),
    ),
    objectLock: optional(absLock),
  },
  { description: 'Azure Blob Storage.', preserveUnknownFields: true },
);

const gcs = object(
  {
    path: objectPath('Path of the backup in the store: <bucket>/<key>.'),
    gcpSecret: secretName(
      'Secret with access-token or credentials.json. Without it, the operator uses its own cloud identity if it was started with -ambient-credentials for this namespace.',
    ),
    endpoint: endpoint('Default: https://storage.googleapis.com'),
    caSecret,
    kmsKeyName: optional(
      string({
        description:
          'Key of Cloud KMS that the store encrypts backups with: projects/P/locations/L/keyRings/R/cryptoKeys/K. Default: the key of the bucket.',
        maxLength: 512,
      }),
    ),
    objectLock: optional(gcsLock),
  },
  { description: 'Google Cloud Storage.', preserveUnknownFields: true },
);

const oss = object(
  {
    path: objectPath('Path of the backup in the store: <bucket>/<key>.'),
    ossSecret: secretName('Secret with accessKeyID and accessKeySecret.'),
    endpoint: endpoint('Default: https://oss-cn-hangzhou.aliyuncs.com'),
    region: optional(string({ description: 'Default: the region in the host name of the endpoint.', maxLength: 64 })),
    caSecret,
    serverSideEncryption: optional(ossEncryption),
  },
  { description: 'Alibaba Object Storage Service.', preserveUnknownFields: true },
);

const directory = object(
  {
    path: objectPath(
      "Path of the backup file, relative to the folder of this namespace in the operator's -backup-directory.",
    ),
  },
  { description: "A volume that is mounted into the operator's pod." },
);

const encryption = object(
  {
    secret: string({
      description: 'Secret with a key of 32 random bytes, or their base64, in the entry key.',
      minLength: 1,
      maxLength: 253,
    }),
  },
  {
    description:
      'Client-side encryption: backups are encrypted with AES-256-GCM before they are sent to the store. A restore needs the same key, refuses a backup that is not encrypted, and encrypts its safety snapshot.',
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
 * Rules by which the API server rejects an unknown storage type, and one without its source. The CoreOS operators crashed on both.
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
        `${source}.path is needed for ${field} ${type}`,
      );
    }),
  ];
}
