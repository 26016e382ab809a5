// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { deliveryPort, snapshotPort } from '@etcd-operator/operator/testing/restore-pods';
import type { Dialer } from '@operator-parts/etcd';
import {
  type Client,
  createClient,
  type Pod,
  persistentVolumeClaims,
  pods,
  secrets,
  services,
} from '@operator-parts/kube';
import { type ApiServer, createApiServer } from '@operator-parts/kube-lab';
import { startControlPlane } from '@operator-parts/kube-lab/testing';
import { seededRandom, type VirtualClock } from '@operator-parts/ports';
import type { DataDirectory, Version } from '../etcd/data-directory.ts';
import { Ether, type EtherOptions } from '../etcd/ether.ts';
import { serveClients, servePlain } from '../etcd/front.ts';
import type { Member } from '../etcd/member.ts';
import { canRead, leaderOf } from '../etcd/raft.ts';
import { snapshotOf, storedHistory } from '../etcd/snapshot.ts';
import { BackupStore } from './backup-store.ts';
import { versionIn } from './etcd-settings.ts';
import { Kubelet } from './kubelet.ts';
import { openLink } from './link.ts';
import type { RestoreAgent } from './restore-agent.ts';
import type { InitScene } from './restore-inits.ts';
import type { SimPod } from './sim-pod.ts';
import type { Webhook } from './webhook.ts';

export interface WorldOptions {
  readonly clock: VirtualClock;
  readonly seed: number;
  readonly nodes: number;
  readonly note: (line: string) => void;
  /** Told whenever bytes move between the operator and a member. */
  readonly onTraffic: () => void;
  /** Work of the world's own that nobody waits for: its failure is the simulation's. */
  readonly track: (work: Promise<unknown>) => void;
  /** Told of each call that would change something, before it is looked at. */
  readonly onCall: (member: Member, method: string, request: Uint8Array) => void;
  /** After everybody has looked around. */
  readonly onBeat: () => void;
  /** Told when the operator removes an object from the store. */
  readonly onRemove: (key: string) => void;
  readonly hooks: Required<Pick<EtherOptions, 'onLeader' | 'onChange' | 'onFound'>> & Pick<InitScene, 'onRestored'>;
}

/** How often members and kubelets look around, in milliseconds. */
const beatEvery = 500;
const detachAfter = 360_000;
/** Where those run that run on none of the nodes. */
export const elsewhere = 'elsewhere';

/** For so long the two ends of a connection miss each other before they give up. */
const keepAliveFor = 60_000;

/** A connection to the agent of a restore. */
interface AgentLink {
  readonly near: Duplex;
  readonly far: Duplex;
  readonly agent: RestoreAgent;
  readonly isOpen: () => boolean;
  hasLost: boolean;
  closedSince: number | undefined;
}

/** What a snapshot that a member has sent holds. */
export interface SentSnapshot {
  readonly clusterId: string;
  readonly revision: number;
  readonly history: readonly Version[];
  readonly at: number;
}

/** A pod, and the node that runs it. */
interface Placed {
  readonly kubelet: Kubelet;
  readonly pod: SimPod;
}

interface OpenLink {
  readonly far: Duplex;
  readonly member: Member;
  readonly port: number;
  isServed: boolean;
}

