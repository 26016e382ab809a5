// SPDX-License-Identifier: Apache-2.0
import { joinsAsLearner, quorum, versionOf } from '@operator-parts/etcd';
import type { Clock } from '@operator-parts/ports';
import type { EtcdClusterStatus } from '../../../api/etcd-cluster.ts';
import type { Desired } from '../../desired.ts';
import type { IdentityRecord, MemberVolume, Observation } from '../../observation.ts';
import { blankDirectoryMessage } from '../member-health.ts';
import type { Step } from '../step.ts';
import { desiredOf, noContainer, podOf, volumeOf } from './fixtures.ts';
import { type DataDirectory, type LiveProcess, ModelEtcd, type ModelMember, SafetyViolation } from './model-etcd.ts';
import { crashed, healthyNode, type ModelNode, type ModelPod, startedVersion, waiting } from './model-node.ts';
import type { Mutable } from './mutable.ts';
import { OperatorMemory } from './operator-memory.ts';

/** How long a deleted pod takes to end, in milliseconds. */
const gracePeriod = 2_000;
/** How long a node may fail to report before it and its pods count as not ready, in milliseconds. */
const notReadyAfter = 40_000;
/** How long a pod on a node that is not ready is kept before it is marked for deletion. */
const evictAfter = 300_000;

/**
 * A small model for testing the planner: nodes that run pods, data in a pod or on a volume, processes that start on the data that they
 * find, and etcd as a member list with its own rules. The model refuses what etcd and the API server refuse, and throws on a state that
 * must never occur. So if the planner runs in this model, the safety rules are checked. `observe.ts` shows the model to the operator,
 * `apply.ts` carries out the operator's steps, and `faults.ts` makes all other changes.
 */
export class World {
  /** Monotonic, like every duration that the operator measures. */
  now = 1_000_000;
  /** The difference between the wall clock and `now`. */
  wallOffset = 1_700_000_000_000;
  desired: Desired;
  generation = 1;
  paused = false;
  /** The revisions of pods and of their labels that the spec asks for. */
  template = 0;
  labels = 0;
  status: EtcdClusterStatus | undefined;
  inAnnotation: IdentityRecord | undefined;
  bootstrapVersion: string | undefined;
  readonly uid = 'uid-1';
  readonly etcd = new ModelEtcd();
  readonly nodes = new Map<string, ModelNode>();
  readonly pods = new Map<string, ModelPod>();
  readonly volumes = new Map<string, Mutable<MemberVolume>>();
  readonly directories = new Map<string, DataDirectory>();
  readonly imageChecks = new Map<string, { node: string; image: string; createdAt: number }>();
  services = { peer: 'missing', client: 'missing' } as Mutable<Observation['services']>;
  minAvailable: number | undefined;
  /** UIDs of pods that cannot be reached: `cut` by any client, `hidden` by the operator, `severed` by their peers. */
  readonly cut = new Set<string>();
  readonly hidden = new Set<string>();
  readonly severed = new Set<string>();
  /** By pod UID: who can never reach the pod, because its network was set up wrongly. The network of a new pod works again. */
  readonly brokenNetworks = new Map<string, 'peers' | 'all'>();
  /** The same for the pod of the next learner. */
  nextBrokenNetwork: 'peers' | 'all' | undefined;
  /** By pod UID: the other etcd that answers at the address of the pod for a while. It belongs to another pod or to another cluster. */
  readonly strays = new Map<string, { readonly to: string; readonly until: number }>();
  /** True if a volume can be used only on the node of its first pod. */
  isLocal = false;
  /** By volume UID: the node that the volume is bound to. */
  readonly pins = new Map<string, string>();
  /** Running members that the operator did not create, by member ID. */
  readonly unmanaged = new Map<string, { readonly directory: DataDirectory; readonly upSince: number }>();
  /** True while the operator cannot read which members hear from which. */
  isDeaf = false;
  /** True while a webhook reverts changes to a pod's labels. */
  isStripping = false;
  /** The time since which there has been a quorum without interruption. */
  quorumSince: number | undefined;
  /** What the operator's process remembers; lost when it ends. */
  memory: OperatorMemory;
  readonly brokenImages = new Set<string>();
  secretProblems: readonly string[] = [];
  /** Raised alarms, each with the member that etcd names; `0` if etcd cannot tell. */
  alarms: readonly { readonly alarm: 'NOSPACE' | 'CORRUPT'; readonly memberId: string }[] = [];
  /** The faults in the data of members when etcd raised CORRUPT. No other member may receive these faults afterwards. */
  readonly noticed = new Set<string>();
  /** True while no node has room for another pod. */
  isFull = false;
  /** Names of the EtcdRestores that the operator has created. */
  readonly restores = new Set<string>();
  incarnation = 1;
  readonly log: string[] = [];
  #serial = 0;
  #taken: readonly { readonly text: string; readonly at: number }[] = [];

