// SPDX-License-Identifier: Apache-2.0
import { CliError } from './cli-error.ts';

/** The location of a backup and its store, as in `spec` of EtcdBackup and EtcdRestore. */
export interface StoreLocation {
  readonly type: 'S3' | 'ABS' | 'GCS' | 'OSS' | 'Directory';
  readonly path: string;
  /** Every field of the source except the path. */
  readonly fields: Readonly<Record<string, string | boolean>>;
}

/** Options for a store. */
export interface StoreOptions {
  readonly store?: string | undefined;
  readonly secret?: string | undefined;
  readonly endpoint?: string | undefined;
  readonly 's3-path'?: string | undefined;
  readonly 'aws-secret'?: string | undefined;
  readonly 's3-endpoint'?: string | undefined;
  readonly 'path-style'?: boolean | undefined;
}

const schemes: Readonly<Record<string, { readonly type: StoreLocation['type']; readonly secret?: string }>> = {
  s3: { type: 'S3', secret: 'awsSecret' },
  abs: { type: 'ABS', secret: 'absSecret' },
  gs: { type: 'GCS', secret: 'gcpSecret' },
  oss: { type: 'OSS', secret: 'ossSecret' },
  directory: { type: 'Directory' },
};

/** Stores that always require credentials. */
const needsSecret = new Set<StoreLocation['type']>(['S3', 'ABS', 'OSS']);

/** The user's own credentials on this machine can replace a Secret for these, in commands that this machine carries out. */
const takesOwnCredentials = new Set<StoreLocation['type']>(['S3']);

/**
 * Parses `--store s3://bucket/key --secret NAME`, or the older `--s3-path BUCKET/KEY --aws-secret NAME`.
 *
 * @param use `operator`: the operator connects to the store; `here`: this machine does; `list`: it lists what is there, also in a whole bucket
 */
export function storeOf(options: StoreOptions, use: 'operator' | 'here' | 'list' = 'operator'): StoreLocation {
  const { store, secret, endpoint } = options;
  if (store === undefined) return s3Of(options);
  if (options['s3-path'] !== undefined) throw new CliError('Usage', 'use either --store or --s3-path, not both');
  const { type, field, path } = parsed(store, use === 'list');
  if (field === undefined && (secret ?? endpoint) !== undefined)
    throw new CliError('Usage', '--secret and --endpoint cannot be used with directory://');
  if (needsSecret.has(type) && !secret && !(use !== 'operator' && takesOwnCredentials.has(type)))
    throw new CliError('Usage', 'name the Secret with the credentials of the backup store: --secret NAME');
  return {
    type,
    path,
    fields: {
      ...(field !== undefined && secret !== undefined && { [field]: secret }),
      ...(endpoint !== undefined && { endpoint }),
      ...(type === 'S3' && options['path-style'] && { forcePathStyle: true }),
    },
  };
}

function parsed(store: string, isWholeBucketAllowed: boolean) {
  const [, scheme = '', path = ''] = /^([a-z0-9]+):\/\/(.+)$/.exec(store) ?? [];
  const found = Object.hasOwn(schemes, scheme) ? schemes[scheme] : undefined;
  const all = 's3://, abs://, gs://, oss:// or directory://';
  if (!found) throw new CliError('Usage', `--store ${store}: the URL must begin with ${all}, followed by the path`);
  if (found.type !== 'Directory' && !/^[^/]+\/.+/.test(path) && !(isWholeBucketAllowed && isWholeBucket(path)))
    throw new CliError('Usage', `--store ${store}: the URL must have the form ${scheme}://BUCKET/KEY`);
  return { type: found.type, field: found.secret, path };
}

/** `BUCKET/`: every key in it. */
export function isWholeBucket(path: string): boolean {
  return /^[^/]+\/$/.test(path);
}

function s3Of(options: StoreOptions): StoreLocation {
  const { 's3-path': path, 'aws-secret': awsSecret, 's3-endpoint': endpoint } = options;
  if (!path) throw new CliError('Usage', 'name the place of the backup: --store URL, or --s3-path BUCKET/KEY');
  if (!/^[^/]+\/.+/.test(path))
    throw new CliError('Usage', `--s3-path ${path}: must have the form BUCKET/KEY, without a scheme`);
  if (!awsSecret)
    throw new CliError('Usage', 'name the Secret with the credentials of the backup store: --aws-secret NAME');
  const isByPath = options['path-style'] === true;
  return {
    type: 'S3',
    path,
    fields: { awsSecret, ...(endpoint !== undefined && { endpoint }), ...(isByPath && { forcePathStyle: true }) },
  };
}

/** The field of a spec for each storage type. */
export const fieldOf = { S3: 's3', ABS: 'abs', GCS: 'gcs', OSS: 'oss', Directory: 'directory' } as const;

/** The source as a field of a spec, such as `{ s3: { path, awsSecret } }`. */
export function sourceOf({ type, path, fields }: StoreLocation) {
  return { [fieldOf[type]]: { path, ...fields } };
}