/** Nodes, disks, names and cables around a real API server; etcd processes run on the nodes. */
export class World {
  readonly clock: VirtualClock;
  readonly server: ApiServer;
  readonly client: Client;
  readonly ether: Ether;
  readonly backups: BackupStore;
  readonly kubelets = new Map<string, Kubelet>();
  readonly directories = new Map<string, DataDirectory>();
  readonly stored = new Map<string, Pod>();
  /** Pairs of nodes without a way between them, `a b` in order; the operator's own node is `operator`. */
  readonly cuts = new Set<string>();
  /** Places that have no room left: whoever writes there ends, and does not start. */
  readonly fullDisks = new Set<string>();
  /** Nodes whose members nobody gets a new connection to or from, as with a certificate that has expired. Old ones stand. */
  readonly distrusted = new Set<string>();
  /** Members that run somewhere else, by the host in their URLs. */
  readonly outsiders = new Map<string, Member>();
  /** Nodes that take no new pods. */
  readonly cordoned = new Set<string>();
  /** What stands between the operator and the API server. */
  webhook: Webhook | undefined;
  /** How late names appear after an address does. */
  dnsDelay = 0;
  readonly #options: WorldOptions;
  readonly #claims = new Map<string, string>();
  readonly #services = new Set<string>();
  /** Who has an address, and where each etcd process runs. */
  readonly #addresses = new Map<string, Placed>();
  readonly #homes = new WeakMap<Member, Placed>();
  readonly #links = new Set<OpenLink>();
  readonly #agentLinks = new Set<AgentLink>();
  /** All snapshots that members have sent, by the SHA-256 of their bytes. */
  readonly sent = new Map<string, SentSnapshot>();
  /** Connections between members that stand need no name. */
  readonly #standing = new Map<Member, Map<string, Member>>();
  readonly #closers: (() => void)[] = [];
  #isClosed = false;

  constructor(options: WorldOptions) {
    this.#options = options;
    const { clock, seed, hooks } = options;
    this.clock = clock;
    this.server = createApiServer({ clock, random: seededRandom(seed ^ 0x5eed), authorization: 'allow-all' });
    this.client = createClient(
      this.server.transport({ user: 'kubelet', groups: ['system:masters'], client: 'kubelet' }),
      { clock },
    );
    this.backups = new BackupStore({
      clock,
      random: seededRandom(seed ^ 0x57a7),
      onCall: (operation, key) => {
        if (operation === 'remove') options.onRemove(key);
      },
    });
    this.ether = new Ether({
      now: () => clock.monotonic(),
      random: seededRandom(seed ^ 0xe7cd),
      route: (from, url, seeker) => this.#route(from, url, seeker),
      note: options.note,
      ...hooks,
    });
  }

