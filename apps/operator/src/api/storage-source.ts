// SPDX-License-Identifier: Apache-2.0
import { bool, cel, nullable, object, optional, string, type ValidationRule, type ValueOf } from '@etcd-operator/crd';

/** Where backups may be kept. The first four are the original's; `Directory` is a volume that is mounted into the operator. */
export const storageTypes = ['S3', 'ABS', 'GCS', 'OSS', 'Directory'] as const;

export type StorageType = (typeof storageTypes)[number];

const objectPath = (description: string) => optional(string({ description, maxLength: 2048 }));
const secretName = (description: string) => optional(string({ description, maxLength: 253 }));
const endpoint = (description: string) => optional(string({ description, maxLength: 2048 }));
const caSecret = secretName(
  'Secret with ca.crt: who may have signed the certificate of the store, besides the usual ones.',
);

const s3 = object(
  {
    path: objectPath('<bucket>/<key> of the object; periodic backups add revision and time to the key.'),
    awsSecret: secretName(
      'Secret with credentials and config, the files of the AWS command line. Without it, or for what it lacks, the environment of the operator counts: IRSA, roles of machines.',
    ),
    endpoint: endpoint('URL of a server that speaks the protocol of S3. Default: AWS.'),
    forcePathStyle: optional(bool({ description: 'The bucket in the path of requests instead of in the host name.' })),
    region: optional(string({ description: 'Default: that of config, then us-east-1.', maxLength: 64 })),
    caSecret,
  },
  { description: 'AWS S3, or a server that speaks its protocol.', preserveUnknownFields: true },
);

const abs = object(
  {
    path: objectPath('<container>/<key> of the object.'),
    absSecret: secretName('Secret with storage-account, storage-key and, if it is not the public one, cloud.'),
    endpoint: endpoint('URL of the blob service. Default: that of the account in its cloud.'),
    caSecret,
  },
  { description: 'Azure Blob Storage.', preserveUnknownFields: true },
);

const gcs = object(
  {
    path: objectPath('<bucket>/<key> of the object.'),
    gcpSecret: secretName(
      'Secret with access-token or credentials.json. Without it the default credentials of the operator count.',
    ),
    endpoint: endpoint('Default: https://storage.googleapis.com'),
    caSecret,
  },
  { description: 'Google Cloud Storage.', preserveUnknownFields: true },
);

const oss = object(
  {
    path: objectPath('<bucket>/<key> of the object.'),
    ossSecret: secretName('Secret with accessKeyID and accessKeySecret.'),
    endpoint: endpoint('Default: https://oss-cn-hangzhou.aliyuncs.com'),
    region: optional(string({ description: 'Default: the one that the endpoint names.', maxLength: 64 })),
    caSecret,
  },
  { description: 'Alibaba Object Storage Service.', preserveUnknownFields: true },
);

const directory = object(
  { path: objectPath("The file, below the folder of the object's namespace in the operator's -backup-directory.") },
  { description: 'A volume that is mounted into the operator.', preserveUnknownFields: true },
);

/** The sources, inline in the spec of EtcdBackup and EtcdRestore alike, each under its original name. */
export const storageFields = {
  s3: optional(nullable(s3)),
  abs: optional(nullable(abs)),
  gcs: optional(nullable(gcs)),
  oss: optional(nullable(oss)),
  directory: optional(nullable(directory)),
} as const;

/** The sources of a spec: at most one of them is used, the one that the storage type names. */
export interface StorageSources {
  readonly s3?: ValueOf<typeof s3> | null;
  readonly abs?: ValueOf<typeof abs> | null;
  readonly gcs?: ValueOf<typeof gcs> | null;
  readonly oss?: ValueOf<typeof oss> | null;
  readonly directory?: ValueOf<typeof directory> | null;
}

/** Which field of a spec belongs to which storage type. */
export const sourceField: Readonly<Record<StorageType, keyof StorageSources>> = {
  S3: 's3',
  ABS: 'abs',
  GCS: 'gcs',
  OSS: 'oss',
  Directory: 'directory',
};

/**
 * What the API server refuses: a storage type that nobody knows, and one without its source. The original crashed on both.
 *
 * @param field the spec's field with the storage type
 */
export function storageRules(field: 'storageType' | 'backupStorageType'): readonly ValidationRule[] {
  const known = storageTypes.map((type) => `'${type}'`).join(', ');
  return [
    cel(`self.${field} in [${known}]`, `${field} must be one of ${storageTypes.join(', ')}`, {
      fieldPath: `.${field}`,
    }),
    ...storageTypes.map((type) => {
      const source = sourceField[type];
      const given = `has(self.${source}) && has(self.${source}.path)`;
      return cel(`self.${field} != '${type}' || (${given})`, `${source}.path is needed for ${field} ${type}`);
    }),
  ];
}
