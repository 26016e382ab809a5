// SPDX-License-Identifier: Apache-2.0
import {
  azureOptionsFromSecret,
  gcsCredentialsFromSecret,
  isBlobError,
  ossCredentialsFromSecret,
  type StoreOptions,
  s3CredentialsFromSecret,
} from '@etcd-operator/blob';
import type { StorageSources } from '../api/storage-source.ts';
import type { StorageRequest, StorageSettings } from './open-store.ts';
import type { ReadSecret, SecretData } from './secret-reader.ts';
import { StorageError } from './storage-error.ts';
import type { StoragePlace } from './storage-place.ts';

/** From a source of the spec, with the Secrets it names, to what the store of its kind takes. */
export function storeOptions(
  { type, bucket }: StoragePlace,
  { sources, readSecret }: StorageRequest,
  settings: StorageSettings,
): Promise<StoreOptions> {
  const context = { bucket, readSecret, settings };
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

type Source<Field extends keyof StorageSources> = NonNullable<StorageSources[Field]>;

interface Context {
  readonly bucket: string;
  readonly readSecret: ReadSecret;
  readonly settings: StorageSettings;
}

async function s3Options(source: Source<'s3'>, context: Context): Promise<StoreOptions> {
  const { awsSecret, forcePathStyle, region } = source;
  const credentials = awsSecret
    ? s3CredentialsFromSecret(await named(context.readSecret, awsSecret))
    : ({ kind: 'chain' } as const);
  return {
    kind: 's3',
    bucket: context.bucket,
    credentials,
    ...(forcePathStyle && { forcePathStyle }),
    ...(region && { region }),
    ...(await reach(source, context)),
  };
}

async function absOptions(source: Source<'abs'>, context: Context): Promise<StoreOptions> {
  const { absSecret } = source;
  if (!absSecret) throw new StorageError('SourceMissing', 'spec.abs.absSecret is missing');
  const account = await fromSecret(context.readSecret, absSecret, azureOptionsFromSecret);
  return { kind: 'azure', ...account, container: context.bucket, ...(await reach(source, context)) };
}

async function gcsOptions(source: Source<'gcs'>, context: Context): Promise<StoreOptions> {
  const { gcpSecret } = source;
  const credentials = gcsCredentialsFromSecret(gcpSecret ? await named(context.readSecret, gcpSecret) : undefined);
  return { kind: 'gcs', bucket: context.bucket, credentials, ...(await reach(source, context)) };
}

async function ossOptions(source: Source<'oss'>, context: Context): Promise<StoreOptions> {
  const { ossSecret, region } = source;
  if (!ossSecret) throw new StorageError('SourceMissing', 'spec.oss.ossSecret is missing');
  const credentials = await fromSecret(context.readSecret, ossSecret, ossCredentialsFromSecret);
  return {
    kind: 'oss',
    bucket: context.bucket,
    credentials,
    ...(region && { region }),
    ...(await reach(source, context)),
  };
}

async function directoryOptions({ settings }: Context): Promise<StoreOptions> {
  if (settings.directory) return { kind: 'directory', root: settings.directory };
  const message = 'storage type Directory needs an operator that was started with -backup-directory';
  throw new StorageError('NotConfigured', message);
}

/** Where the store is and whose certificates count there. */
async function reach(source: { readonly endpoint?: string; readonly caSecret?: string }, context: Context) {
  const { endpoint, caSecret } = source;
  const { policy = {} } = context.settings;
  const ca = caSecret ? await certificates(context.readSecret, caSecret) : undefined;
  return { policy, ...(endpoint && { endpoint }), ...(ca && { caCertificates: ca }) };
}

async function certificates(readSecret: ReadSecret, name: string): Promise<string> {
  const ca = (await named(readSecret, name))['ca.crt'];
  if (!ca) throw new StorageError('SecretInvalid', `secret ${name} lacks ca.crt`);
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
