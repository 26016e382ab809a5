// SPDX-License-Identifier: Apache-2.0
import { type Client, isKubeError, leases, nodes, type Pod, pods } from '@operator-parts/kube';
import type { Clock, Random } from '@operator-parts/ports';
import { type DataDirectory, losePower } from '../etcd/data-directory.ts';
import type { Ether } from '../etcd/ether.ts';
import type { Member } from '../etcd/member.ts';
import { isMissingImage, placeIn, settingsOf } from './etcd-settings.ts';
import { proofRunOf, runProof } from './proof-pod.ts';
import { type InitScene, initRunsOf, resetInits, runInits, stopInits } from './restore-inits.ts';
import { type SimPod, statusOf } from './sim-pod.ts';

/** What kubelets share. */
export interface KubeletScene {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly ether: Ether;
  /** What lies on disks, by place. */
  readonly directories: Map<string, DataDirectory>;
  /** The pods as the API server has them, by UID. */
  readonly stored: ReadonlyMap<string, Pod>;
  readonly claimUid: (namespace: string, claim: string) => string | undefined;
  readonly resolves: (host: string) => boolean;
  readonly takeAddress: (kubelet: Kubelet, pod: SimPod) => string;
  readonly freeAddress: (ip: string) => void;
  readonly onStarted: (member: Member, kubelet: Kubelet, pod: SimPod) => void;
  /** False while a linearizable read through this member would not be answered. */
  readonly canServe: (member: Member) => boolean;
  /** True while there is no room left to write. */
  readonly isFull: (place: string) => boolean;
  /** True while a pod on another node may write to a volume. */
  readonly isHeldElsewhere: (place: string, by: Kubelet) => boolean;
  /** What the containers of a restore find around them. */
  readonly inits: InitScene;
  readonly note: (line: string) => void;
  readonly track: (work: Promise<unknown>) => void;
}

/** How etcd ends when its disk is full, and again whenever it starts. */
export const noRoom = { code: 1, message: 'failed to commit tx: no space left on device' };
const resolveFor = 30_000;
const farFuture = '2099-01-01T00:00:00.000000Z';

/** One node: it runs the pods that are bound to it, as far as it can see them, and reports what becomes of them. */
export class Kubelet {
  readonly name: string;
  readonly pods = new Map<string, SimPod>();
  isUp = true;
  /** True while it cannot reach the API server: it keeps running what it runs. */
  isCutOff = false;
  isGone = false;
  downSince = 0;
  /** By how much its wall clock is wrong. */
  clockOffset = 0;
  readonly #scene: KubeletScene;
  /** What it says of its node, one word after the other. */
  #words: Promise<void> = Promise.resolve();

  constructor(name: string, scene: KubeletScene) {
    this.name = name;
    this.#scene = scene;
  }

  /** Makes the node known. It is heard of for ever, unless it says otherwise. */
  async register(): Promise<void> {
    const { client } = this.#scene;
    const labels = { 'kubernetes.io/hostname': this.name };
    await client.resource(nodes).create({ metadata: { name: this.name, labels }, spec: {} });
    await client.resource(leases).create({
      metadata: { namespace: 'kube-node-lease', name: this.name },
      spec: { holderIdentity: this.name, leaseDurationSeconds: 40, renewTime: farFuture },
    });
    await this.#reportReady();
  }

  /** The API server hears nothing of it from now on. */
  stopReporting(): void {
    const renewTime = new Date(this.#scene.clock.now() + this.clockOffset).toISOString().replace('Z', '000Z');
    this.#say(() => this.#renew(renewTime));
  }

  heardAgain(): void {
    this.#say(() => this.#renew(farFuture).then(() => this.#reportReady()));
  }

  /** The last word on a node must be the one that was said last. */
  #say(word: () => Promise<void>): void {
    this.#words = this.#words.then(word);
    this.#scene.track(this.#words);
  }

  /** Power off: every process is gone at once. */
  lose(): void {
    this.isUp = false;
    this.downSince = this.#now();
    for (const pod of this.pods.values()) {
      if (pod.member) this.#scene.ether.end(pod.member, { code: 137, message: '' });
      pod.member = undefined;
      stopInits(pod);
      const directory = this.#scene.directories.get(pod.place);
      if (directory) losePower(directory);
    }
    this.stopReporting();
  }

