// SPDX-License-Identifier: Apache-2.0
import {
  type BlobStore,
  type EndpointPolicy,
  openStore as openBlobStore,
  type StoreOptions,
  type StoreSettings,
} from '@etcd-operator/blob';
import type { StorageSources } from '../api/storage-source.ts';
import type { AmbientGrant } from './ambient-credentials.ts';
import type { KeyProvider } from './encryption/key-provider.ts';
import { checkPathPrefix } from './path-prefix.ts';
import type { SecretLabelRule } from './secret-label.ts';
import type { ReadSecret } from './secret-reader.ts';
import { type StoragePlace, storagePlace } from './storage-place.ts';
import { storeOptions } from './store-options.ts';

/** Which storage an object names, and what is needed to open it. */
export interface StorageRequest {
  /** The storage type as the spec has it. */
  readonly type: string;
  readonly sources: StorageSources;
  /** The namespace of the object. */
  readonly namespace: string;
  readonly readSecret: ReadSecret;
}

/** What the operator itself says about stores. */
export interface StorageSettings extends StoreSettings {
  /** Where stores may be. @default anywhere but loopback, link-local and metadata addresses */
  readonly policy?: EndpointPolicy;
  /** Whose objects may use the operator's own cloud credentials. @default none */
  readonly ambient?: AmbientGrant;
  /** What becomes of Secrets without our label. @default ignored */
  readonly secretLabel?: SecretLabelRule;
  /** What the keys of objects must begin with, with `{namespace}` in it. @default anything */
  readonly pathPrefix?: string;
  /** Where a volume for backups is mounted. @default none: storage type Directory is refused */
  readonly directory?: string;
  /** How stores are reached. @default over the network, and in directories */
  readonly open?: (options: StoreOptions, settings: StoreSettings) => Promise<BlobStore>;
}

/** A store that is open, and the place in it that the object names. The caller closes it. */
export interface OpenedStorage {
  readonly store: BlobStore;
  readonly place: StoragePlace;
  /** The key that the spec names for backups in it, where whoever opened it asked for that. @default they are not encrypted */
  readonly keys?: KeyProvider | undefined;
}

/**
 * Opens the storage that an object names. Credentials are read from the object's own namespace and stay in memory. No
 * request is made to the store yet. Throws a `StorageError`, or a `BlobError` for settings that cannot work.
 */
export async function openStore(request: StorageRequest, settings: StorageSettings = {}): Promise<OpenedStorage> {
  const place = storagePlace(request.type, request.sources, request.namespace);
  if (settings.pathPrefix) checkPathPrefix(place, request.namespace, settings.pathPrefix);
  const options = await storeOptions(place, request, settings);
  const { open = openBlobStore } = settings;
  return { store: await open(options, settings), place };
}
