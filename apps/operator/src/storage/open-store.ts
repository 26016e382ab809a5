// SPDX-License-Identifier: Apache-2.0
import {
  type BlobStore,
  type EndpointPolicy,
  openStore as openBlobStore,
  type StoreSettings,
} from '@etcd-operator/blob';
import type { StorageSources } from '../api/storage-source.ts';
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
  /** Where a volume for backups is mounted. @default none: storage type Directory is refused */
  readonly directory?: string;
}

/** A store that is open, and the place in it that the object names. Whoever opened it closes it. */
export interface OpenedStorage {
  readonly store: BlobStore;
  readonly place: StoragePlace;
}

/**
 * Opens the storage that an object names. Credentials are read from the object's own namespace and stay in memory. No
 * request is made to the store yet. Throws a `StorageError`, or a `BlobError` for settings that cannot work.
 */
export async function openStore(request: StorageRequest, settings: StorageSettings = {}): Promise<OpenedStorage> {
  const place = storagePlace(request.type, request.sources, request.namespace);
  const options = await storeOptions(place, request, settings);
  return { store: await openBlobStore(options, settings), place };
}
