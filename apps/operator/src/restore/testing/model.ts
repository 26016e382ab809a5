// SPDX-License-Identifier: Apache-2.0
import { desiredOf } from '../../cluster/desired.ts';
import { noGrants, type PodGrants } from '../../cluster/grants/pod-grants.ts';
import type {
  ClusterPod,
  ClusterVolume,
  JobState,
  RestoreObservation,
  SafetyFacts,
  SafetySnapshotPolicy,
  SeedFacts,
  SourceFacts,
} from '../observation.ts';
import { limitsOf } from '../plan/cluster-limits.ts';
import { expectedRevision } from '../plan/fit.ts';
import { planRestore } from '../plan/plan.ts';
import type { RestoreReport, RestoreStep } from '../plan/step.ts';
import { heldFacts } from '../plan/survivor/hold.ts';
import {
  idlePrefixes,
  type Memory,
  type ModelCluster,
  type Mutable,
  modelPod,
  modelVolume,
  patient,
} from './model-objects.ts';
import { copiedSource, liveSource, modelSource, pendingSource } from './model-source.ts';
import { wrongsOf, wrongsOfReport } from './rules.ts';
import { SurvivorWorld, survivorSource } from './survivor-world.ts';
import type { Trouble } from './trouble.ts';

/**
 * A model of a restore and its cluster, in memory: written objects survive a crash, jobs do not. The etcd-operator and the node are
 * modelled as far as a restore observes them. Every write is counted, so that a test can crash after each.
 */
export class RestoreModel {
  readonly trouble: Trouble;
  readonly survivors: SurvivorWorld | undefined;
  cluster: ModelCluster | undefined;
  pods: Mutable<ClusterPod>[] = [];
  volumes: Mutable<ClusterVolume>[] = [];
  grants: PodGrants = noGrants;
  secret = false;
  finalizer = false;
  deleting = false;
  gone = false;
  status: RestoreReport | undefined;
  source: SourceFacts | undefined;
  /** Everything that was reported: fields that are left out do not change. */
  readonly reported: Partial<RestoreReport> = {};
  safety: SafetyFacts | undefined;
  failure: string | undefined;
  startedAt = 0;
  /** The revision above which the restored data must begin. */
  seenRevision = 0;
  completedAt = 0;
  retention: number | undefined;
  listed: readonly string[] = [];
  seed: Mutable<SeedFacts> | undefined;
  inspect: JobState<SourceFacts> = { kind: 'idle' };
  verify: JobState<SourceFacts> = { kind: 'idle' };
  save: JobState<SafetyFacts> = { kind: 'idle' };
  deliver: JobState<SourceFacts> = { kind: 'idle' };
  /** The wall clock, which may be changed, and the monotonic clock. */
  now = 1_000_000;
  elapsed = 0;
  completedElapsed = 0;
  #memory: Memory = {};
  writes = 0;
  /**
   * The number of writes of the etcd-operator, the writes after which it is killed, and for how many more observations it does nothing
   * after that.
   */
  etcdWrites = 0;
  readonly etcdKills: readonly number[];
  #etcdAway = 0;
  /** True if the EtcdRestore of the present annotation no longer exists. */
  markIsOrphaned = false;
  /** True if the etcd-operator does nothing, for whatever reason. */
  etcdIsAway = false;
  /** Violations that were found, as text. */
  readonly wrongs: string[] = [];

  constructor(trouble: Trouble = {}, withCluster = true, etcdKills: readonly number[] = []) {
    this.trouble = trouble;
    this.survivors = trouble.survivor && new SurvivorWorld(trouble.survivor);
    this.etcdKills = etcdKills;
    if (!withCluster) return;
    this.cluster = {
      uid: 'u1',
      marker: undefined,
      incarnation: 1,
      clusterId: 'c1',
      used: 0,
      restoredBy: '',
      acknowledged: '',
      grown: true,
      grow: 0,
    };
    const { left = 'pods and volumes' } = trouble;
    const mayHoldData = !left.includes('volumes');
    if (this.survivors) {
      this.pods = this.survivors.pods();
      this.volumes = this.survivors.volumes();
      return;
    }
    for (const name of ['a', 'b', 'd']) {
      // One member alone has no quorum, so it is not Ready.
      if (left.includes('one pod') && name === 'a') this.pods.push({ ...modelPod(name, 1), ready: false, mayHoldData });
      const ready = !trouble.unreachable && !(trouble.lagging && name === 'a');
      if (left.includes('pods')) this.pods.push({ ...modelPod(name, 1), ready, mayHoldData });
      if (left.includes('volumes')) this.volumes.push({ ...modelVolume(name, 1), isIdentified: true });
    }
  }

