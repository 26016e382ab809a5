// SPDX-License-Identifier: Apache-2.0

import {
  copyBackup,
  copyPoint,
  type EtcdBackup,
  etcdBackups,
  type LocalCopy,
  planCluster,
  secretReader,
  specKeys,
} from '@etcd-operator/operator';
import { type ListedKey, liveKeys, SnapshotKeys } from '@operator-parts/etcd';
import { isKubeError } from '@operator-parts/kube';
import { systemRandom } from '@operator-parts/ports';
import { type Access, findCluster } from '../access.ts';
import { CliError } from '../cli-error.ts';
import { ObservedCluster } from '../observed-cluster.ts';
import {
  openFromHere,
  type ReachOptions,
  type StoreOfBackup,
  specPath,
  storeAt,
  storeOfBackup,
} from './backup-store.ts';
import type { SourceName } from './source-name.ts';
import { TemporaryFile } from './temporary-file.ts';

/** Options for stores and keys that the object does not contain, or that differ on this machine. */
export interface SourceOptions extends ReachOptions {
  /** Secret with the encryption key of a backup that is named by URL. */
  readonly encryptionSecret: string | undefined;
  /**
   * In milliseconds since the epoch: the keys at that time, from an EtcdBackup that records changes.
   * @default the last stored state
   */
  readonly at?: number | undefined;
}

/** The description of a source, printed before its keys. */
export interface SourceFacts {
  readonly source: string;
  readonly revision: number;
  readonly etcdVersion?: string;
  readonly cluster?: string;
  /** How a backup was verified. */
  readonly verified?: 'Manifest' | 'Embedded';
  readonly warning?: string;
}

/** The keys of a backup or a cluster. */
export interface KeySource extends AsyncDisposable {
  readonly facts: SourceFacts;
  /** The cluster of a backup, if known. */
  readonly cluster: string | undefined;
  keys(prefix: Uint8Array): AsyncIterable<ListedKey>;
}

/** @param revision @default the newest */
export function openSource(
  access: Access,
  name: SourceName,
  revision: bigint | undefined,
  options: SourceOptions,
): Promise<KeySource> {
  if (name.kind !== 'live') return openBackup(access, name, revision, options);
  if (options.at === undefined) return openLive(access, name.cluster, revision);
  throw new CliError('Usage', '--at and --to-at need a backup: a running cluster can be shown only as it is now');
}

type StoredName = Exclude<SourceName, { kind: 'live' }>;

interface Stored extends StoreOfBackup {
  readonly cluster: string | undefined;
}

async function openBackup(
  access: Access,
  name: StoredName,
  revision: bigint | undefined,
  options: SourceOptions,
): Promise<KeySource> {
  await using opening = new AsyncDisposableStack();
  const [copy, spill] = [opening.use(await TemporaryFile.open()), opening.use(await TemporaryFile.open())];
  const stored = await storedOf(access, name, options);
  const local = await fetched(access, stored, copy, options);
  const snapshot = await SnapshotKeys.open(local.file);
  const closing = opening.move();
  return {
    facts: factsOf(local, stored, revision ?? snapshot.revision),
    cluster: stored.cluster ?? local.facts.cluster?.name,
    keys: (prefix) => snapshot.at({ prefix, ...(revision !== undefined && { revision }) }, spill),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

async function fetched(
  access: Access,
  { spec, encryption }: Stored,
  copy: TemporaryFile,
  { directory, at }: SourceOptions,
): Promise<LocalCopy> {
  const { client, namespace, signal } = access;
  const keys = await specKeys(encryption, secretReader(client, namespace, signal));
  const opened = await openFromHere(access, spec, directory);
  try {
    const point = { copy, key: systemRandom.bytes(32) };
    if (at !== undefined) return await copyPoint({ ...opened, keys }, { time: at }, point, signal);
    return await copyBackup({ ...opened, keys }, copy, signal);
  } finally {
    opened.store.close();
  }
}

async function storedOf(access: Access, name: StoredName, options: SourceOptions): Promise<Stored> {
  if (name.kind === 'store') {
    const { encryptionSecret: secret } = options;
    const encryption = secret === undefined ? undefined : { secret };
    return { spec: storeAt(name.store, options), encryption, cluster: undefined };
  }
  const backup = await backupNamed(access, name.name);
  const { metadata, spec, status } = backup;
  // The path of a series is a prefix of its backups and changes.
  const path = name.path ?? (options.at === undefined ? status?.lastBackup?.path : specPath(backup));
  if (path === undefined)
    throw new CliError(
      'NotFound',
      `EtcdBackup ${metadata?.name} has not stored a backup yet. To see which backups exist: kubectl etcd backup list`,
    );
  return { ...storeOfBackup(backup, path, options), cluster: spec.clusterRef?.name };
}

async function backupNamed({ client, namespace, signal }: Access, name: string): Promise<EtcdBackup> {
  try {
    return await client.resource(etcdBackups.resource).get({ namespace, name }, { signal });
  } catch (error) {
    if (!isKubeError(error, 'NotFound')) throw error;
    throw new CliError('NotFound', `there is no EtcdBackup ${name} in namespace ${namespace}`, { cause: error });
  }
}

function factsOf({ facts, hasOtherManifest }: LocalCopy, { cluster }: Stored, revision: bigint): SourceFacts {
  const { path, etcdVersion, verified } = facts;
  const from = facts.cluster?.name ?? cluster;
  return {
    source: path,
    revision: Number(revision),
    ...(etcdVersion !== undefined && { etcdVersion }),
    ...(from !== undefined && { cluster: from }),
    verified: verified === 'Manifest' ? verified : 'Embedded',
    ...(hasOtherManifest && {
      warning: `the manifest of backup ${path} does not match, so the backup was verified only against the hash at the end of the backup file`,
    }),
  };
}

async function openLive(access: Access, name: string | undefined, revision: bigint | undefined): Promise<KeySource> {
  const cluster = await findCluster(access, name);
  const reading = await ObservedCluster.read(access, cluster);
  try {
    const { healthyVoters = [] } = planCluster(reading.observation, access.clock.monotonic()).assessment ?? {};
    const member = healthyVoters.map((voter) => reading.member(voter.name)).find((client) => client !== undefined);
    const clusterName = cluster.metadata?.name ?? '';
    if (!member) throw new CliError('Unreachable', `no healthy voter of EtcdCluster ${clusterName} is reachable`);
    const { signal } = access;
    const { header } = await member.kv.range({ key: Uint8Array.of(0), countOnly: true }, { signal });
    const at = revision ?? header.revision;
    return {
      facts: { source: `etcdcluster/${clusterName}`, revision: Number(at) },
      cluster: clusterName,
      keys: (prefix) => liveKeys(member.kv, { prefix, revision: at, signal }),
      [Symbol.asyncDispose]: async () => reading[Symbol.dispose](),
    };
  } catch (error) {
    reading[Symbol.dispose]();
    throw error;
  }
}
