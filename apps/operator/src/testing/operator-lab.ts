// SPDX-License-Identifier: Apache-2.0

import { ensurePart } from '@etcd-operator/tools';
import { clientPort, type Login, MemberClient, type MemberClientOptions } from '@operator-parts/etcd';
import { labEtcd } from '@operator-parts/etcd/testing';
import { createClient, isKubeError, type Pod, pods, type Transport } from '@operator-parts/kube';
import {
  adminIdentity,
  busyboxImages,
  createImageTable,
  etcdImages,
  type ImageSet,
  type IpFamilies,
  type Lab,
  startLab,
} from '@operator-parts/kube-lab';
import { createLogger, type LogRecord, systemClock } from '@operator-parts/ports';
import { type EtcdCluster, type EtcdClusterSpec, etcdClusters } from '../api/etcd-cluster.ts';
import { labels } from '../api/names.ts';
import { type ClusterOperatorOptions, runEtcdOperator } from '../cluster-operator.ts';
import { podLogReader } from '../programs/pod-log-reader.ts';
import { realControlPlane } from './api-server/real-control-plane.ts';
import { OperatorPaths } from './operator-paths.ts';
import { until } from './until.ts';

/** Minor versions of etcd whose images a lab has, with one patch version each; for 3.4, there is also a newer patch version. */
export type LabVersion = '3.3' | '3.4' | '3.4.31' | '3.5' | '3.6' | '3.7';

const namespace = 'default';

/** The identity by which faults in a test recognise the operator's requests. */
const operatorIdentity = { ...adminIdentity, client: 'etcd-operator' } as const;

/**
 * The environment for tests of the operator: a lab with real etcd images. The operator runs in this process, so that a test can stop it,
 * restart it, and read its log.
 */
export class OperatorLab implements AsyncDisposable {
  readonly lab: Lab;
  readonly log: LogRecord[] = [];
  /** The operators' requests to the API server, as `GET /path`; watches are `WATCH /path`. */
  readonly requests: string[] = [];
  /** How to connect to members of a cluster that need certificates or a password. */
  readonly access = new Map<string, Pick<MemberClientOptions, 'tls' | 'serverName' | 'login'>>();
  /** The operators' own connections to members. */
  readonly paths: OperatorPaths;
  #running: { readonly stop: AbortController; readonly ended: Promise<void> } | undefined;

  private constructor(lab: Lab) {
    this.lab = lab;
    this.paths = new OperatorPaths((host, port) => lab.dial(host, port));
  }

  static async start(
    options: {
      readonly nodes?: number;
      /** @default the version in `labEtcd` */
      readonly versions?: readonly LabVersion[];
      /** Images besides those of etcd and busybox. */
      readonly images?: readonly ImageSet[];
      /** Divides the delays of the kubelet and of controllers. @default 1 */
      readonly timeFactor?: number;
      /** @default IPv4 only */
      readonly ipFamilies?: IpFamilies;
    } = {},
  ): Promise<OperatorLab> {
    const etcds = await Promise.all(
      (options.versions ?? [labEtcd.minor]).map((minor) => ensurePart(`etcd@${minor}`, { fromPath: false })),
    );
    const busybox = await ensurePart('busybox');
    const images = createImageTable([etcdImages(etcds, busybox), busyboxImages(busybox), ...(options.images ?? [])]);
    const server = await realControlPlane(options.timeFactor);
    const started = new OperatorLab(
      await startLab({
        nodes: options.nodes ?? 3,
        images,
        timeFactor: options.timeFactor ?? 1,
        ...(options.ipFamilies && { ipFamilies: options.ipFamilies }),
        ...(server && { server }),
      }),
    );
    started.startOperator();
    return started;
  }

  /** Returns a promise for the end of the operator, for tests that make it fail. */
  startOperator(options: Partial<ClusterOperatorOptions> = {}): { readonly ended: Promise<void> } {
    this.#running = this.#run('test', options);
    return this.#running;
  }

  /** Starts a second operator while the first one runs, as if the first one had noticed the loss of its lease too late. */
  async secondOperator(): Promise<{ stop(): Promise<void> }> {
    const { stop, ended } = this.#run('second');
    return {
      stop: async () => {
        stop.abort(new Error('the test stops the second operator'));
        await ended.catch(() => undefined);
      },
    };
  }