  /** One reconciliation of the restore operator; stops after `limit` writes, as if killed. True if it was killed. */
  pass(limit: number): boolean {
    this.#world();
    if (this.gone) return false;
    const plan = patient(planRestore(this.observation(), this.now), this.#memory, this.elapsed);
    for (const { step } of plan.steps) {
      if (this.#apply(step)) this.writes++;
      this.wrongs.push(...wrongsOf(step, this));
      if (this.writes >= limit) return true;
    }
    if (plan.report && this.#record(plan.report)) this.writes++;
    this.wait(1_000);
    return this.writes >= limit;
  }

  wait(milliseconds: number): void {
    this.now += milliseconds;
    this.elapsed += milliseconds;
  }

  crash(): void {
    this.#memory = {};
    for (const job of ['inspect', 'verify', 'save', 'deliver'] as const) this[job] = { kind: 'idle' };
  }

  observation(): RestoreObservation {
    const { cluster } = this;
    const spec = { size: 3, version: '3.6.16' };
    const ended =
      this.status?.phase === 'Succeeded' ? 'succeeded' : this.status?.phase === 'Failed' ? 'failed' : undefined;
    if (this.completedAt > 0) this.#memory.endedAt ??= this.elapsed;
    return {
      restore: {
        name: 'r',
        uid: 'r1',
        generation: 1,
        deleting: this.deleting,
        hasFinalizer: this.finalizer,
        namespace: 'ns',
        clusterName: 'c',
        cloneOf: this.trouble.isClone ? 'origin' : undefined,
        survivor: this.trouble.survivor && { member: this.trouble.survivor.wanted },
        safetySnapshot: this.policy,
        retention: this.retention,
        requireManifest: false,
        acceptForeign: false,
        acceptWithoutAuth: false,
        isEncrypted: false,
        revisionBump: 1_000,
        timeout: 3_600_000,
        clusterSpec: undefined,
        ended,
        failure: this.failure,
        source: this.source,
        ...{ safety: this.safety, revision: this.reported.revision },
        listedVolumes: this.listed,
        completedAt: this.completedAt,
        startedAt: this.startedAt,
      },
      cluster: cluster && {
        uid: cluster.uid,
        deleting: false,
        desired: desiredOf('c', spec),
        limits: limitsOf(spec),
        secretProblems: [],
        marker: cluster.marker,
        markIsOrphaned: this.markIsOrphaned && cluster.marker?.uid !== 'r1',
        incarnation: cluster.incarnation,
        clusterId: cluster.clusterId,
        revision: 45,
        bootstrapVersion: '3.6.16',
        usedIncarnation: cluster.used,
        restoredBy: cluster.restoredBy,
        acknowledged: cluster.acknowledged,
        isAvailable: cluster.grown,
        waitingFor: '',
      },
      pods: this.pods.map((pod) => ({ ...pod })),
      otherOwnerPods: [],
      volumes: this.volumes.map((volume) => ({ ...volume })),
      seed: this.seed && { ...this.seed },
      holder: this.survivors?.holder && { ...this.survivors.holder },
      grants: this.grants,
      hasSecret: this.secret,
      endedFor: this.elapsed - (this.#memory.endedAt ?? this.elapsed),
      jobs: { inspect: this.inspect, verify: this.verify, save: this.save, deliver: this.deliver, ...idlePrefixes },
    };
  }

  /** The etcd-operator and the node take one step. */
  #world(): void {
    const { cluster } = this;
    this.pods = this.pods.filter((pod) => this.#stays(pod));
    this.volumes = this.volumes.filter((volume) => this.#stays(volume));
    if (this.seed?.terminating && !this.pods.some(({ uid }) => uid === this.seed?.uid)) this.seed = undefined;
    if (this.#etcdAway > 0 || this.etcdIsAway) this.#etcdAway--;
    else if (cluster && this.#etcdOperator(cluster)) {
      this.etcdWrites++;
      if (this.etcdKills.includes(this.etcdWrites)) this.#etcdAway = 10;
    }
    for (const pod of this.pods) if (pod.startedBy !== '') pod.running = true;
    this.survivors?.tick(this.pods);
    this.#runJobs();
    this.#runSeed();
    if (this.deleting && !this.finalizer) this.gone = true;
  }

  /** True if an object remains. Deleted objects disappear, unless they are on a lost node, or a pod on a lost node uses them. */
  #stays(item: Mutable<ClusterPod> | Mutable<ClusterVolume>): boolean {
    const { lostNode } = this.trouble;
    const isLost = item.name === lostNode || (lostNode === 'seed' && item.name === this.seed?.name);
    if (item.terminating && isLost) item.overdue = true;
    return !item.terminating || isLost;
  }

  /** One write of the etcd-operator: it reports that reconciliation is suspended, or adds one member to the new incarnation. */
  #etcdOperator(cluster: ModelCluster): boolean {
    const marked = cluster.marker?.uid ?? '';
    if (cluster.acknowledged !== marked) {
      cluster.acknowledged = marked;
      return true;
    }
    if (cluster.grown || cluster.clusterId === '' || cluster.restoredBy === '') return false;
    cluster.grow++;
    if (cluster.grow >= 3) cluster.grown = true;
    return true;
  }

  #runJobs(): void {
    const { sourceRefused, manifestMismatches, isClone } = this.trouble;
    const whole = manifestMismatches ? { ...modelSource, cluster: undefined } : modelSource;
    const ofMember = [survivorSource, this.source ?? survivorSource] as const;
    const [inspected, read] = this.survivors ? ofMember : isClone ? [liveSource, copiedSource] : [whole, whole];
    const refused = { kind: 'failed', why: 'broken', passes: false, failingFor: 0 } as const;
    if (this.inspect.kind === 'running') this.inspect = { kind: 'done', value: pendingSource };
    if (this.verify.kind === 'running') this.verify = sourceRefused ? refused : { kind: 'done', value: inspected };
    if (this.save.kind === 'running') this.#save();
    if (this.deliver.kind === 'running') this.#arrive(sourceRefused ? refused : { kind: 'done', value: read });
  }

  /** Whether a safety snapshot is required before anything is restored. */
  get policy(): SafetySnapshotPolicy {
    return this.survivors ? 'Never' : (this.trouble.policy ?? 'Required');
  }

  /** The revision of the member with this name, in its pod or on its volume. */
  held(name: string): number {
    return this.trouble.lagging && name === 'a' ? 45 : 50;
  }

  /** Members that answer when their data is to be saved. Members that were started for the safety snapshot answer only with a quorum. */
  answering(): readonly string[] {
    const { operatorIsCutOff = false, startFails = false, lagging = false, unreachable = false } = this.trouble;
    if (this.survivors) return [];
    const old = this.pods.filter((pod) => pod.incarnation < (this.cluster?.incarnation ?? 0) && pod.running);
    const names = (pods: readonly ClusterPod[]) => pods.map(({ name }) => name);
    if (!old.some((pod) => pod.startedBy === '')) return old.length >= 2 && !startFails ? names(old) : [];
    if (operatorIsCutOff || unreachable) return [];
    return names(old).filter((name) => !lagging || name === 'a');
  }

  /** The highest revision that any member reports; undefined if none answers. */
  told(): number | undefined {
    const asked = this.answering();
    return asked.length > 0 ? Math.max(...asked.map((name) => this.held(name))) : undefined;
  }

  /**
   * Takes the safety snapshot. With a survivor, a process may end after its snapshot has arrived in the holder, but before this is
   * recorded.
   */
  #save(): void {
    if (!this.survivors) this.save = { kind: 'done', value: this.#saved() };
    else if (this.survivors.arrive())
      this.save = { kind: 'done', value: heldFacts({ name: 'holder', member: 'a' }, { revision: 50, bytes: 1 }) };
    if (this.survivors && this.trouble.endsOnceDelivered) this.crash();
  }

  #saved(): SafetyFacts {
    const members = this.answering();
    const revision = this.told();
    if (this.policy === 'Never')
      return { kind: 'skipped', why: 'none is wanted', ...(revision !== undefined && { revision }) };
    if (revision === undefined) return { kind: 'skipped', why: 'no member answers' };
    if (this.trouble.saveFails) return { kind: 'skipped', why: 'store is full', revision };
    return { kind: 'kept', path: 'p', revision, bytes: 1, isCurrent: members.length >= 2, members };
  }

  #arrive(end: JobState<SourceFacts>): void {
    this.deliver = end;
    if (end.kind !== 'done' || !this.seed) return;
    if (this.trouble.fileIsLost && this.seed.agent === '') {
      // This is another run of the agent, which has received nothing.
      Object.assign(this.seed, { stage: 'waitingForData', agent: 'again' });
      this.deliver = { kind: 'idle' };
      return;
    }
    this.seed.stage = 'restoring';
    if (!this.trouble.endsOnceDelivered) return;
    this.crash();
  }

  #runSeed(): void {
    const { seed, cluster } = this;
    if (!seed || !cluster) return;
    if (seed.stage === 'pending') Object.assign(seed, { stage: 'waitingForData', ip: '10.0.0.1' });
    else if (seed.stage === 'restoring' && this.trouble.seedBreaks) seed.broken = 'data-dir not empty';
    else if (seed.stage === 'restoring') {
      seed.stage = 'running';
      const { restore, cluster: target } = this.observation();
      const desired = target?.desired;
      const right =
        desired && !('problems' in desired)
          ? expectedRevision(this.source ?? modelSource, restore, desired, this.seenRevision)
          : 0;
      const revision = right + (this.trouble.wrongRevision ? -1 : this.trouble.leasesRunOut ? 3 : 0);
      seed.answer = {
        clusterId: `c${cluster.incarnation + 1}`,
        memberId: 'm',
        revision,
        hasLeader: true,
        loginProblem: undefined,
      };
    }
  }

