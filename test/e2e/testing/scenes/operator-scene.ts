// SPDX-License-Identifier: Apache-2.0
import type { Pod } from '@operator-parts/kube';
import { type AdminClient, adminClient } from '../kube-client.ts';
import { type Frame, type History, recordWhile } from '../recording-client.ts';
import { untilTrue } from '../until.ts';
import { type EtcdView, etcdView, type Trust } from './etcd-view.ts';
import { type DeployedOperator, deployOperator } from './operator.ts';
import { openScene, type Scene } from './scene.ts';

/** The label selector of a cluster's objects. */
export const selector = (name: string) => `etcd_cluster=${name}`;

export function etcdCluster(name: string, spec: object): object {
  return { apiVersion: 'etcd.database.coreos.com/v1beta2', kind: 'EtcdCluster', metadata: { name }, spec };
}

export const nameOf = ({ metadata }: Pod): string => metadata?.name ?? '';

/** The requirements for every history. */
export const nothingLost: Pick<History, 'violations'> = { violations: [] };

/**
 * A namespace that enforces the restricted Pod Security Standard, with an operator deployed from the walk-through's
 * files, and functions for tests of clusters.
 */
export class OperatorScene implements AsyncDisposable {
  readonly scene: Scene;
  readonly operator: DeployedOperator;
  readonly #admin: AdminClient;
  readonly #trust = new Map<string, Trust>();

  static async open(topic: string): Promise<OperatorScene> {
    return OperatorScene.in(await openScene(topic, { podSecurity: 'restricted' }));
  }

  /** Deploys an operator into a scene, which then belongs to this one. */
  static async in(scene: Scene): Promise<OperatorScene> {
    return new OperatorScene(scene, await deployOperator(scene), await adminClient(scene.cluster));
  }

  private constructor(scene: Scene, operator: DeployedOperator, admin: AdminClient) {
    this.scene = scene;
    this.operator = operator;
    this.#admin = admin;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.scene.tryKubectl(['delete', 'etcdclusters', '--all', '--ignore-not-found', '--wait=false']);
    await this.operator[Symbol.asyncDispose]();
    await this.#admin[Symbol.asyncDispose]();
    await this.scene[Symbol.asyncDispose]();
  }

  /** An EtcdCluster with three healthy members, deleted after the test. */
  async threeMembers(name: string, spec: object = {}): Promise<AsyncDisposable> {
    await this.scene.create(etcdCluster(name, { size: 3, version: '3.6.16', ...spec }));
    await this.untilHealthy(name, 3);
    return {
      [Symbol.asyncDispose]: async () => void (await this.scene.kubectl('delete', 'etcdcluster', name, '--wait=false')),
    };
  }

  change(name: string, spec: object): Promise<string> {
    return this.scene.kubectl('patch', 'etcdcluster', name, '--type=merge', `--patch=${JSON.stringify({ spec })}`);
  }

  members(name: string): Promise<readonly Pod[]> {
    return this.scene.list<Pod>('pod', selector(name));
  }

  /** From now on this cluster is contacted with certificates. */
  trust(name: string, trust: Trust): void {
    this.#trust.set(name, trust);
  }

  /** etcd's own view. */
  view(name: string): Promise<EtcdView> {
    return etcdView(this.#admin.client, this.scene.namespace, selector(name), this.#trust.get(name));
  }

  /** Waits until etcd counts exactly this many members and all are healthy voters, and other given conditions hold. */
  async untilHealthy(name: string, size: number, more: (now: EtcdView) => boolean = () => true): Promise<void> {
    let last: EtcdView | undefined;
    const fits = async () => {
      last = await this.view(name);
      return last.healthy.length === size && last.members === size && more(last);
    };
    await untilTrue(`${size} healthy voters of ${name}`, fits, { everyMilliseconds: 500 }).catch(
      async (cause: unknown) => {
        const status = await this.scene.kubectl('get', 'etcdcluster', name, '--output=jsonpath={.status}');
        const log = (await this.operator.log()).split('\n').slice(-12).join('\n');
        throw new Error(`${name} was last seen as ${JSON.stringify(last)}, status ${status}\n${log}`, { cause });
      },
    );
  }

  /** Waits until the cluster is complete again without this pod. Its name may be reused for another pod and member. */
  async untilReplaced(name: string, size: number, gone: Pod): Promise<void> {
    await untilTrue(
      `${nameOf(gone)} is replaced`,
      async () => {
        const uids = (await this.members(name)).map(({ metadata }) => metadata?.uid);
        return uids.length === size && !uids.includes(gone.metadata?.uid);
      },
      { everyMilliseconds: 500 },
    );
    await this.untilHealthy(name, size);
  }

  /** Runs an action while a client writes and reads, and returns the client's history. */
  whileWriting(name: string, work: () => Promise<void>, frame: Frame = {}): Promise<History> {
    const { namespace } = this.scene;
    const trust = this.#trust.get(name);
    return recordWhile({ client: this.#admin.client, namespace, labelSelector: selector(name), trust }, work, frame);
  }
}
