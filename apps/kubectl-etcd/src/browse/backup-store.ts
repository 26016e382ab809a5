// SPDX-License-Identifier: Apache-2.0
import {
  type EtcdBackup,
  type OpenedStorage,
  openStore,
  type StorageRequest,
  secretReader,
} from '@etcd-operator/operator';
import type { Access } from '../access.ts';
import { CliError } from '../cli-error.ts';
import { fieldOf, type StoreLocation, sourceOf } from '../store-location.ts';

/** How this machine reaches a store, where that differs from how the operator does. */
export interface ReachOptions {
  /** The store, as this machine reaches it. */
  readonly endpoint: string | undefined;
  /** Where the operator's backup directory is mounted on this machine. */
  readonly directory: string | undefined;
}

interface StoreSpec extends Pick<StorageRequest, 'type' | 'sources'> {
  /** Who chose the store: the user on the command line, or the author of the object. */
  readonly chosenBy: 'user' | 'object';
}

/** The store of an EtcdBackup, with the path of one of its backups or of all. */
export interface StoreOfBackup {
  readonly spec: StoreSpec;
  readonly encryption: EtcdBackup['spec']['encryption'];
}

/** The path in the spec of an EtcdBackup: for a series, the beginning of the path of all its backups. */
export function specPath({ spec }: EtcdBackup): string | undefined {
  const field = fieldNamed(spec.storageType);
  return field && spec[field]?.path;
}

export function storeOfBackup({ metadata, spec }: EtcdBackup, path: string, reach: ReachOptions): StoreOfBackup {
  const { storageType: type, encryption } = spec;
  const field = fieldNamed(type);
  if (!field) throw new CliError('Failed', `EtcdBackup ${metadata?.name} has the unknown storageType ${type}`);
  const source = { ...spec[field], path, ...(reach.endpoint !== undefined && { endpoint: reach.endpoint }) };
  return { spec: checked({ type, sources: { [field]: source }, chosenBy: 'object' }, reach), encryption };
}

/** The store at a URL. */
export function storeAt(store: StoreLocation, reach: Pick<ReachOptions, 'directory'>): StoreSpec {
  return checked({ type: store.type, sources: sourceOf(store), chosenBy: 'user' }, reach);
}

/**
 * Opens a store with the credentials in the Secret, or else those of the user on this machine; only to a store that she chose are they sent
 * wherever it is. She may use a store that only this machine can reach, because she may connect to any host. The caller closes it.
 */
export function openFromHere(access: Access, spec: StoreSpec, directory: string | undefined): Promise<OpenedStorage> {
  const { client, namespace, clock, signal } = access;
  const ambient = spec.chosenBy === 'user' ? 'caller' : 'all';
  const settings = { clock, policy: { allowLocal: true }, ambient, ...(directory && { directory }) } as const;
  return openStore({ ...spec, namespace, readSecret: secretReader(client, namespace, signal) }, settings);
}

function fieldNamed(type: string) {
  return Object.entries(fieldOf).find(([key]) => key === type)?.[1];
}

function checked(spec: StoreSpec, { directory }: Pick<ReachOptions, 'directory'>): StoreSpec {
  if (spec.type !== 'Directory' || directory !== undefined) return spec;
  throw new CliError(
    'Usage',
    'the backup is in the backup volume of the operator. Mount that volume on this machine, and name its folder with --directory PATH',
  );
}