  constructor(desired: Partial<Desired> = {}, nodes = 5) {
    this.desired = desiredOf(desired);
    this.memory = new OperatorMemory(this.clock);
    for (let index = 1; index <= nodes; index++) this.nodes.set(`n${index}`, healthyNode());
  }

  get clock(): Pick<Clock, 'now' | 'monotonic'> {
    return { now: () => this.now + this.wallOffset, monotonic: () => this.now };
  }

  /** Ends the operator's process and starts a new one, which remembers nothing. */
  restartOperator(): void {
    this.memory = new OperatorMemory(this.clock);
  }

  get members(): readonly ModelMember[] {
    return this.etcd.members;
  }

  /** True if this step has been taken more than 16 times within five seconds. Two operators that restart may take it 16 times. */
  repeats(step: Step): boolean {
    if (step.do === 'nudgeSnapshot') return false;
    const text = JSON.stringify({ ...step, resourceVersion: '' });
    this.#taken = [...this.#taken.filter(({ at }) => this.now - at < 5_000), { text, at: this.now }];
    return this.#taken.filter((taken) => taken.text === text).length > 16;
  }

  serial(prefix: string): string {
    return `${prefix}-${++this.#serial}`;
  }

  touch(pod: ModelPod): void {
    pod.facts.resourceVersion = this.serial('rv');
  }

  change(desired: Partial<Desired>): void {
    const next = { ...this.desired, ...desired };
    this.desired = { ...next, image: `${next.repository}:v${next.version}` };
    this.generation++;
  }

  // ---- time

  /** Advances the time: deleted pods end, pods are scheduled and started, processes start on the data that they find, or fail. */
  tick(milliseconds = 1_000): void {
    this.now += milliseconds;
    this.#notice();
    for (const pod of [...this.pods.values()]) {
      this.#evict(pod);
      if (pod.inside.deletedAt !== undefined) this.#end(pod);
      else this.#run(pod);
    }
    for (const volume of [...this.volumes.values()]) {
      if (volume.terminating && !this.#isMounted(volume)) this.removeVolume(volume.name);
    }
    this.settle();
    for (const pod of this.pods.values()) this.#probe(pod);
  }

  /** Kubernetes notices nodes that have not reported for some time, and addresses that have changed. */
  #notice(): void {
    for (const { isUp, downSince = this.now, facts } of this.nodes.values())
      if (!isUp && this.now - downSince >= notReadyAfter) facts.ready = false;
    for (const [uid, { until }] of this.strays) if (this.now >= until) this.strays.delete(uid);
  }