  async open(): Promise<void> {
    const { clock, seed, nodes: count, hooks } = this.#options;
    this.#closers.push(await startControlPlane(this.server, { clock, random: seededRandom(seed ^ 0xc0de) }));
    this.#follow();
    const random = seededRandom(seed ^ 0x0b0e);
    for (let index = 1; index <= count; index++) {
      const kubelet = new Kubelet(`n${index}`, {
        client: this.client,
        clock,
        random,
        ether: this.ether,
        directories: this.directories,
        stored: this.stored,
        claimUid: (namespace, claim) => this.#claims.get(`${namespace}/${claim}`),
        resolves: (host) => this.#resolve(host) !== undefined,
        takeAddress: (kubelet, pod) => this.#takeAddress({ kubelet, pod }),
        freeAddress: (ip) => this.#addresses.delete(ip),
        onStarted: (member, kubelet, pod) => this.#homes.set(member, { kubelet, pod }),
        canServe: (member) => this.#canServe(member),
        inits: {
          now: () => clock.monotonic(),
          directories: this.directories,
          keyIn: (namespace, name) => this.#keyIn(namespace, name),
          contentOf: (sha256) => this.sent.get(sha256)?.history,
          isFull: (place) => this.fullDisks.has(place),
          note: this.#options.note,
          onRestored: hooks.onRestored,
        },
        isFull: (place) => this.fullDisks.has(place),
        isHeldElsewhere: (place, by) => this.#isHeldElsewhere(place, by),
        note: this.#options.note,
        track: this.#options.track,
      });
      this.kubelets.set(kubelet.name, kubelet);
      await kubelet.register();
    }
    this.#beat();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const close of this.#closers) close();
    for (const { far } of this.#links) far.destroy();
    await this.server.close();
  }

  /** The way to members for whoever sits on the operator's node. */
  readonly dial: Dialer = (target, signal) => {
    const outsider = this.outsiders.get(target.host);
    if (outsider) return this.#dialOutsider(outsider, target.port, signal);
    const found = this.#addresses.get(target.host);
    if (!found?.kubelet.isUp || !this.isConnected('operator', found.kubelet.name)) return untilAborted(signal);
    if (target.port === deliveryPort) return this.#dialAgent(found, target);
    const { member, clientPort } = found.pod;
    const isListening = target.port === clientPort || target.port === 2381;
    if (!member || member.exit || !isListening)
      return Promise.reject(new Error(`connect ECONNREFUSED ${target.host}:${target.port}`));
    const node = found.kubelet;
    if (this.distrusted.has(node.name) && target.port !== 2381)
      return Promise.reject(new Error(`connect to ${target.host}:${target.port}: the handshake failed`));
    return Promise.resolve(
      this.#connect(member, target.port, () => node.isUp && this.isConnected('operator', node.name)),
    );
  };

  #dialOutsider(member: Member, port: number, signal: AbortSignal): Promise<Duplex> {
    const isOpen = () => this.isConnected('operator', elsewhere);
    if (!isOpen()) return untilAborted(signal);
    if (member.exit || port !== 2379) return Promise.reject(new Error('connect ECONNREFUSED'));
    return Promise.resolve(this.#connect(member, port, isOpen));
  }

  #connect(member: Member, port: number, isOpen: () => boolean): Duplex {
    const [near, far] = openLink({ isOpen, onTraffic: this.#options.onTraffic });
    far.on('error', () => undefined);
    const link = { far, member, port, isServed: false };
    this.#links.add(link);
    far.once('close', () => this.#links.delete(link));
    this.#serve(link);
    return near;
  }

  #dialAgent(
    { kubelet, pod }: { readonly kubelet: Kubelet; readonly pod: SimPod },
    { host, port }: Parameters<Dialer>[0],
  ): Promise<Duplex> {
    const agent = pod.inits.find((run) => run.agent)?.agent;
    if (!agent) return Promise.reject(new Error(`connect ECONNREFUSED ${host}:${port}`));
    const isOpen = () => kubelet.isUp && this.isConnected('operator', kubelet.name);
    const onLoss = () => {
      link.hasLost = true;
    };
    const [near, far] = openLink({ isOpen, onTraffic: this.#options.onTraffic, onLoss });
    far.on('error', () => undefined);
    const link: AgentLink = { near, far, agent, isOpen, hasLost: false, closedSince: undefined };
    this.#agentLinks.add(link);
    agent.accept(far);
    return Promise.resolve(near);
  }

  /** Breaks both ends of a link that was cut for longer than the keepalive or, while it is open, that lost bytes or whose agent has ended. */
  #watchAgentLinks(): void {
    const now = this.clock.monotonic();
    for (const link of this.#agentLinks) {
      const isOpen = link.isOpen();
      link.closedSince = isOpen ? undefined : (link.closedSince ?? now);
      const isMissed = link.closedSince !== undefined && now - link.closedSince > keepAliveFor;
      const isBroken = isMissed || (isOpen && (link.hasLost || link.agent.isOver));
      if (isBroken) breakLink(link, isOpen);
      if (isBroken || link.near.destroyed) this.#agentLinks.delete(link);
    }
  }

  #keyIn(namespace: string, name: string): string | undefined {
    const { data } =
      this.server.feed
        .list(secrets)
        .find(({ metadata }) => metadata?.name === name && metadata.namespace === namespace) ?? {};
    return data?.['key'] === undefined ? undefined : Buffer.from(data['key'], 'base64').toString('utf8');
  }

  /** What a pod that was asked for its version has printed. */
  logOf(namespace: string, name: string): string {
    const found = [...this.stored.values()].find(
      ({ metadata }) => metadata?.name === name && metadata.namespace === namespace,
    );
    return `etcd Version: ${versionIn(found?.spec?.containers[0]?.image)}\n`;
  }

  isConnected(a: string, b: string): boolean {
    return a === b || this.cuts.size === 0 || !this.cuts.has([a, b].toSorted().join(' '));
  }

  simPods(): readonly Placed[] {
    const found: Placed[] = [];
    for (const kubelet of this.kubelets.values()) for (const pod of kubelet.pods.values()) found.push({ kubelet, pod });
    return found;
  }

  liveNodes(): number {
    return [...this.kubelets.values()].filter(({ isUp, isGone }) => isUp && !isGone).length;
  }

  podOf(member: Member): SimPod | undefined {
    const pod = this.#homes.get(member)?.pod;
    return pod?.member === member ? pod : undefined;
  }

  /** False for members that a restore has started for itself. */
  isOpenToClients(member: Member): boolean {
    return this.podOf(member)?.clientPort !== snapshotPort;
  }

  isOpenToPeers(member: Member): boolean {
    return !this.podOf(member)?.isAlone;
  }

  hasClaim(namespace: string, name: string): boolean {
    return this.#claims.has(`${namespace}/${name}`);
  }

  nodeOf(member: Member): Kubelet | undefined {
    const home = this.#homes.get(member);
    return home?.pod.member === member ? home.kubelet : undefined;
  }

  /** The name of the place where a process runs. */
  #whereIs(member: Member): string | undefined {
    // Asked for many times at each beat, and there is seldom anybody outside.
    const isOutside = this.outsiders.size > 0 && this.outsiders.get(hostOf(member.settings.peerUrls[0])) === member;
    return isOutside ? elsewhere : this.nodeOf(member)?.name;
  }

  #beat(): void {
    if (this.#isClosed) return;
    for (const kubelet of this.kubelets.values()) kubelet.tick();
    this.ether.beat();
    for (const link of [...this.#links]) {
      if (link.member.exit) {
        if (this.nodeOf(link.member)?.isUp ?? true) link.far.destroy();
        this.#links.delete(link);
      } else this.#serve(link);
    }
    this.#watchAgentLinks();
    for (const member of this.#standing.keys()) if (member.exit) this.#standing.delete(member);
    this.#options.onBeat();
    this.clock.schedule(beatEvery, () => this.#beat());
  }

  #isHeldElsewhere(place: string, by: Kubelet): boolean {
    if (!place.startsWith('claim/')) return false;
    for (const { kubelet, pod } of this.simPods()) {
      if (kubelet === by || pod.volume !== place || pod.phase === 'ended') continue;
      // The control plane detaches a volume by force from a node that has been down for long.
      if (kubelet.isUp || this.clock.monotonic() - kubelet.downSince < detachAfter) return true;
    }
    return false;
  }

  /** The client port takes connections from the first moment, and answers when the member is ready. */
  #serve(link: OpenLink): void {
    const { member, far, port } = link;
    if (link.isServed || far.destroyed) return;
    if (port === 2381) {
      link.isServed = true;
      servePlain(far, member);
    } else if (member.isServing) {
      link.isServed = true;
      serveClients(far, {
        ether: this.ether,
        member,
        wallTime: () => this.clock.now() + (this.nodeOf(member)?.clockOffset ?? 0),
        schedule: (milliseconds, then) => void this.clock.schedule(milliseconds, then),
        note: this.#options.note,
        onCall: (caller, method, request) => {
          if (method === 'Maintenance/Snapshot') this.#noteSnapshot(caller);
          this.#options.onCall(caller, method, request);
        },
      });
    }
  }

  #noteSnapshot(member: Member): void {
    const sha256 = createHash('sha256').update(snapshotOf(member)).digest('hex');
    const { directory, state } = member;
    const at = this.clock.monotonic();
    const history = storedHistory(member);
    this.sent.set(sha256, { clusterId: directory.clusterId, revision: state.revision, history, at });
  }

  #canServe(member: Member): boolean {
    const leader = leaderOf(member, this.ether.wire);
    return member.isVoter && leader !== undefined && canRead(leader, this.ether.wire);
  }

