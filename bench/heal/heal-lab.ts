// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises';
import { type EtcdCluster, type EtcdClusterSpec, etcdClusters, operatorImageName } from '@etcd-operator/operator';
import { ensurePart } from '@etcd-operator/tools';
import { clientPort, MemberClient, toBytes } from '@operator-parts/etcd';
import { type Client, deployments, leases, type Pod, persistentVolumeClaims, pods } from '@operator-parts/kube';
import { busyboxImages, createImageTable, etcdImages, type Lab, startLab } from '@operator-parts/kube-lab';
import { systemClock } from '@operator-parts/ports';
import { operatorImages } from '../../test/guide/testing/operator-image.ts';

export const namespace = 'default';
/** The lab's patch of each minor. */
export const versions = { '3.5': '3.5.35', '3.6': '3.6.16', '3.7': '3.7.3' } as const;
const patience = 180_000;
/** A member that has not started must not delay queries of the others. */
const askMs = 400;

/** A member that votes, knows a leader and answers a linearizable read. */
export interface Voter {
  readonly pod: Pod;
  readonly isLeader: boolean;
  readonly version: string;
}

/** kube-lab with real etcd, and the operator in a pod, as a process that can be killed. */
export class HealLab implements AsyncDisposable {
  readonly lab: Lab;
  readonly client: Client;
  readonly #signal: AbortSignal;
  #firstStart = 0;

  private constructor(lab: Lab, signal: AbortSignal) {
    this.lab = lab;
    this.client = lab.client();
    this.#signal = signal;
  }

  static async start(signal: AbortSignal): Promise<HealLab> {
    const etcds = await Promise.all(
      Object.keys(versions).map((minor) => ensurePart(`etcd@${minor}`, { fromPath: false })),
    );
    const busybox = await ensurePart('busybox');
    const images = createImageTable([etcdImages(etcds, busybox), busyboxImages(busybox), operatorImages()]);
    const ground = new HealLab(await startLab({ nodes: 3, images, authorization: 'allow-all' }), signal);
    await ground.#deployOperator();
    return ground;
  }

  /** Seconds from the first start of the operator's process until it holds its lease, which was free. */
  get firstStart(): number {
    return this.#firstStart;
  }

  get clusters() {
    return this.client.resource(etcdClusters.resource);
  }

  async create(name: string, spec: EtcdClusterSpec): Promise<void> {
    const apiVersion = 'etcd.database.coreos.com/v1beta2';
    await this.clusters.create({ apiVersion, kind: 'EtcdCluster', metadata: { name, namespace }, spec });
  }

  async change(name: string, spec: Partial<EtcdClusterSpec>): Promise<void> {
    await this.clusters.patch({ namespace, name }, { type: 'merge', patch: { spec } });
  }

  /** Deletes a cluster and waits until its pods are gone, so that they do not affect the next measurement. */
  async delete(name: string): Promise<void> {
    await this.clusters.delete({ namespace, name });
    await this.until(`the pods of ${name} gone`, async () => (await this.pods(selectorOf(name))).length === 0);
  }

  async pods(labelSelector: string): Promise<readonly Pod[]> {
    return (await this.client.resource(pods).list({ namespace, labelSelector })).items;
  }

  async deletePod(pod: Pod, withVolume = false): Promise<void> {
    const key = { namespace, name: pod.metadata?.name ?? '' };
    if (withVolume) await this.client.resource(persistentVolumeClaims).delete(key);
    await this.client.resource(pods).delete(key);
  }

  member(host: string, timeoutMs = 1500): MemberClient {
    const dial = (to: { readonly host: string; readonly port: number }, signal: AbortSignal) =>
      this.lab.dial(to.host, to.port, signal);
    const target = { host, port: clientPort };
    return new MemberClient({ target, clock: systemClock, timeoutMs, connectTimeoutMs: timeoutMs, dial });
  }