  /** True if something changed. */
  #apply(step: RestoreStep): boolean {
    switch (step.do) {
      case 'inspect':
      case 'verify':
      case 'save':
      case 'deliver':
        this[step.do] = { kind: 'running', bytes: 0 };
        return false;
      case 'hold':
        this.save = { kind: 'running', bytes: 0 };
        return false;
      case 'compare':
      case 'write':
        return false;
      case 'createHolder':
      case 'settleHolder':
        return this.survivors?.apply(step) ?? false;
      case 'addFinalizer':
      case 'removeFinalizer':
        this.finalizer = step.do === 'addFinalizer';
        return true;
      case 'createSecret':
      case 'deleteSecret':
        this.secret = step.do === 'createSecret';
        return true;
      case 'startMember':
        this.survivors?.start(step);
        this.pods.push({ ...modelPod(step.name, step.incarnation), ready: false, running: false, startedBy: 'r1' });
        return true;
      case 'createSeed':
        this.seenRevision = step.above;
        return this.#createSeed(step.name, step.incarnation);
      case 'settleSeed':
        if (this.seed) this.seed.isIdentified = true;
        for (const volume of this.volumes) if (volume.name === step.name) volume.isIdentified = true;
        return true;
      case 'deletePod':
      case 'deleteVolume':
      case 'keepVolume':
      case 'isolatePod':
      case 'unisolatePod':
        return this.#change(step);
      case 'createCluster':
      case 'deleteCluster':
      case 'mark':
      case 'unmark':
      case 'recordIdentity':
        return this.#changeCluster(step);
    }
  }

  #createSeed(name: string, incarnation: number): boolean {
    if (!this.volumes.some((volume) => volume.name === name)) this.volumes.push(modelVolume(name, incarnation));
    this.pods.push({ ...modelPod(name, incarnation), isolated: true, ready: false });
    this.seed = {
      name,
      uid: `pod-${name}`,
      resourceVersion: '1',
      terminating: false,
      ip: '',
      onVolume: true,
      version: '3.6.16',
      agent: '',
      isIdentified: false,
      stage: 'pending',
      broken: undefined,
      why: 'starting',
      answer: undefined,
    };
    return true;
  }

  #change(
    step: Extract<RestoreStep, { do: 'deletePod' | 'deleteVolume' | 'keepVolume' | 'isolatePod' | 'unisolatePod' }>,
  ): boolean {
    const { holder } = this.survivors ?? {};
    if (holder && holder.uid === step.uid) {
      holder.terminating = true;
      return true;
    }
    const list = step.do === 'deleteVolume' || step.do === 'keepVolume' ? this.volumes : this.pods;
    const item = list.find(({ uid }) => uid === step.uid);
    if (!item) return false;
    if (step.do === 'keepVolume') Object.assign(item, { keptBy: 'r1' });
    else if (step.do === 'isolatePod' || step.do === 'unisolatePod')
      Object.assign(item, { isolated: step.do === 'isolatePod' });
    else item.terminating = true;
    if (step.do === 'deletePod' && this.seed?.uid === step.uid) this.seed.terminating = true;
    return true;
  }

  #changeCluster(
    step: Extract<RestoreStep, { do: 'createCluster' | 'deleteCluster' | 'mark' | 'unmark' | 'recordIdentity' }>,
  ): boolean {
    const { cluster } = this;
    if (step.do === 'createCluster') {
      const none = { clusterId: '', restoredBy: '', acknowledged: '', grown: false, grow: 0 };
      this.cluster = { uid: 'u2', marker: step.marker, incarnation: 1, used: 1, ...none };
      return true;
    }
    if (!cluster) return false;
    switch (step.do) {
      case 'deleteCluster':
        this.cluster = undefined;
        this.pods = [];
        this.volumes = [];
        return true;
      case 'mark':
        Object.assign(cluster, { marker: step.marker, incarnation: step.incarnation, used: step.incarnation });
        Object.assign(cluster, { clusterId: '', grown: false });
        return true;
      case 'unmark':
        Object.assign(cluster, { marker: undefined, ...(step.back && { ...step.back, grown: true }) });
        return true;
      case 'recordIdentity':
        Object.assign(cluster, { clusterId: step.clusterId, restoredBy: 'r1', grown: false });
        for (const pod of this.pods) if (pod.incarnation === step.incarnation) pod.isolated = false;
        return true;
    }
  }

  #record(report: RestoreReport): boolean {
    if (JSON.stringify(report) === JSON.stringify(this.status)) return false;
    this.status = report;
    if (report.source) this.source = report.source;
    Object.assign(this.reported, report);
    this.wrongs.push(...wrongsOfReport(this));
    if (report.safety) this.safety = report.safety;
    if (report.failure !== undefined) this.failure = report.failure;
    if (report.oldVolumes) this.listed = report.oldVolumes.names;
    if (report.phase === 'Succeeded' && this.completedAt === 0)
      Object.assign(this, { completedAt: this.now, completedElapsed: this.elapsed });
    if (report.started) this.startedAt = this.now;
    return true;
  }
}

/** Runs a model to its end. The operator is killed after each of the given numbers of writes, one after the other. */
export function run(model: RestoreModel, kills: readonly number[] = []): RestoreModel {
  const left = [...kills];
  for (let pass = 0; pass < 400; pass++) {
    const limit = left[0] ?? Number.POSITIVE_INFINITY;
    if (model.pass(limit)) {
      left.shift();
      model.crash();
    }
    const isOver = model.status?.phase === 'Succeeded' || model.status?.phase === 'Failed';
    if (model.gone || (isOver && !model.finalizer && !model.deleting && left.length === 0)) break;
  }
  return model;
}