  /** The machine never comes back, and what lay on its own disks is lost. */
  vanish(): void {
    this.isGone = true;
    this.lose();
    for (const { place, ip } of this.pods.values()) {
      this.#scene.freeAddress(ip);
      if (!place.startsWith('claim/')) this.#scene.directories.delete(place);
    }
    this.pods.clear();
  }

  cutOff(): void {
    this.isCutOff = true;
    this.stopReporting();
  }

  reconnect(): void {
    if (!this.isCutOff) return;
    this.isCutOff = false;
    if (this.isUp) this.heardAgain();
  }

  /** Power on again, or a reboot: sandboxes are made again, memory is empty. */
  boot(): void {
    this.isUp = true;
    for (const pod of this.pods.values()) {
      this.#scene.freeAddress(pod.ip);
      if (pod.place.startsWith('memory/')) this.#scene.directories.delete(pod.place);
      resetInits(pod);
      if (pod.proof) fail(pod);
      Object.assign(pod, {
        ip: '',
        member: undefined,
        phase: 'sandbox',
        due: this.#now() + 2_000,
        isReady: false,
        hasStarted: false,
        restarts: pod.restarts + 1,
      });
    }
    if (!this.isCutOff) this.heardAgain();
  }

  /** One look at everything: what is due happens, what has changed is reported. */
  tick(): void {
    if (!this.isUp || this.isGone) return;
    if (!this.isCutOff) this.#seePods();
    for (const pod of [...this.pods.values()]) {
      this.#run(pod);
      if (!this.isCutOff) this.#report(pod);
    }
  }

  /** Ends the process of a pod the hard way. */
  crash(pod: SimPod, exit = { code: 137, message: '' }): void {
    if (pod.member) this.#scene.ether.end(pod.member, exit);
  }

  #seePods(): void {
    for (const pod of this.#scene.stored.values())
      if (pod.spec?.nodeName === this.name && !this.pods.has(uidOf(pod))) this.#admit(pod);
    for (const pod of [...this.pods.values()]) {
      const seen = this.#scene.stored.get(pod.uid);
      if (seen) pod.object = seen;
      else this.#forget(pod);
      if (seen?.metadata?.deletionTimestamp && pod.stopAt === undefined)
        pod.stopAt = this.#now() + this.#some(200, 1_500);
    }
  }

