// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { addresses, type Cluster, inside } from '@etcd-operator/tools/cluster';
import { until } from './until.ts';

const provisioner = 'etcd-operator.test/local-folders';

/** Creates a folder on the node for every PVC of its class, and removes it with the PVC, while it is in use. */
export interface LocalVolumes extends AsyncDisposable {
  /** The storage class of PVCs: unique, because concurrent tests each have their own provisioner. */
  readonly storageClass: string;
  /** The path of a volume's data on this machine. */
  folderOf(volume: string): string;
}

interface Watched {
  readonly type: string;
  readonly object: {
    readonly kind: string;
    readonly metadata: { readonly name: string; readonly namespace?: string; readonly uid: string };
    readonly spec: {
      readonly storageClassName?: string;
      readonly volumeName?: string;
      readonly accessModes?: readonly string[];
      readonly resources?: { readonly requests?: { readonly storage?: string } };
    };
    readonly status?: { readonly phase?: string };
  };
}

/** A minimal provisioner: PVCs are bound at once, and volumes have the type `local`, so that `fsGroup` applies. */
export async function startLocalVolumes(cluster: Cluster): Promise<LocalVolumes> {
  const storageClass = `local-folders-${randomUUID()}`;
  await cluster.apply([
    {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: storageClass },
      provisioner,
      reclaimPolicy: 'Delete',
      volumeBindingMode: 'Immediate',
    },
  ]);
  const folderOf = (volume: string) => join(cluster.layout.varLib, 'volumes', volume);
  const watchers = ['persistentvolumeclaims', 'persistentvolumes'].map((kind) =>
    watch(cluster, kind, async (event) => {
      if (event.object.spec.storageClassName === storageClass) await handle(cluster, folderOf, event);
    }),
  );
  const stop = async () => {
    await Promise.all(watchers.map((end) => end()));
    await cluster.kubectl(['delete', 'storageclass', storageClass, '--ignore-not-found']);
  };
  return { storageClass, folderOf, [Symbol.asyncDispose]: stop };
}

async function handle(cluster: Cluster, folderOf: (volume: string) => string, event: Watched): Promise<void> {
  const { kind, metadata, spec, status } = event.object;
  if (event.type === 'DELETED') return;
  if (kind === 'PersistentVolumeClaim' && status?.phase === 'Pending' && !spec.volumeName) {
    const volume = `folder-${metadata.uid}`;
    await mkdir(folderOf(volume), { recursive: true, mode: 0o755 });
    await cluster.apply([volumeFor(volume, event.object)]);
  }
  if (kind === 'PersistentVolume' && status?.phase === 'Released') {
    await rm(folderOf(metadata.name), { recursive: true, force: true });
    await cluster.kubectl(['delete', 'persistentvolume', metadata.name, '--ignore-not-found', '--wait=false']);
  }
}

function volumeFor(volume: string, { metadata, spec }: Watched['object']): object {
  const here = { key: 'kubernetes.io/hostname', operator: 'In', values: [addresses.nodeName] };
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: volume },
    spec: {
      capacity: { storage: spec.resources?.requests?.storage ?? '1Gi' },
      accessModes: spec.accessModes ?? ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: 'Delete',
      storageClassName: spec.storageClassName,
      claimRef: {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        name: metadata.name,
        namespace: metadata.namespace,
        uid: metadata.uid,
      },
      local: { path: `${inside.volumes}/${volume}` },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [here] }] } },
    },
  };
}

/** Watches a kind in all namespaces; returns a function that stops it. */
function watch(cluster: Cluster, kind: string, onEvent: (event: Watched) => Promise<void>): () => Promise<void> {
  const ask = [cluster.kubectlProgram, 'get', kind, '--all-namespaces', '--watch', '--output-watch-events'];
  const [program = '', ...args] = cluster.entering('network', [...ask, '--output=json']);
  const child: ChildProcess = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, KUBECONFIG: cluster.kubeconfig },
  });
  // Failures on a busy machine are retried: no other event would trigger a retry.
  const handled = async (event: Watched) => {
    await until(`a ${event.object.kind} is looked after`, async () => onEvent(event).then(() => true));
  };
  // One event is one line.
  let rest = '';
  // One at a time, in order.
  let work = Promise.resolve();
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) work = work.then(() => handled(JSON.parse(line) as Watched));
  });
  return async () => {
    if (child.exitCode === null && child.signalCode === null) {
      const exited = once(child, 'exit');
      child.kill();
      await exited;
    }
    await work;
  };
}
