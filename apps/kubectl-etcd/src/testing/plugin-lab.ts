// SPDX-License-Identifier: Apache-2.0

import {
  type EtcdCluster,
  type EtcdClusterSpec,
  etcdClusters,
  podLogReader,
  runEtcdOperator,
} from '@etcd-operator/operator';
import { ensurePart } from '@etcd-operator/tools';
import { labEtcd } from '@operator-parts/etcd/testing';
import { busyboxImages, createImageTable, etcdImages, type Lab, startLab } from '@operator-parts/kube-lab';
import { silentLogger, systemClock } from '@operator-parts/ports';
import { type Outcome, typeLine } from './type-line.ts';

const namespace = 'default';

/** A lab with real etcd and the operator in it, and `kubectl etcd` with a kubeconfig. */
export class PluginLab implements AsyncDisposable {
  readonly lab: Lab;
  readonly #stop = new AbortController();
  readonly #operator: Promise<void>;

  private constructor(lab: Lab) {
    this.lab = lab;
    this.#operator = runEtcdOperator(
      {
        client: lab.client(),
        log: silentLogger,
        namespace,
        identity: 'test',
        leaderElection: false,
        readLog: podLogReader(lab.server.transport()),
        dial: ({ host, port }) => lab.dial(host, port),
        healthInterval: 1_000,
      },
      this.#stop.signal,
    ).catch(() => undefined);
  }

  static async start(nodes: number): Promise<PluginLab> {
    const [etcd, busybox] = await Promise.all([
      ensurePart(`etcd@${labEtcd.minor}`, { fromPath: false }),
      ensurePart('busybox'),
    ]);
    const images = createImageTable([etcdImages([etcd], busybox), busyboxImages(busybox)]);
    return new PluginLab(await startLab({ nodes, images }));
  }

  /** Creates a cluster and waits until it is complete. */
  async cluster(name: string, spec: EtcdClusterSpec): Promise<EtcdCluster> {
    const object: EtcdCluster = {
      apiVersion: 'etcd.database.coreos.com/v1beta2',
      kind: 'EtcdCluster',
      metadata: { name, namespace },
      spec,
    };
    const clusters = this.lab.client().resource(etcdClusters.resource);
    await eventually(() =>
      clusters.create(object).then(
        () => true,
        () => false,
      ),
    );
    await eventually(async () => {
      const { status } = await clusters.get({ namespace, name });
      return status?.readySize === spec.size && status.size === spec.size && status.plan?.next?.length === 0;
    });
    return object;
  }

  /** Runs `kubectl etcd` with a line; `file` is the content of any file named in it, and standard input. */
  type(line: string, file = '', kubeconfig = this.lab.kubeconfigPath): Promise<Outcome> {
    return typeLine(line, kubeconfig, this.#stop.signal, file);
  }

  /** Runs `kubectl etcd` with a line that does not end by itself, until its output is as wanted; then it is interrupted. */
  async typeUntil(line: string, isWanted: (out: string) => boolean): Promise<Outcome> {
    const interrupted = new AbortController();
    const signal = AbortSignal.any([interrupted.signal, this.#stop.signal]);
    return typeLine(line, this.lab.kubeconfigPath, signal, '', (out) => {
      if (isWanted(out)) interrupted.abort(new Error('interrupted'));
    });
  }

  /** Runs a line repeatedly until its output matches: on a busy machine a member may not answer for a moment. */
  async prints(line: string, pattern: RegExp, file?: string): Promise<Outcome> {
    const end = systemClock.monotonic() + 120_000;
    for (;;) {
      const outcome = await this.type(line, file);
      if (pattern.test(outcome.out)) return outcome;
      if (systemClock.monotonic() > end)
        throw new Error(`kubectl etcd ${line} has not printed ${pattern}: ${JSON.stringify(outcome)}`);
      await systemClock.sleep(200);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#operator;
    await this.lab.stop();
  }
}

async function eventually(ask: () => Promise<boolean>): Promise<void> {
  const end = systemClock.monotonic() + 120_000;
  while (!(await ask())) {
    if (systemClock.monotonic() > end) throw new Error('not within two minutes');
    await systemClock.sleep(100);
  }
}
