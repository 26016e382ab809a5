// SPDX-License-Identifier: Apache-2.0

import { isKubeError } from '@etcd-operator/kube';
import { busyboxImages, createImageTable, etcdImages, type Lab, startLab } from '@etcd-operator/kube-lab';
import { type EtcdCluster, etcdClusters, podLogReader, runEtcdOperator } from '@etcd-operator/operator';
import { createLogger, systemClock, textLines } from '@etcd-operator/ports';
import { ensurePart } from '@etcd-operator/tools';
import { reportProgress } from './progress-lines.ts';

export interface PlaygroundOptions {
  /** Ends as soon as the cluster is available. */
  readonly once: boolean;
  readonly size: number;
  readonly version?: string;
  readonly write: (line: string) => void;
}

const clusterName = 'example-etcd-cluster';

/** A Kubernetes in this process tree, the operator in it, and a real etcd cluster that it makes and keeps. */
export async function runPlayground(options: PlaygroundOptions, signal: AbortSignal): Promise<void> {
  const { write } = options;
  const started = systemClock.monotonic();
  const seconds = () => ((systemClock.monotonic() - started) / 1000).toFixed(1);
  const [etcd, busybox] = await Promise.all([ensurePart('etcd@3.6', { signal }), ensurePart('busybox', { signal })]);
  const images = createImageTable([etcdImages([etcd], busybox), busyboxImages(busybox)]);
  await using lab = await startLab({ nodes: 3, images });
  write(`${seconds()} s  kube-lab is up: ${lab.nodes.length} nodes, API server at ${lab.url}`);
  const work = new AbortController();
  const stopWith = () => work.abort(signal.reason);
  signal.addEventListener('abort', stopWith, { once: true });
  const operator = runOperator(lab, work.signal);
  try {
    const served = await createCluster(lab, options, work.signal);
    write(`${seconds()} s  EtcdCluster ${clusterName} is created`);
    await Promise.race([
      operator,
      reportProgress({ lab, cluster: served, write, seconds, once: options.once, signal: work.signal }),
    ]);
  } finally {
    work.abort();
    await operator.catch(() => undefined);
  }
}

async function runOperator(lab: Lab, signal: AbortSignal): Promise<void> {
  const log = createLogger({ clock: systemClock, level: 'warn', write: textLines(process.stderr) });
  await runEtcdOperator(
    {
      client: lab.client(),
      log,
      namespace: 'default',
      identity: 'playground',
      leaderElection: false,
      readLog: podLogReader(lab.server.transport()),
      dial: ({ host, port }) => lab.dial(host, port),
      healthInterval: 2_000,
    },
    signal,
  );
}

/** The kind is served a moment after the operator has installed it. */
async function createCluster(
  lab: Lab,
  { size, version }: PlaygroundOptions,
  signal: AbortSignal,
): Promise<EtcdCluster> {
  const clusters = lab.client().resource(etcdClusters.resource);
  const cluster: EtcdCluster = {
    apiVersion: 'etcd.database.coreos.com/v1beta2',
    kind: 'EtcdCluster',
    metadata: { name: clusterName, namespace: 'default' },
    spec: { size, ...(version !== undefined && { version }) },
  };
  for (;;) {
    try {
      return await clusters.create(cluster, { signal });
    } catch (error) {
      if (!isKubeError(error, 'NotFound')) throw error;
      await systemClock.sleep(20, signal);
    }
  }
}
