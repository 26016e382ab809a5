// SPDX-License-Identifier: Apache-2.0

import {
  type ControllerName,
  type EtcdCluster,
  etcdBackups,
  etcdClusters,
  etcdRestores,
} from '@etcd-operator/operator';
import { annotations } from '@etcd-operator/operator/testing/restore-pods';
import { crdOf } from '@operator-parts/crd';
import { customResourceDefinitions, isKubeError, type TransportRequest } from '@operator-parts/kube';
import { seededRandom, settle, VirtualClock } from '@operator-parts/ports';
import type { Member } from '../etcd/member.ts';
import { canRead } from '../etcd/raft.ts';
import { OperatorProcess } from '../operator/operator-process.ts';
import { admitted } from '../world/webhook.ts';
import { World } from '../world/world.ts';
import { Backups } from './backups.ts';
import { clusterKey } from './cluster-key.ts';
import type { FaultName } from './faults.ts';
import { Invariants } from './invariants.ts';
import { Reader } from './reader.ts';
import { Restores } from './restores.ts';
import type { Script } from './script.ts';
import { Secrets } from './secrets.ts';
import { Writer } from './writer.ts';

/** Turns of the event loop without a byte before time may go on. */
const calmTurns = 4;

/** One seed: a world, operators in it, and the line of time. Nothing in it waits for real time. */
export class Simulation {
  readonly clock = new VirtualClock();
  readonly trace: string[] = [];
  readonly world: World;
  readonly operators: OperatorProcess[] = [];
  readonly writer: Writer;
  readonly reader: Reader;
  readonly backups = new Backups(this);
  readonly restores = new Restores(this);
  readonly script: Script;
  /** What the user wants. */
  size: number;
  version: string;
  /** A label and a variable of etcd that each pod is to have. */
  podEdits: { readonly label?: string; readonly variable?: string } = {};
  /** When the operator last wrote something, leases and events apart. */
  wroteAt = 0;
  failure: string | undefined;
  readonly #invariants = new Invariants(this);
  readonly #secrets = new Secrets(this);
  #traffic = 0;
  #serial = 0;