  /** The kubelet's probe is a linearizable read. For a node that does not report, the last result counts until the node is not ready. */
  #probe(pod: ModelPod): void {
    const node = this.nodes.get(pod.facts.node);
    if (node && !node.isUp && node.facts.ready) return;
    const process = node?.isUp ? this.processOf(pod) : undefined;
    pod.facts.ready = process !== undefined && this.hasQuorum() && this.processes().has(process.memberId);
  }

  /** Brings etcd in line with the reachable members; called after every change. */
  settle(): void {
    for (const pod of this.pods.values()) this.#noteReachability(pod);
    this.etcd.live(this.processes(), this.alarms.length > 0);
    if (!this.hasQuorum()) this.quorumSince = undefined;
    else this.quorumSince ??= this.now;
  }

  #evict(pod: ModelPod): void {
    const since = this.nodes.get(pod.facts.node)?.downSince;
    if (since !== undefined && this.now - since >= notReadyAfter + evictAfter && pod.inside.deletedAt === undefined) {
      this.deletePod(pod.facts.name);
    }
  }

  /** Removes a deleted pod once its node can report that it has ended, or once its node is deleted (garbage collection). */
  #end(pod: ModelPod): void {
    const node = this.nodes.get(pod.facts.node);
    const age = this.now - (pod.inside.deletedAt ?? this.now);
    if (node && !node.isUp && (node.facts.exists || age < 60_000)) return;
    if (age >= gracePeriod) this.removePod(pod.facts.name);
  }

  #run(pod: ModelPod): void {
    const { facts } = pod;
    if (facts.phase === 'Failed') return;
    if (facts.node === '' && !this.#place(pod)) return;
    const node = this.nodes.get(facts.node);
    if (!node?.isUp) return;
    if (node.isJammed && facts.ip === '') {
      facts.container = noContainer;
      return;
    }
    if (pod.inside.startedImage === facts.image && facts.container.state === 'running') return;
    if (this.brokenImages.has(facts.image)) {
      this.#stop(pod);
      waiting(pod, 'ImagePullBackOff', `Back-off pulling image "${facts.image}"`);
      this.touch(pod);
      return;
    }
    this.#startContainer(pod);
  }

  #place(pod: ModelPod): boolean {
    const load = (name: string) => [...this.pods.values()].filter(({ facts }) => facts.node === name).length;
    const pin = this.pins.get(pod.inside.volumeUid);
    const [node] = [...this.nodes]
      .filter(([, { facts, isUp }]) => isUp && facts.exists && facts.ready && facts.schedulable)
      .filter(([name]) => pin === undefined || pin === name)
      .map(([name]) => name)
      .sort((a, b) => load(a) - load(b) || (a < b ? -1 : 1));
    if (node === undefined || this.isFull) {
      pod.facts.container = { ...noContainer, reason: 'Unschedulable', message: '0 of 5 nodes are available' };
      return false;
    }
    pod.facts.node = node;
    pod.facts.container = noContainer;
    if (this.isLocal && pod.facts.data === 'claim') this.pins.set(pod.inside.volumeUid, node);
    this.touch(pod);
    return true;
  }

  #startContainer(pod: ModelPod): void {
    const { facts, inside } = pod;
    inside.startedImage = facts.image;
    inside.containers++;
    inside.snapshots = 0;
    facts.phase = 'Running';
    facts.ip = facts.ip || `10.0.0.${inside.containers}`;
    facts.container = { ...facts.container, id: `${facts.uid}/${inside.containers}`, message: '' };
    this.touch(pod);
    const failure = this.#boot(pod);
    if (failure === 'waits') {
      waiting(pod, 'PodInitializing', '');
      inside.startedImage = '';
      return;
    }
    if (failure !== undefined) {
      crashed(pod, failure);
      if (facts.adopted) facts.phase = 'Failed';
      return;
    }
    facts.container = {
      ...facts.container,
      state: 'running',
      reason: '',
      startedAt: this.now + this.wallOffset,
      runningSince: this.now,
    };
  }

  /** Undefined if etcd runs now; `waits` if it must be started again a little later; else the message with which it ended. */
  #boot(pod: ModelPod): string | undefined {
    const place = this.placeOf(pod);
    const directory = this.directories.get(place);
    if (directory) return this.#resume(pod, directory);
    const { boot, name } = pod.facts;
    const minor = this.#minorOf(pod);
    if (boot === 'new' || (boot === 'fixed' && this.etcd.clusterId === '')) {
      this.#guardBootstrap(name);
      this.directories.set(place, this.etcd.found(name, this.now, minor));
      return undefined;
    }
    const member = this.members.find((candidate) => candidate.podName === name);
    if (boot !== 'existing' || !member)
      return `${blankDirectoryMessage} "${name}" in the initial cluster configuration`;
    // A joining member starts only when every name in its member list resolves.
    if (this.members.some((other) => !this.pods.has(other.podName) && other.name === '')) return 'waits';
    if (!member.isLearner && member.name !== '') return this.#bootBlankVoter(pod);
    if (!pod.inside.isBootstrapSetByHand && pod.facts.bootPeers.join() !== this.etcd.peerUrls().join())
      return 'error validating peerURLs: member count is unequal';
    if (minor < this.etcd.clusterMinor || minor > this.etcd.clusterMinor + 1)
      throw new SafetyViolation(`${name} joins a cluster of minor ${this.etcd.clusterMinor} with minor ${minor}`);
    const leader = this.processes().get(this.etcd.leaderId)?.directory;
    const { clusterId, clusterMinor } = this.etcd;
    this.directories.set(place, {
      memberId: member.id,
      clusterId,
      log: 0,
      logMinor: Math.min(minor, leader?.logMinor ?? minor),
      storageMinor: clusterMinor,
      // The member receives the leader's data.
      fault: leader?.fault,
    });
    return undefined;
  }

  /**
   * A voter starts without data, which the operator must never cause. Two cases have other causes: a user has set the bootstrap
   * configuration of the pod by hand, or the voter could not join as a learner because of its version and has just started. The model does
   * not throw then, because etcd itself detects the error.
   */
  #bootBlankVoter({ facts, inside }: ModelPod): string {
    if (!inside.isBootstrapSetByHand && joinsAsLearner(versionOf(facts.version)))
      throw new SafetyViolation(`voter ${facts.name} starts on an empty directory`);
    return 'panic: tocommit is out of range';
  }

  /** Starts a process on existing data; its bootstrap configuration is ignored. */
  #resume(pod: ModelPod, directory: DataDirectory): string | undefined {
    const minor = this.#minorOf(pod);
    const isListed = this.members.some((member) => member.id === directory.memberId);
    if (directory.clusterId !== this.etcd.clusterId || !isListed) return 'the member has been permanently removed';
    if (minor >= 6 && directory.logMinor < minor - 1)
      throw new SafetyViolation(`${pod.facts.name} of minor ${minor} finds entries of minor ${directory.logMinor}`);
    if (minor < directory.storageMinor)
      throw new SafetyViolation(`${pod.facts.name} of minor ${minor} finds a database of ${directory.storageMinor}`);
    return undefined;
  }

  /** A cluster may be bootstrapped only if no cluster ID is recorded. */
  #guardBootstrap(name: string): void {
    const recorded =
      this.inAnnotation?.clusterId ||
      this.status?.clusterID ||
      [...this.volumes.values()].find((volume) => volume.clusterId !== '')?.clusterId ||
      [...this.pods.values()].find((pod) => pod.facts.clusterId !== '')?.facts.clusterId;
    if (recorded) throw new SafetyViolation(`${name} founds a second cluster beside ${recorded}`);
  }

  #minorOf({ facts }: ModelPod): number {
    return versionOf(facts.version).minor;
  }

  // ---- running processes and their data

  placeOf({ facts, inside }: ModelPod): string {
    return facts.data === 'claim' ? `volume/${inside.volumeUid}` : `pod/${facts.uid}`;
  }

  /** Running processes that their peers can reach, by member ID; members that the operator did not create included. */
  processes(): ReadonlyMap<string, LiveProcess> {
    const found = new Map<string, LiveProcess>();
    for (const pod of this.pods.values()) {
      const process = this.processOf(pod);
      const member = this.members.find((candidate) => candidate.id === process?.memberId);
      // Peers find a member only under its own name. A process that runs on the data of another member is not found.
      if (process && member?.podName === pod.facts.name) found.set(process.memberId, process);
    }
    const version = { ...versionOf('3.6.16'), minor: this.etcd.clusterMinor };
    for (const [id, { directory, upSince }] of this.unmanaged) {
      if (this.members.some((member) => member.id === id))
        found.set(id, { memberId: id, directory, version, raisedMaxLearners: false, upSince });
    }
    return found;
  }

  processOf(pod: ModelPod): LiveProcess | undefined {
    const { facts, inside } = pod;
    const directory = this.directories.get(this.placeOf(pod));
    const version = startedVersion(pod);
    if (!directory || !version || inside.upSince === undefined) return undefined;
    const { memberId } = directory;
    return { memberId, directory, version, raisedMaxLearners: !facts.adopted, upSince: inside.upSince };
  }

  #noteReachability(pod: ModelPod): void {
    const { uid } = pod.facts;
    const isApart = this.cut.has(uid) || this.severed.has(uid) || this.brokenNetworks.has(uid);
    const isConnected = this.#isRunning(pod) && !isApart;
    if (isConnected && pod.inside.upSince === undefined) {
      pod.inside.upSince = this.now;
      const member = this.members.find((candidate) => candidate.podName === pod.facts.name);
      if (member && this.directories.get(this.placeOf(pod))?.memberId === member.id) member.name = pod.facts.name;
    }
    if (!isConnected) pod.inside.upSince = undefined;
  }

  /** True if the operator can reach its etcd. */
  isReachable(pod: ModelPod): boolean {
    const { uid } = pod.facts;
    const isHidden = this.cut.has(uid) || this.hidden.has(uid) || this.brokenNetworks.get(uid) === 'all';
    return this.#isRunning(pod) && !isHidden;
  }

  #isRunning(pod: ModelPod): boolean {
    const { facts } = pod;
    const directory = this.directories.get(this.placeOf(pod));
    const isMember = directory && this.members.some((member) => member.id === directory.memberId);
    return (
      Boolean(isMember) &&
      facts.container.state === 'running' &&
      pod.inside.startedImage === facts.image &&
      this.nodes.get(facts.node)?.isUp === true
    );
  }

  #stop(pod: ModelPod): void {
    pod.inside.startedImage = '';
    pod.facts.ready = false;
  }

  hasQuorum(): boolean {
    const voters = this.etcd.voters();
    const processes = this.processes();
    const present = voters.filter((member) => processes.has(member.id)).length;
    return voters.length > 0 && present >= quorum(voters.length);
  }

  /** True while a deleted pod still exists. */
  isEnding(): boolean {
    return [...this.pods.values()].some(({ facts }) => facts.terminating);
  }

  get isCorrupt(): boolean {
    return this.alarms.some(({ alarm }) => alarm === 'CORRUPT');
  }

  // ---- objects

  makePod(name: string, options: Partial<ModelPod['facts']>, onVolume = false): void {
    if (this.pods.has(name)) return;
    const data = onVolume ? 'claim' : this.desired.storage;
    const freshVolume = data === 'claim' && !this.volumes.has(name);
    const volumeUid = data === 'claim' ? this.#claim(name, options.version ?? '') : '';
    const bootPeers = options.boot === 'existing' ? this.etcd.peerUrls() : [];
    const facts = {
      ...podOf({
        name,
        uid: this.serial('pod'),
        createdAt: this.now + this.wallOffset,
        phase: 'Pending',
        node: '',
        ip: '',
        data,
        incarnation: this.incarnation,
      }),
      resourceVersion: this.serial('rv'),
      peerTLS: this.desired.peerTLS,
      freshVolume,
      bootPeers,
      ...options,
    };
    const inside = {
      template: this.template,
      labels: this.labels,
      volumeUid,
      deletedAt: undefined,
      startedImage: '',
      containers: 0,
      upSince: undefined,
      snapshots: 0,
      isBootstrapSetByHand: false,
    };
    this.pods.set(name, { facts, inside });
    const isLearner = this.members.some(({ podName, ...member }) => podName === name && member.isLearner);
    if (!isLearner || this.nextBrokenNetwork === undefined) return;
    this.brokenNetworks.set(facts.uid, this.nextBrokenNetwork);
    this.nextBrokenNetwork = undefined;
  }

  #claim(name: string, version: string): string {
    const known = this.volumes.get(name);
    if (known) return known.uid;
    const { incarnation } = this;
    const volume = volumeOf({ name, uid: this.serial('volume'), version, tls: this.#tls(), incarnation });
    this.volumes.set(name, volume);
    return volume.uid;
  }

  #tls(): MemberVolume['tls'] {
    return { peer: this.desired.peerTLS, client: this.desired.clientTLS };
  }

  deletePod(name: string): void {
    const pod = this.pods.get(name);
    if (!pod || pod.facts.terminating) return;
    pod.facts.terminating = true;
    pod.inside.deletedAt = this.now;
    this.touch(pod);
  }

  /** Deletes the pod at once, with its data unless that is on a volume. */
  removePod(name: string): void {
    const pod = this.pods.get(name);
    this.pods.delete(name);
    if (pod && pod.facts.data !== 'claim') this.directories.delete(this.placeOf(pod));
  }

  /** A PersistentVolumeClaim in use remains until its pod has ended. */
  deleteVolume(name: string): void {
    const volume = this.volumes.get(name);
    if (!volume) return;
    if (this.#isMounted(volume)) volume.terminating = true;
    else this.removeVolume(name);
  }

  removeVolume(name: string): void {
    this.directories.delete(`volume/${this.volumes.get(name)?.uid}`);
    this.volumes.delete(name);
  }

  #isMounted({ uid }: MemberVolume): boolean {
    return [...this.pods.values()].some((pod) => pod.inside.volumeUid === uid);
  }
}