  #route(from: Member | undefined, url: string, seeker: string): Member | undefined {
    const standing = from && this.#standing.get(from)?.get(url);
    const found = standing && !standing.exit ? standing : this.#processAt(url);
    if (!found) return undefined;
    const [near, far] = [from ? this.#whereIs(from) : seeker, this.#whereIs(found)];
    if (near === undefined || far === undefined || !this.isConnected(near, far)) return undefined;
    if (found !== standing && (this.distrusted.has(near) || this.distrusted.has(far))) return undefined;
    // An address that a name had before may be another member's by now: it says who it is, and is asked for no longer.
    if (from && found.settings.peerUrls.includes(url))
      this.#standing.set(from, (this.#standing.get(from) ?? new Map<string, Member>()).set(url, found));
    return found;
  }

  #processAt(url: string): Member | undefined {
    const host = hostOf(url);
    const outsider = this.outsiders.get(host);
    if (outsider) return outsider;
    const ip = this.#resolve(host);
    const found = ip === undefined ? undefined : this.#addresses.get(ip);
    return found?.kubelet.isUp && !found.pod.isAlone ? found.pod.member : undefined;
  }

  /** DNS: the address that a pod has reported, if its peer Service is there. */
  #resolve(host: string): string | undefined {
    const [hostname, subdomain, namespace] = host.split('.');
    if (!this.#services.has(`${namespace}/${subdomain}`)) return undefined;
    for (const { metadata, spec, status } of this.stored.values()) {
      const isIt = spec?.hostname === hostname && spec?.subdomain === subdomain && metadata?.namespace === namespace;
      if (isIt && status?.podIP) return this.#isKnownByName(status.podIP) ? status.podIP : undefined;
    }
    return undefined;
  }

  #isKnownByName(ip: string): boolean {
    const since = this.#addresses.get(ip)?.pod.ipSince ?? 0;
    return this.clock.monotonic() - since >= this.dnsDelay;
  }

  /** The lowest that is free: addresses are used again soon. */
  #takeAddress(owner: Placed): string {
    for (let last = 1; ; last++) {
      const ip = `10.0.0.${last}`;
      if (this.#addresses.has(ip)) continue;
      this.#addresses.set(ip, owner);
      return ip;
    }
  }

  #follow(): void {
    const { feed } = this.server;
    this.#closers.push(
      feed.subscribe(pods, ({ type, object }) => {
        if (type === 'DELETED') this.stored.delete(object.metadata?.uid ?? '');
        else this.stored.set(object.metadata?.uid ?? '', object);
      }),
      feed.subscribe(persistentVolumeClaims, ({ type, object: { metadata, status } }) => {
        const key = `${metadata?.namespace}/${metadata?.name}`;
        if (type === 'DELETED' || status?.phase !== 'Bound') this.#claims.delete(key);
        else this.#claims.set(key, metadata?.uid ?? '');
        if (type === 'DELETED') this.directories.delete(`claim/${metadata?.uid}`);
      }),
      feed.subscribe(services, ({ type, object: { metadata } }) => {
        const key = `${metadata?.namespace}/${metadata?.name}`;
        if (type === 'DELETED') this.#services.delete(key);
        else this.#services.add(key);
      }),
    );
  }
}

function hostOf(url: string | undefined): string {
  return url === undefined ? '' : new URL(url).hostname;
}

/** Where the agent has just ended it has said goodbye; anything else is a reset. */
function breakLink({ near, far, agent, hasLost }: AgentLink, isOpen: boolean): void {
  const reset = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
  far.destroy();
  if (!near.destroyed) near.destroy(agent.isOver && !hasLost && isOpen ? undefined : reset);
}

/** A packet that gets no answer: the caller's own patience ends it. */
function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const onAbort = () => reject(signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason)));
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
}
