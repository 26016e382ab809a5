// SPDX-License-Identifier: Apache-2.0
import {
  type BlobStore,
  type EndpointPolicy,
  openStore as openBlobStore,
  type StoreOptions,
  type StoreSettings,
} from '@operator-parts/blob';
import type { StorageSources } from '../api/storage-source.ts';
import type { AmbientGrant } from './ambient-credentials.ts';
import type { KeyProvider } from './encryption/key-provider.ts';
import { checkPathPrefix } from './path-prefix.ts';
import type { SecretLabelRule } from './secret-label.ts';
import type { ReadSecret } from './secret-reader.ts';
import { type StoragePlace, storagePlace } from './storage-place.ts';
import { storeOptions } from './store-options.ts';

/** The storage that an object names, and what is needed to open it. */
export interface StorageRequest {
  /** The storage type from the spec. */
  readonly type: string;
  readonly sources: StorageSources;
  /** The namespace of the object. */
  readonly namespace: string;
  readonly readSecret: ReadSecret;
}

/** The operator's own settings for stores. */
export interface StorageSettings extends StoreSettings {
  /** Allowed addresses of stores. @default all addresses except loopback, link-local and cloud metadata addresses */
  readonly policy?: EndpointPolicy;
  /** Namespaces whose objects may use the operator's own cloud credentials. @default none */
  readonly ambient?: AmbientGrant;
  /** How Secrets without our label are treated. @default ignored */
  readonly secretLabel?: SecretLabelRule;
  /** The required prefix of the keys of objects; it may contain `{namespace}`. @default none */
  readonly pathPrefix?: string;
  /** Where a volume for backups is mounted. @default undefined: storage type Directory is refused */
  readonly directory?: string;
  /** Opens the stores. @default `openBlobStore`, which opens stores over the network and directories */
  readonly open?: (options: StoreOptions, settings: StoreSettings) => Promise<BlobStore>;
}

/** An open store, and the place in it that the object names. The caller closes the store. */
export interface OpenedStorage {
  readonly store: BlobStore;
  readonly place: StoragePlace;
  /** The encryption key that the spec names, if the caller asked for it. @default undefined: backups are not encrypted */
  readonly keys?: KeyProvider | undefined;
}

/**
 * Opens the storage that an object names. Credentials are read from the object's own namespace and stay in memory. No request is sent to
 * the store yet. Throws a `StorageError`, or a `BlobError` for settings that are not valid.
 */
export async function openStore(request: StorageRequest, settings: StorageSettings = {}): Promise<OpenedStorage> {
  const place = storagePlace(request.type, request.sources, request.namespace);
  if (settings.pathPrefix) checkPathPrefix(place, request.namespace, settings.pathPrefix);
  const options = await storeOptions(place, request, settings);
  const { open = openBlobStore } = settings;
  return { store: await open(options, settings), place };
}
