// SPDX-License-Identifier: Apache-2.0
import { createWriteStream } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { clientServiceName, type EtcdClusterSpec, type EtcdRestore, etcdClusters } from '@etcd-operator/operator';
import { clientPort, MemberClient, verifySnapshot } from '@operator-parts/etcd';
import type { Lab } from '@operator-parts/kube-lab';
import { type Clock, systemClock } from '@operator-parts/ports';
import { OptionError } from '../options.ts';
import { applyObjects } from './apply-objects.ts';
import { namespace } from './example-cluster.ts';

/** A cluster that is kept after its playground ends: its spec, and its data as a plain snapshot of etcd. */
export interface KeptCluster {
  readonly name: string;
  readonly spec: EtcdClusterSpec;
}

/** Where the restore operator finds the kept data: below the folder of the namespace. */
const snapshotName = 'kept.snapshot';
const clusterFile = (directory: string) => join(directory, 'cluster.json');
const snapshotFile = (directory: string) => join(directory, namespace, snapshotName);

/** The kept state in a folder; undefined if the folder is new. */
export async function loadKept(directory: string): Promise<KeptCluster | undefined> {
  const text = await readFile(clusterFile(directory), 'utf8').catch((error: unknown) => {
    if ((error as { code?: unknown }).code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  try {
    const { name, spec } = JSON.parse(text) as Partial<KeptCluster>;
    if (typeof name === 'string' && spec && typeof spec.size === 'number') return { name, spec };
  } catch {
    // Reported below.
  }
  throw new OptionError(
    `--keep ${directory}: the file cluster.json in it was not written by a playground; use another folder`,
  );
}

export interface KeepOptions {
  readonly lab: Lab;
  readonly directory: string;
  readonly cluster: string;
  readonly signal: AbortSignal;
  readonly clock?: Clock;
}

/** Stores the present spec and data of the cluster. The previous state is kept until the new snapshot is verified. */
export async function keep({ lab, directory, cluster, signal, clock = systemClock }: KeepOptions): Promise<void> {
  const key = { namespace, name: cluster };
  const { spec, status } = await lab.client().resource(etcdClusters.resource).get(key, { signal });
  await mkdir(join(directory, namespace), { recursive: true, mode: 0o700 });
  const part = `${snapshotFile(directory)}.part`;
  using member = new MemberClient({
    target: { host: `${clientServiceName(cluster)}.${namespace}.svc.cluster.local`, port: clientPort },
    clock,
    dial: ({ host, port }, ended) => lab.dial(host, port, ended),
  });
  await pipeline(
    Readable.from(verifySnapshot(member.maintenance.snapshot({ signal }))),
    createWriteStream(part, { mode: 0o600 }),
    {
      signal,
    },
  );
  await rename(part, snapshotFile(directory));
  const version = status?.currentVersion || spec.version;
  const kept: KeptCluster = { name: cluster, spec: { ...spec, ...(version !== undefined && { version }) } };
  await writeFile(clusterFile(directory), `${JSON.stringify(kept, undefined, 2)}\n`, { mode: 0o600 });
}

/** Lets the restore operator restore a kept cluster at its previous revisions: no client has seen other ones. */
export async function bringBack(lab: Lab, { name, spec }: KeptCluster, signal: AbortSignal): Promise<void> {
  const restore: EtcdRestore = {
    apiVersion: 'etcd.database.coreos.com/v1beta2',
    kind: 'EtcdRestore',
    metadata: { name, namespace },
    spec: {
      etcdCluster: { name },
      backupStorageType: 'Directory',
      directory: { path: snapshotName },
      clusterSpec: spec,
      revisionBump: 0,
    },
  };
  await applyObjects([restore], { transport: lab.server.transport(), signal });
}
