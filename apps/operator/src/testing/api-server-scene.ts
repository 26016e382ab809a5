// SPDX-License-Identifier: Apache-2.0

import { patienceOf } from '@etcd-operator/tools/test/testing';
import { type Client, createClient, namespaces } from '@operator-parts/kube';
import { type ApiServer, createApiServer } from '@operator-parts/kube-lab';
import { createLogger, type LogRecord, systemClock } from '@operator-parts/ports';
import { type EtcdCluster, etcdClusters } from '../api/etcd-cluster.ts';
import { installCrd } from '../api/install-crd.ts';
import { type ClusterOperatorOptions, runEtcdOperator } from '../cluster-operator.ts';

/** An EtcdCluster with any spec, including specs that its type does not allow. */
export function clusterWith(
  name: string,
  spec: unknown,
  metadata: Partial<NonNullable<EtcdCluster['metadata']>> = {},
): EtcdCluster {
  return {
    apiVersion: 'etcd.database.coreos.com/v1beta2',
    kind: 'EtcdCluster',
    metadata: { name, namespace: 'default', ...metadata },
    spec: spec as EtcdCluster['spec'],
  };
}

/** An API server without nodes: tests can read what the operator writes, but no pods run. */
export class ApiServerScene implements AsyncDisposable {
  readonly server: ApiServer = createApiServer({});
  readonly client: Client = createClient(this.server.transport());
  readonly log: LogRecord[] = [];
  readonly #operators: { readonly stop: AbortController; readonly ended: Promise<void> }[] = [];

  static async open(...spaces: readonly string[]): Promise<ApiServerScene> {
    const scene = new ApiServerScene();
    for (const name of spaces) {
      await scene.client.resource(namespaces).create({ metadata: { name } });
    }
    return scene;
  }

  get clusters() {
    return this.client.resource(etcdClusters.resource);
  }

  async installCrd(): Promise<void> {
    const { signal } = new AbortController();
    await installCrd(etcdClusters, { client: this.client, clock: systemClock, log: this.logger(), signal });
  }

  /** Starts an operator; returns a function that stops it in an orderly way. */
  start(options: Partial<ClusterOperatorOptions> = {}): () => Promise<void> {
    const stop = new AbortController();
    const ended = runEtcdOperator(
      {
        client: this.client,
        log: this.logger(),
        namespace: 'default',
        identity: 'operator',
        leaderElection: false,
        readLog: () => Promise.resolve(''),
        dial: () => Promise.reject(new Error('nothing runs here')),
        ...options,
      },
      stop.signal,
    );
    // The caller that stops the operator gets the error.
    ended.catch(() => undefined);
    const running = { stop, ended };
    this.#operators.push(running);
    return () => this.#end(running);
  }

  /** Repeats `ask` until it returns a value. */
  async until<T>(what: string, ask: () => Promise<T | undefined>, milliseconds = 30_000): Promise<T> {
    const end = systemClock.monotonic() + patienceOf(milliseconds);
    for (;;) {
      const answer = await ask();
      if (answer !== undefined) return answer;
      if (systemClock.monotonic() > end)
        throw new Error(`${what}: not within ${milliseconds} ms\n${this.#recentLog()}`);
      await systemClock.sleep(20);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const running of this.#operators) await this.#end(running);
    await this.server.close();
  }

  async #end({ stop, ended }: { readonly stop: AbortController; readonly ended: Promise<void> }): Promise<void> {
    if (stop.signal.aborted) return;
    stop.abort(new Error('the test ends the operator'));
    await ended;
  }

  /** A logger that appends its records to `log`. */
  logger() {
    return createLogger({ clock: systemClock, level: 'debug', write: (record) => this.log.push(record) });
  }

  #recentLog(): string {
    return this.log
      .slice(-15)
      .map(({ message, fields }) => `${message} ${JSON.stringify(fields)}`)
      .join('\n');
  }
}