  async voters(labelSelector: string): Promise<readonly Voter[]> {
    const alive = (await this.pods(labelSelector)).filter(({ metadata }) => metadata?.deletionTimestamp === undefined);
    const answers = await Promise.all(alive.map((pod) => this.#ask(pod).catch(() => undefined)));
    return answers.filter((answer) => answer !== undefined);
  }

  /** Waits until there are exactly `count` healthy voters, none of them in one of the previous pods. */
  async healthy(labelSelector: string, count: number, before: readonly Pod[] = []): Promise<readonly Voter[]> {
    const old = new Set(before.map(({ metadata }) => metadata?.uid));
    let found: readonly Voter[] = [];
    await this.until(`${labelSelector} has ${count} healthy voters`, async () => {
      found = await this.voters(labelSelector);
      return found.length === count && !found.some(({ pod }) => old.has(pod.metadata?.uid));
    });
    return found;
  }

  /** Waits until the operator reports that nothing is left to do. */
  async settled(name: string): Promise<EtcdCluster> {
    let seen: EtcdCluster | undefined;
    await this.until(`${name} settled`, async () => {
      seen = await this.clusters.get({ namespace, name });
      const { status, metadata, spec } = seen;
      const isDone = (status?.plan?.next?.length ?? 1) === 0 && (status?.plan?.waitingFor?.length ?? 1) === 0;
      return isDone && status?.observedGeneration === metadata?.generation && status?.readySize === spec.size;
    });
    if (!seen) throw new Error(`${name} was never seen`);
    return seen;
  }

  async operatorPod(): Promise<Pod | undefined> {
    const found = await this.pods('name=etcd-operator');
    return found.find(({ metadata, status }) => !metadata?.deletionTimestamp && status?.phase === 'Running');
  }

  /** The content of the operator's lease; undefined if there is none yet. */
  async lease() {
    const { items } = await this.client
      .resource(leases)
      .list({ namespace, fieldSelector: 'metadata.name=etcd-operator' });
    return items[0]?.spec;
  }

  async until(what: string, isSo: () => Promise<boolean>): Promise<void> {
    const limit = performance.now() + patience;
    while (!(await isSo())) {
      if (performance.now() > limit) throw new Error(`not within ${patience / 1000} s: ${what}`);
      await sleep(15, undefined, { signal: this.#signal });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.lab.stop();
  }

  async #ask(pod: Pod): Promise<Voter | undefined> {
    if (!pod.status?.podIP) return undefined;
    using member = this.member(pod.status.podIP, askMs);
    const status = await member.maintenance.status();
    if (status.isLearner || status.leader === 0n) return undefined;
    await member.kv.range({ key: toBytes('health') });
    return { pod, isLeader: status.leader === status.memberId, version: status.version };
  }

  async #deployOperator(): Promise<void> {
    const labels = { name: 'etcd-operator' };
    const field = (name: string, fieldPath: string) => ({ name, valueFrom: { fieldRef: { fieldPath } } });
    const container = {
      name: 'etcd-operator',
      image: operatorImageName,
      command: ['/usr/local/bin/etcd-operator'],
      env: [field('MY_POD_NAMESPACE', 'metadata.namespace'), field('MY_POD_NAME', 'metadata.name')],
    };
    await this.client.resource(deployments).create({
      metadata: { ...labels, namespace },
      spec: {
        replicas: 1,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [container] } },
      },
    });
    await this.until('the operator runs', async () => isRunning(await this.operatorPod()));
    this.#firstStart = await timed(() =>
      this.until('the operator holds its lease', async () => Boolean((await this.lease())?.holderIdentity)),
    );
  }
}

/** True if its first container runs. */
export function isRunning(pod: Pod | undefined): boolean {
  return pod?.status?.containerStatuses?.[0]?.state?.running !== undefined;
}

export const selectorOf = (cluster: string): string => `etcd_cluster=${cluster}`;

/** The duration of an action in seconds. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
}