  constructor(script: Script) {
    const { seed } = script;
    this.script = script;
    this.size = script.size;
    this.version = script.version;
    this.writer = new Writer(this, seededRandom(seed ^ 0x77a1));
    this.reader = new Reader(this, seededRandom(seed ^ 0x4ead));
    this.world = new World({
      clock: this.clock,
      seed,
      nodes: 6,
      note: (line) => this.note(line),
      onTraffic: () => void this.#traffic++,
      track: (work) => this.work(work),
      onCall: (member, method, request) => {
        if (method !== 'Maintenance/Snapshot') this.#invariants.onCall(member, method, request);
      },
      onRemove: (key) => this.backups.onRemove(key),
      onBeat: () => this.#invariants.onBeat(),
      hooks: {
        onLeader: (leader) => this.#invariants.onLeader(leader),
        onChange: () => undefined,
        onFound: (member) => this.#invariants.onFound(member),
        onRestored: (pod, directory) => this.restores.onRestored(pod, directory),
      },
    });
    this.world.dnsDelay = script.dnsDelay;
    for (const name of ['operator-a', 'operator-b'].slice(0, script.operators))
      this.operators.push(this.#operator(name));
  }

  get clusters() {
    return this.world.client.resource(etcdClusters.resource);
  }

  /** True if somebody carries out what an EtcdRestore asks for. */
  get canRestore(): boolean {
    return controllersFor(this.script).includes('restore');
  }

  /** The EtcdCluster as the API server has it. */
  cluster(): EtcdCluster | undefined {
    return this.world.server.feed
      .list(etcdClusters.resource)
      .find(({ metadata }) => metadata?.name === clusterKey.name);
  }

  /** Whoever leads the cluster of the present EtcdCluster with a quorum behind it: the one on record, else the newest. */
  leader(): Member | undefined {
    const { ether, outsiders } = this.world;
    const outside = new Set(outsiders.values());
    const leaders = [...ether.members].filter(
      (member) =>
        member.role === 'leader' &&
        (member.settings.name.startsWith(`${clusterKey.name}-`) || outside.has(member)) &&
        canRead(member, ether.wire) &&
        this.world.isOpenToClients(member),
    );
    const { metadata, status } = this.cluster() ?? {};
    const recorded = metadata?.annotations?.[annotations.clusterId] ?? status?.clusterID;
    const present = leaders.filter(({ directory }) => directory.clusterId === recorded);
    const candidates = present.length > 0 ? present : leaders;
    return candidates.toSorted((a, b) => b.startedAt - a.startedAt || b.directory.term - a.directory.term)[0];
  }

  nextNumber(): number {
    return ++this.#serial;
  }

  note(line: string): void {
    this.trace.push(`${(this.clock.monotonic() / 1000).toFixed(3)} ${line}`);
  }

  fail(what: string): void {
    this.note(`!!! ${what}`);
    this.failure ??= what;
  }

  /** Work that nobody waits for. */
  work(work: Promise<unknown>): void {
    work.catch((error: unknown) => {
      if (!isKubeError(error, 'NotFound', 'Conflict', 'AlreadyExists'))
        this.fail(`the simulation itself: ${String(error)}`);
    });
  }

  async open(): Promise<void> {
    await this.during(this.world.open());
    const crds = this.world.client.resource(customResourceDefinitions);
    for (const kind of [etcdClusters, etcdBackups, etcdRestores])
      await this.during(crds.apply(crdOf(kind), { fieldManager: 'simulation' }));
    this.backups.follow();
    this.restores.follow();
    this.#secrets.follow();
    if (this.script.latency > 0) this.world.server.faults.delay({ client: /^operator/ }, this.script.latency);
  }

  async createCluster(): Promise<void> {
    const annotations = { 'etcd.database.coreos.com/scope': 'clusterwide' };
    const claim = { accessModes: ['ReadWriteOnce'] as const, resources: { requests: { storage: '1Gi' } } };
    const pod = this.script.storage === 'claim' ? { pod: { persistentVolumeClaimSpec: claim } } : {};
    const { size, version } = this;
    await this.clusters.create({ metadata: { ...clusterKey, annotations }, spec: { size, version, ...pod } });
  }

  /** Lets virtual time pass until the work is done. */
  async during<T>(work: Promise<T>): Promise<T> {
    let isDone = false;
    const finish = work.finally(() => {
      isDone = true;
    });
    finish.catch(() => undefined);
    await this.until(() => isDone, 600_000);
    return finish;
  }

  /** Timer by timer, until something holds or the time is over. True if it holds. */
  async until(condition: () => boolean, limit: number): Promise<boolean> {
    const end = this.clock.monotonic() + limit;
    await this.#calm();
    while (!condition()) {
      const next = this.clock.untilNextTimer;
      if (next === undefined || this.clock.monotonic() + next > end) return false;
      this.clock.fireNext();
      await this.#calm();
    }
    return true;
  }

  async close(): Promise<void> {
    for (const operator of this.operators) operator.kill();
    await this.world.close();
  }

  #operator(name: string): OperatorProcess {
    const { seed } = this.script;
    return new OperatorProcess({
      name,
      clock: this.clock,
      wallOffset: 0,
      random: seededRandom(seed ^ (0x09e7 + name.charCodeAt(9))),
      transport: admitted(
        this.world.server.transport({ user: name, groups: ['system:masters'], client: name }),
        () => this.world.webhook,
      ),
      dial: this.world.dial,
      namespace: 'default',
      controllers: controllersFor(this.script),
      openStore: (settings, clock) => this.world.backups.open(settings, clock),
      readLog: (namespace, pod) => this.world.logOf(namespace, pod),
      note: (line) => {
        this.#secrets.look('a line of the log', line);
        this.note(line);
      },
      onWrite: (request, status) => this.#noteWrite(name, request, status),
      onRush: () => this.fail(`liveness: ${name} asks again and again without a pause`),
    });
  }

  #noteWrite(name: string, request: TransportRequest, status?: number): void {
    if (/\/leases|\/events|selfsubjectaccess/.test(request.path)) return;
    if (status === undefined) {
      this.#invariants.onWrite(request);
      this.#secrets.onWrite(request);
    } else this.note(`${name} ${request.method} ${request.path.split('?')[0]} -> ${status} ${bodyOf(request)}`);
    this.wroteAt = this.clock.monotonic();
  }

  /** Bytes on their way need turns of the event loop, not time. */
  async #calm(): Promise<void> {
    for (let quiet = 0, seen = this.#traffic; quiet < calmTurns; ) {
      await settle(1);
      quiet = this.#traffic === seen ? quiet + 1 : 0;
      seen = this.#traffic;
    }
  }
}

const backupWishes: ReadonlySet<FaultName> = new Set<FaultName>([
  'userBacksUp',
  'userStartsSeries',
  'userStartsProvenSeries',
]);

const restoreWishes: ReadonlySet<FaultName> = new Set<FaultName>([
  'userRestores',
  'userRestoresElsewhere',
  'userClones',
  'userRecovers',
]);

/** Controllers that nobody needs would only cost time. */
function controllersFor({ events }: Script): readonly ControllerName[] {
  if (events.some(({ fault }) => restoreWishes.has(fault))) return ['cluster', 'backup', 'restore'];
  return events.some(({ fault }) => backupWishes.has(fault)) ? ['cluster', 'backup'] : ['cluster'];
}

/** What was written, as far as a person wants to read it. */
function bodyOf({ body }: TransportRequest): string {
  const text = typeof body === 'string' ? body : '';
  return text.length > 400 ? `${text.slice(0, 400)}...` : text;
}