  #admit(object: Pod): void {
    const { name = '', namespace = '' } = object.metadata ?? {};
    const { clientPort, isAlone, volume: mounted } = placeIn(object);
    const volume = this.#placeOf(object, 'etcd-data');
    const place = this.#placeOf(object, mounted);
    if (place === undefined || volume === undefined) return;
    const uid = uidOf(object);
    this.pods.set(uid, {
      uid,
      namespace,
      name,
      object,
      ip: '',
      ipSince: 0,
      ...{ place, volume, clientPort, isAlone },
      inits: initRunsOf(object),
      proof: proofRunOf(object),
      hasFailed: false,
      received: { sha256: undefined, isOver: false },
      phase: 'sandbox',
      image: imageOf(object),
      due: this.#now() + this.#some(100, 800),
      member: undefined,
      startedAt: 0,
      restarts: 0,
      lastExit: undefined,
      failures: 0,
      hasStarted: false,
      isReady: false,
      unreadyChecks: 0,
      stopAt: undefined,
      written: '',
      isWriting: false,
    });
  }

  /** Undefined while its volume is not there. */
  #placeOf({ metadata, spec }: Pod, mounted: string): string | undefined {
    const volume = spec?.volumes?.find(({ name }) => name === mounted);
    if (!volume?.persistentVolumeClaim) {
      return volume?.emptyDir?.medium === 'Memory' ? `memory/${metadata?.uid}` : `pod/${metadata?.uid}`;
    }
    const uid = this.#scene.claimUid(metadata?.namespace ?? '', volume.persistentVolumeClaim.claimName);
    return uid === undefined ? undefined : `claim/${uid}`;
  }

  #forget(pod: SimPod): void {
    const { ether, freeAddress, directories } = this.#scene;
    if (pod.member) ether.end(pod.member, { code: 137, message: '' });
    stopInits(pod);
    freeAddress(pod.ip);
    if (!pod.place.startsWith('claim/')) directories.delete(pod.place);
    this.pods.delete(pod.uid);
  }

  #run(pod: SimPod): void {
    if (pod.stopAt !== undefined && this.#now() >= pod.stopAt) {
      this.#stop(pod);
      return;
    }
    if (pod.member?.exit) this.#noteExit(pod, pod.member.exit);
    if (pod.startedAt > 0 && imageOf(pod.object) !== pod.image) this.#changeImage(pod);
    if (pod.phase === 'printed' || pod.hasFailed) return;
    if (pod.phase === 'running') runProof(pod, this.#now(), this.#scene.inits.contentOf);
    if (pod.phase === 'running') this.#probe(pod);
    else if (this.#now() >= pod.due && pod.stopAt === undefined) this.#advance(pod);
  }

  /** A container whose image is not that of the spec any more is ended, and restarted without a pause. */
  #changeImage(pod: SimPod): void {
    if (pod.member) this.#scene.ether.stop(pod.member);
    if (pod.member) pod.lastExit = { code: 0, message: '' };
    const image = imageOf(pod.object);
    Object.assign(pod, { member: undefined, image, phase: 'backoff', failures: 0, isReady: false, hasStarted: false });
    pod.due = this.#now() + this.#some(500, 3_000);
  }

  #stop(pod: SimPod): void {
    if (pod.phase === 'ended') return;
    if (pod.member) this.#scene.ether.stop(pod.member);
    stopInits(pod);
    pod.member = undefined;
    pod.phase = 'ended';
    pod.isReady = false;
    if (this.isCutOff) pod.phase = 'backoff';
    else this.#scene.track(this.#strike(pod));
  }

  /** The last word of a kubelet on a pod. */
  async #strike({ name, namespace, uid }: SimPod): Promise<void> {
    const options = { gracePeriodSeconds: 0, preconditions: { uid } };
    await tolerant(this.#scene.client.resource(pods).delete({ name, namespace }, options));
  }

  #advance(pod: SimPod): void {
    const { takeAddress } = this.#scene;
    if (pod.phase === 'sandbox') {
      pod.ip = pod.ip || takeAddress(this, pod);
      pod.ipSince = this.#now();
      pod.phase = pod.object.spec?.initContainers?.length ? 'init' : 'backoff';
      pod.due = this.#now() + 100;
      if (pod.phase === 'init') return;
    }
    if (pod.phase === 'init' && !this.#isPrepared(pod)) return;
    if (this.#scene.isHeldElsewhere(pod.volume, this)) pod.due = this.#now() + 2_000;
    else this.#start(pod);
  }

  /** Its init containers have ended. */
  #isPrepared(pod: SimPod): boolean {
    // A volume that another node still holds cannot be mounted here.
    if (this.#scene.isHeldElsewhere(pod.volume, this)) {
      pod.due = this.#now() + 2_000;
      return false;
    }
    if (pod.proof && pod.inits.some(({ state }) => state === 'backoff')) fail(pod);
    if (pod.hasFailed || !runInits(pod, this.#scene.inits)) return false;
    const { awaited, others } = settingsOf(pod.object);
    const { directories, resolves } = this.#scene;
    const isAnswered = awaited.length === 0 || awaited.some((host) => resolves(host));
    // On an empty directory etcd itself tries for half a minute to resolve the others.
    const isAsking = !directories.has(pod.place) && this.#now() - pod.ipSince < resolveFor;
    if (!isAnswered || (isAsking && !others.every((host) => resolves(host)))) {
      pod.due = this.#now() + 1_000;
      return false;
    }
    return true;
  }

  #start(pod: SimPod): void {
    const { ether, directories } = this.#scene;
    if (isMissingImage(pod.image)) {
      pod.phase = 'unpulled';
      pod.due = this.#now() + 60_000;
      return;
    }
    if (isVersionQuestion(pod.object)) {
      pod.startedAt = this.#now();
      pod.phase = 'printed';
      return;
    }
    const { settings, boot } = settingsOf(pod.object);
    if (pod.startedAt > 0) pod.restarts++;
    pod.startedAt = this.#now();
    pod.phase = 'running';
    pod.hasStarted = false;
    if (this.#scene.isFull(pod.place)) {
      this.#noteExit(pod, noRoom);
      return;
    }
    const started = ether.start(directories.get(pod.place), settings, boot, this.name);
    if ('code' in started) {
      this.#scene.note(`etcd ${settings.name} does not start: ${started.message}`);
      this.#noteExit(pod, started);
      return;
    }
    directories.set(pod.place, started.directory);
    pod.member = started;
    this.#scene.onStarted(started, this, pod);
  }

  #noteExit(pod: SimPod, exit: SimPod['lastExit']): void {
    if (this.#now() - pod.startedAt > 600_000) pod.failures = 0;
    const delay = Math.min(300_000, 10_000 * 2 ** pod.failures++);
    Object.assign(pod, { member: undefined, lastExit: exit, phase: 'backoff', due: this.#now() + delay });
    Object.assign(pod, { isReady: false, hasStarted: false });
    if (pod.proof) fail(pod);
  }

  #probe(pod: SimPod): void {
    const { member } = pod;
    if (!member) return;
    pod.hasStarted ||= this.#now() - pod.startedAt > 1_000;
    if (member.isServing && this.#scene.canServe(member)) {
      pod.unreadyChecks = 0;
      // Aside of the Services nothing listens where its probe looks.
      pod.isReady = pod.hasStarted && pod.clientPort === 2379;
    } else if (++pod.unreadyChecks >= 12) {
      pod.isReady = false;
    }
  }

  #report(pod: SimPod): void {
    if (pod.isWriting || pod.phase === 'ended') return;
    const { phase, ip, restarts, isReady, hasStarted, startedAt, member, lastExit } = pod;
    const inits = pod.inits.map((run) => [run.state, run.restarts, run.exit?.code].join());
    const text = [
      phase,
      ip,
      restarts,
      isReady,
      hasStarted,
      startedAt,
      member !== undefined,
      lastExit?.code,
      pod.proof?.exit?.code,
      pod.hasFailed,
      ...inits,
    ].join();
    // Others may write of it too: a node that is not heard of has no ready pods.
    if (text === pod.written && isReady === isReadyAsStored(pod.object)) return;
    const status = statusOf(pod, (time) => this.#stamp(time));
    pod.isWriting = true;
    const { name, namespace, uid } = pod;
    const patch = { metadata: { uid }, status };
    const write = this.#scene.client.resource(pods).status.patch({ name, namespace }, { type: 'merge', patch });
    const finish = async () => {
      await tolerant(write);
      pod.isWriting = false;
      pod.written = text;
    };
    this.#scene.track(finish());
  }

  /** Wall-clock time of a moment of the monotonic clock, in whole seconds. */
  #stamp(time: number): string {
    const { clock } = this.#scene;
    return `${new Date(clock.now() + this.clockOffset - clock.monotonic() + time).toISOString().slice(0, 19)}Z`;
  }

  async #renew(renewTime: string): Promise<void> {
    const key = { namespace: 'kube-node-lease', name: this.name };
    await tolerant(this.#scene.client.resource(leases).patch(key, { type: 'merge', patch: { spec: { renewTime } } }));
  }

  async #reportReady(): Promise<void> {
    const now = this.#stamp(this.#now());
    const ready = {
      type: 'Ready',
      status: 'True',
      reason: 'KubeletReady',
      lastHeartbeatTime: now,
      lastTransitionTime: now,
    };
    const status = {
      allocatable: { cpu: '8', memory: '16Gi', pods: '110', 'ephemeral-storage': '100Gi' },
      conditions: [ready],
    };
    await tolerant(
      this.#scene.client.resource(nodes).status.patch({ name: this.name }, { type: 'merge', patch: { status } }),
    );
  }

  #now(): number {
    return this.#scene.clock.monotonic();
  }

  #some(least: number, most: number): number {
    return least + Math.floor(this.#scene.random.next() * (most - least));
  }
}

/** Its containers are not started again. */
function fail(pod: SimPod): void {
  pod.hasFailed = true;
}

async function tolerant(write: Promise<unknown>): Promise<void> {
  try {
    await write;
  } catch (error) {
    if (!isKubeError(error, 'NotFound', 'Conflict', 'Invalid')) throw error;
  }
}

function isReadyAsStored({ status }: Pod): boolean {
  return status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') ?? false;
}

function imageOf({ spec }: Pod): string {
  return spec?.containers[0]?.image ?? '';
}

/** A pod that tells which etcd is in its image, and ends. */
function isVersionQuestion({ spec }: Pod): boolean {
  return spec?.containers[0]?.command?.includes('--version') ?? false;
}

function uidOf(pod: Pod): string {
  return pod.metadata?.uid ?? '';
}