  #run(
    identity: string,
    options: Partial<ClusterOperatorOptions> = {},
  ): { readonly stop: AbortController; readonly ended: Promise<void> } {
    const stop = new AbortController();
    const log = createLogger({ clock: systemClock, level: 'debug', write: (record) => this.log.push(record) });
    const ended = runEtcdOperator(
      {
        client: createClient(this.#counted(this.lab.server.transport(operatorIdentity))),
        log,
        namespace,
        identity,
        leaderElection: false,
        readLog: podLogReader(this.lab.server.transport()),
        dial: this.paths.dial,
        healthInterval: 1_000,
        ...options,
      },
      stop.signal,
    );
    // The caller that waits for the end of the operator gets the error.
    ended.catch(() => undefined);
    return { stop, ended };
  }

  /** Cuts only the operators off from the present members, as a network policy would. */
  async cutOperatorsOff(cluster: string): Promise<void> {
    this.paths.hide(...(await this.pods(cluster)).flatMap(({ status }) => status?.podIP ?? []));
  }

  #counted(transport: Transport): Transport {
    return {
      request: (request) => {
        this.requests.push(`${request.streaming ? 'WATCH' : request.method} ${request.path}`);
        return transport.request(request);
      },
      connect: (request) => transport.connect(request),
      close: () => transport.close(),
    };
  }

  async stopOperator(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    running?.stop.abort(new Error('the test stops the operator'));
    await running?.ended.catch((error: unknown) => {
      if (!running.stop.signal.aborted) throw error;
    });
  }

  async create(name: string, spec: EtcdClusterSpec): Promise<EtcdCluster> {
    const cluster: EtcdCluster = {
      apiVersion: 'etcd.database.coreos.com/v1beta2',
      kind: 'EtcdCluster',
      metadata: { name, namespace },
      spec,
    };
    return this.until(`create ${name}`, async () => {
      try {
        return await this.#clusters.create(cluster);
      } catch (error) {
        if (isKubeError(error, 'NotFound')) return undefined;
        throw error;
      }
    });
  }

  get(name: string): Promise<EtcdCluster> {
    return this.#clusters.get({ namespace, name });
  }

  async change(name: string, spec: Partial<EtcdClusterSpec>): Promise<void> {
    await this.#clusters.patch({ namespace, name }, { type: 'merge', patch: { spec } });
  }

  async delete(name: string): Promise<void> {
    await this.#clusters.delete({ namespace, name });
  }

  /** Waits until a cluster is available at its size, with all members healthy and nothing left to do. */
  async settled(name: string, milliseconds?: number): Promise<EtcdCluster> {
    return this.until(
      `${name} settled`,
      async () => {
        const cluster = await this.get(name);
        if (!isSettled(cluster)) return undefined;
        // The status is written at most once a second, so it may be older than the loss of a pod.
        const present = (await this.pods(name)).flatMap(({ metadata }) =>
          metadata?.deletionTimestamp === undefined ? [metadata?.name] : [],
        );
        const isOld = cluster.status?.members?.ready?.some((member) => !present.includes(member));
        return isOld ? undefined : cluster;
      },
      milliseconds,
      async () => JSON.stringify((await this.get(name)).status, undefined, 1),
    );
  }

  async pods(name: string): Promise<readonly Pod[]> {
    const { items } = await this.lab
      .client()
      .resource(pods)
      .list({ namespace, labelSelector: `${labels.cluster}=${name}` });
    return items;
  }

  async deletePod(name: string, gracePeriodSeconds?: number): Promise<void> {
    await this.lab
      .client()
      .resource(pods)
      .delete({ namespace, name }, gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds });
  }

  /** A client of one running member, if possible of a member that is Ready, because a joining member does not answer yet. */
  async member(name: string, login?: Login): Promise<MemberClient> {
    const running = (await this.pods(name)).filter(
      ({ metadata, status }) => metadata?.deletionTimestamp === undefined && status?.podIP,
    );
    const pod = running.find(isReady) ?? running[0];
    return new MemberClient({
      target: { host: pod?.status?.podIP ?? '', port: clientPort },
      clock: systemClock,
      dial: ({ host, port }) => this.lab.dial(host, port),
      ...this.access.get(name),
      ...(login && { login: () => login }),
    });
  }

  async put(cluster: string, key: string, value: string): Promise<void> {
    using member = await this.member(cluster);
    await member.kv.put({ key: Buffer.from(key), value: Buffer.from(value) });
  }

  async read(cluster: string, key: string): Promise<string | undefined> {
    using member = await this.member(cluster);
    const { kvs } = await member.kv.range({ key: Buffer.from(key) });
    const [first] = kvs;
    return first && Buffer.from(first.value).toString();
  }

  /** Repeats `ask` until it returns a value; the error shows the last state. */
  until<T>(
    what: string,
    ask: () => Promise<T | undefined>,
    milliseconds?: number,
    explain?: () => Promise<string>,
  ): Promise<T> {
    return until(what, ask, { milliseconds, explain, log: this.log });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stopOperator();
    await this.lab.stop();
  }

  get #clusters() {
    return this.lab.client().resource(etcdClusters.resource);
  }
}

function isReady({ status }: Pod): boolean {
  return status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True') ?? false;
}

function isSettled({ metadata, spec, status }: EtcdCluster): boolean {
  if (
    status?.observedGeneration !== metadata?.generation ||
    status?.readySize !== spec.size ||
    status.size !== spec.size
  )
    return false;
  const isAvailable = status.conditions?.some(({ type, status: value }) => type === 'Available' && value === 'True');
  return Boolean(isAvailable) && (status.plan?.next?.length ?? 0) === 0 && (status.plan?.waitingFor?.length ?? 0) === 0;
}
