// SPDX-License-Identifier: Apache-2.0
import {
  type AzureOptions,
  areS3CredentialsAmbient,
  azureOptionsFromSecret,
  gcsCredentialsFromSecret,
  isBlobError,
  ossCredentialsFromSecret,
  type StoreOptions,
  s3CredentialsFromSecret,
} from '@operator-parts/blob';
import type { StorageSources } from '../api/storage-source.ts';
import { checkAmbient } from './ambient-credentials.ts';
import type { StorageRequest, StorageSettings } from './open-store.ts';
import type { ReadSecret, SecretData } from './secret-reader.ts';
import { StorageError } from './storage-error.ts';
import type { StoragePlace } from './storage-place.ts';

/** The options of a store, from the source in the spec and from the Secrets that it names. */
export function storeOptions(
  { type, bucket }: StoragePlace,
  { sources, namespace, readSecret }: StorageRequest,
  settings: StorageSettings,
): Promise<StoreOptions> {
  const context = { bucket, namespace, readSecret, settings };
  switch (type) {
    case 'S3':
      return s3Options(sources.s3 ?? {}, context);
    case 'ABS':
      return absOptions(sources.abs ?? {}, context);
    case 'GCS':
      return gcsOptions(sources.gcs ?? {}, context);
    case 'OSS':
      return ossOptions(sources.oss ?? {}, context);
    case 'Directory':
      return directoryOptions(context);
  }
}

type AzureAccount = Pick<AzureOptions, 'account' | 'credentials' | 'cloud'>;

type Source<Field extends keyof StorageSources> = NonNullable<StorageSources[Field]>;

interface Context {
  readonly bucket: string;
  readonly namespace: string;
  readonly readSecret: ReadSecret;
  readonly settings: StorageSettings;
}

async function s3Options(source: Source<'s3'>, context: Context): Promise<StoreOptions> {
  const { awsSecret, forcePathStyle, region, serverSideEncryption, objectLock } = source;
  const credentials = awsSecret
    ? s3CredentialsFromSecret(await named(context.readSecret, awsSecret))
    : ({ kind: 'chain' } as const);
  if (areS3CredentialsAmbient(credentials)) refuseUnlessGranted('s3.awsSecret', source, context);
  return {
    kind: 's3',
    bucket: context.bucket,
    credentials,
    ...(forcePathStyle !== undefined && { forcePathStyle }),
    ...(region && { region }),
    ...(serverSideEncryption && { encryption: s3Encryption(serverSideEncryption) }),
    ...(objectLock && { objectLock }),
    ...(await reach(source, context)),
  };
}

function s3Encryption({ algorithm, kmsKeyID, bucketKey }: NonNullable<Source<'s3'>['serverSideEncryption']>) {
  return { algorithm, ...(kmsKeyID && { kmsKeyId: kmsKeyID }), ...(bucketKey !== undefined && { bucketKey }) };
}

async function absOptions(source: Source<'abs'>, context: Context): Promise<StoreOptions> {
  const { encryptionScope, objectLock } = source;
  return {
    kind: 'azure',
    ...(await azureAccount(source, context)),
    container: context.bucket,
    ...(encryptionScope && { encryptionScope }),
    ...(objectLock && { objectLock }),
    ...(await reach(source, context)),
  };
}

/**
 * If the spec names a Secret, only that Secret identifies the client. If this Secret lacks an entry, the operator's own identity is not
 * used instead.
 */
async function azureAccount(source: Source<'abs'>, context: Context): Promise<AzureAccount> {
  const { absSecret, storageAccount } = source;
  if (absSecret) return fromSecret(context.readSecret, absSecret, azureOptionsFromSecret);
  if (!storageAccount)
    throw new StorageError(
      'SourceMissing',
      'spec.abs.absSecret and spec.abs.storageAccount are both missing. Set one of them',
    );
  refuseUnlessGranted('abs.absSecret', source, context);
  return { account: storageAccount, credentials: { kind: 'chain' } };
}

async function gcsOptions(source: Source<'gcs'>, context: Context): Promise<StoreOptions> {
  const { gcpSecret, kmsKeyName, objectLock } = source;
  const credentials = gcsCredentialsFromSecret(gcpSecret ? await named(context.readSecret, gcpSecret) : undefined);
  if (credentials.kind === 'chain') refuseUnlessGranted('gcs.gcpSecret', source, context);
  return {
    kind: 'gcs',
    bucket: context.bucket,
    credentials,
    ...(kmsKeyName && { kmsKeyName }),
    ...(objectLock && { objectLock }),
    ...(await reach(source, context)),
  };
}

async function ossOptions(source: Source<'oss'>, context: Context): Promise<StoreOptions> {
  const { ossSecret, region, serverSideEncryption } = source;
  if (!ossSecret) throw new StorageError('SourceMissing', 'spec.oss.ossSecret is missing');
  const credentials = await fromSecret(context.readSecret, ossSecret, ossCredentialsFromSecret);
  return {
    kind: 'oss',
    bucket: context.bucket,
    credentials,
    ...(region && { region }),
    ...(serverSideEncryption && { encryption: ossEncryption(serverSideEncryption) }),
    ...(await reach(source, context)),
  };
}

function ossEncryption({ algorithm, kmsKeyID }: NonNullable<Source<'oss'>['serverSideEncryption']>) {
  return { algorithm, ...(kmsKeyID && { kmsKeyId: kmsKeyID }) };
}

async function directoryOptions({ settings }: Context): Promise<StoreOptions> {
  if (settings.directory) return { kind: 'directory', root: settings.directory };
  const message = 'storage type Directory is not available: start the operator with -backup-directory';
  throw new StorageError('NotConfigured', message);
}

/** The fields by which an object chooses its store. */
interface ChosenStore {
  readonly endpoint?: string;
  readonly caSecret?: string;
}

function refuseUnlessGranted(field: string, { endpoint, caSecret }: ChosenStore, context: Context): void {
  const { namespace, settings } = context;
  checkAmbient({ namespace, field, isStoreChosen: Boolean(endpoint || caSecret) }, settings.ambient);
}

/**
 * Options for the connection to the store: its address, which addresses are allowed, and the CA certificates by which the store's
 * certificate is verified.
 */
async function reach(source: ChosenStore, context: Context) {
  const { endpoint, caSecret } = source;
  const { pathPrefix } = context.settings;
  const policy = { ...context.settings.policy, ...(pathPrefix && { noPath: true }) };
  const ca = caSecret ? await certificates(context.readSecret, caSecret) : undefined;
  return { policy, ...(endpoint && { endpoint }), ...(ca && { caCertificates: ca }) };
}

async function certificates(readSecret: ReadSecret, name: string): Promise<string> {
  const ca = (await named(readSecret, name))['ca.crt'];
  if (!ca) throw new StorageError('SecretInvalid', `secret ${name} has no key ca.crt`);
  return ca;
}

async function named(readSecret: ReadSecret, name: string): Promise<SecretData> {
  const data = await readSecret(name);
  if (!data) throw new StorageError('SecretMissing', `secret ${name} does not exist`);
  return data;
}

async function fromSecret<T>(readSecret: ReadSecret, name: string, read: (data: SecretData) => T): Promise<T> {
  const data = await named(readSecret, name);
  try {
    return read(data);
  } catch (error) {
    if (!isBlobError(error, 'Configuration')) throw error;
    throw new StorageError('SecretInvalid', `secret ${name}: ${error.message}`, { cause: error });
  }
}
