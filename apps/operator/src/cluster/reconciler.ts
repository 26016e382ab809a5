// SPDX-License-Identifier: Apache-2.0

import {
  done,
  type ReconcileContext,
  type Reconciler,
  type Request,
  type Result,
  requeueAfter,
} from '@operator-parts/controller-runtime';
import type { Dialer } from '@operator-parts/etcd';
import { formatTime, isKubeError } from '@operator-parts/kube';
import type { Clock } from '@operator-parts/ports';
import { type EtcdCluster, etcdClusters } from '../api/etcd-cluster.ts';
import { statusChanges, writeStatus } from '../api/status/write-status.ts';
import { FirstSeen } from '../first-seen.ts';
import { identityOf } from '../identity/object-identity.ts';
import type { ActContext } from './act/act-context.ts';
import { type Attempt, attempt } from './act/attempt.ts';
import { relabelOwned } from './act/object-steps.ts';
import { assertFresh } from './act/plan-age.ts';
import { type DoneSteps, isRepeated, pauseBefore, withDone } from './act/repeated-steps.ts';
import { ClusterEtcd } from './etcd/cluster-etcd.ts';
import { EtcdObserver } from './etcd/etcd-observer.ts';
import type { PodGrants } from './grants/pod-grants.ts';
import type { EtcdView, Observation } from './observation.ts';
import { type ClusterCaches, type ClusterObjects, fromCaches, fromServer } from './observe/gather.ts';
import { kubernetesView, observe, targetsOf, unreadImageChecks } from './observe/observe.ts';
import { recoveryFacts } from './observe/recovery-facts.ts';
import { type Plan, planCluster } from './plan/plan.ts';
import { isEverythingLost } from './plan/quorum/without-quorum.ts';
import { isDestructive, isIndependent, type PlannedStep, type Step } from './plan/step.ts';
import type { ClusterSecrets, SecretFindings } from './secrets/cluster-secrets.ts';
import type { ClusterEvents } from './status/cluster-events.ts';
import type { ClusterMetrics } from './status/cluster-metrics.ts';
import { conditionsOf } from './status/conditions.ts';
import { reportDue } from './status/report-due.ts';
import { statusOf } from './status/status.ts';
import { isSteady, isUnchanged, type SteadyState, saysNothingNew } from './steady-state.ts';

export interface ClusterReconcilerOptions {
  readonly clock: Clock;
  readonly caches: ClusterCaches;
  readonly clusterOf: (request: Request) => EtcdCluster | undefined;
  /** True if this operator manages the object (scope annotation). */
  readonly isManaged: (cluster: EtcdCluster) => boolean;
  readonly secrets: ClusterSecrets;
  readonly events: ClusterEvents;
  readonly metrics: ClusterMetrics;
  readonly coreosOperator: () => string | undefined;
  readonly grants: PodGrants;
  /** Reads the output of a pod that has ended. */
  readonly readLog: (namespace: string, pod: string, signal: AbortSignal) => Promise<string>;
  readonly dial?: Dialer;
  /** How often the etcd of a healthy cluster is asked, in milliseconds. @default 10_000 */
  readonly healthInterval?: number;
}

/** What the operator remembers about a cluster between two reconciliations. */
interface Observer {
  readonly uid: string;
  readonly observer: EtcdObserver;
  /** When the pods and containers of the cluster, and the pods that test images, were first seen. */
  readonly firstSeen: FirstSeen;
  /** The output of image checks that succeeded, by pod UID. */
  readonly imageCheckOutput: Map<string, string>;
}

interface Reading {
  /** When the reading began, by the monotonic clock. What was found may be as old as this. */
  readonly begun: number;
  readonly found: ClusterObjects;
  readonly observation: Observation;
  readonly plan: Plan;
  readonly secrets: SecretFindings;
}

/**
 * Reconciles one cluster: observe, plan, act, report. One reconciliation, in order:
 *
 * 1. An EtcdCluster that was deleted, or that another operator manages, is forgotten.
 * 2. If nothing was left to do and no object has changed since, only etcd is asked. If etcd reports the same as before, nothing else is
 *    done.
 * 3. Everything is observed: Kubernetes from the caches, Secrets, then etcd. The plan is made.
 * 4. If the plan destroys something or bootstraps, everything is read again from the API server and from etcd, and the plan is made again.
 * 5. If all members seem lost, labels missing from pods and volumes are restored first; everything else waits for the next reconciliation.
 * 6. The steps are carried out in order. If a step that later steps depend on fails or is refused, the later steps are not done. A step
 *    that had no effect three times is repeated with growing delays.
 * 7. The status is written, also after a failure.
 * 8. A failure is thrown, so that the work queue retries with back-off; otherwise the next reconciliation is scheduled.
 */
export class ClusterReconciler implements Reconciler {
  readonly #options: ClusterReconcilerOptions;
  readonly #observers = new Map<string, Observer>();
  /** Clusters that need no step, by name. */
  readonly #steadyStates = new Map<string, SteadyState>();
  /** By the UID of the cluster. */
  readonly #doneSteps = new Map<string, DoneSteps>();
  /** When the status of a cluster was last written, by its UID. */
  readonly #reportedAt = new Map<string, number>();

  constructor(options: ClusterReconcilerOptions) {
    this.#options = options;
  }

  async reconcile(request: Request, context: ReconcileContext): Promise<Result> {
    try {
      return await this.#reconcile(request, context);
    } catch (error) {
      if (!context.signal.aborted) this.#options.metrics.failed('error');
      throw error;
    }
  }

  async #reconcile(request: Request, context: ReconcileContext): Promise<Result> {
    const started = this.#options.clock.monotonic();
    const cluster = this.#options.clusterOf(request);
    if (!cluster || !this.#options.isManaged(cluster)) {
      this.#forget(request);
      return done();
    }
    const seconds = () => (this.#options.clock.monotonic() - started) / 1000;
    const found = fromCaches(cluster, this.#options.caches);
    const rested = await this.#observeSteady(request, found, context);
    if (rested?.isStill) {
      this.#options.metrics.unchanged(cluster, seconds());
      return requeueAfter(this.#options.healthInterval ?? defaultHealthInterval);
    }
    const cached = await this.#observe(found, false, context, rested?.etcd);
    const reading = needsLiveRead(cached.plan) ? await this.#observeLive(found, context) : cached;
    if (!reading) return done();
    const overlooked = await this.#findOverlooked(reading, context);
    if (overlooked) return requeueAfter(refusedRetry);
    this.#noteSteadyState(request, reading);
    const { retry, trouble, failure } = await this.#act(reading, context);
    const told = trouble === undefined ? reading : withTrouble(reading, trouble);
    const unreported = await this.#report(told, context, trouble !== undefined);
    if (unreported !== undefined) this.#steadyStates.delete(keyOf(request));
    if (failure) throw failure.error;
    this.#measure(told, seconds());
    return this.#next(reading.plan, retry, unreported);
  }

  #measure({ found: { cluster }, observation, plan, secrets }: Reading, seconds: number): void {
    const { metrics } = this.#options;
    metrics.reconciled(cluster, plan, seconds);
    metrics.reported(cluster, conditionsOf(observation, plan, cluster.status?.phase === 'Running'));
    metrics.certified(cluster, secrets.expiresAt);
  }

  /**
   * True if not all members are lost after all: pods or volumes without labels were found, which got their labels again and will be in the
   * next observation.
   */
  async #findOverlooked({ found, plan }: Reading, { client, signal, log }: ReconcileContext): Promise<boolean> {
    if (plan.situation !== 'quorumLost' || !plan.assessment || !isEverythingLost(plan.assessment)) return false;
    const relabelled = await relabelOwned({ client, cluster: found.cluster, signal });
    if (relabelled.length > 0)
      log.warn('Objects of the cluster had lost their labels; the operator has added the labels again', { relabelled });
    return relabelled.length > 0;
  }

  /** Closes all connections to members. */
  close(): void {
    for (const { observer } of this.#observers.values()) observer.close();
    this.#observers.clear();
  }

  async #observeLive(cached: ClusterObjects, context: ReconcileContext): Promise<Reading | undefined> {
    const found = await fromServer(context.client, cached.cluster, context.signal, cached);
    return found && this.#observe(found, true, context);
  }

  /** For a cluster that needed no step and whose objects have not changed: asks only etcd. */
  async #observeSteady(
    request: Request,
    found: ClusterObjects,
    { client, signal }: ReconcileContext,
  ): Promise<{ readonly isStill: boolean; readonly etcd: EtcdView } | undefined> {
    const { secrets, coreosOperator, clock } = this.#options;
    const rest = this.#steadyStates.get(keyOf(request));
    if (!rest) return undefined;
    const { credentials, problems } = await secrets.check(found.cluster, client, signal);
    const ground = { found, credentials, secretProblems: problems, coreosOperator: coreosOperator() };
    if (!isUnchanged(rest, ground, clock.monotonic())) return undefined;
    const questions = { aboutUpgrade: false };
    const etcd = await this.#observer(found.cluster).observer.observe(rest.targets, credentials, questions, signal);
    return { isStill: saysNothingNew(rest.etcd, etcd), etcd };
  }

  #noteSteadyState(request: Request, { found, observation, plan, secrets }: Reading): void {
    const key = keyOf(request);
    if (!isSteady(plan, observation)) {
      this.#steadyStates.delete(key);
      return;
    }
    this.#steadyStates.set(key, {
      found,
      credentials: secrets.credentials,
      secretProblems: secrets.problems,
      coreosOperator: observation.coreosOperator,
      targets: targetsOf(observation),
      etcd: observation.etcd,
      since: this.#options.clock.monotonic(),
    });
  }

  async #observe(
    found: ClusterObjects,
    isLive: boolean,
    { client, signal }: ReconcileContext,
    asked?: EtcdView,
  ): Promise<Reading> {
    const { secrets, coreosOperator, clock } = this.#options;
    const begun = clock.monotonic();
    await this.#readImageChecks(found, signal);
    const findings = await secrets.check(found.cluster, client, signal);
    const { observer, firstSeen, imageCheckOutput } = this.#observer(found.cluster);
    firstSeen.forgetAllBut(keysOf(found));
    const circumstances = {
      credentials: findings.credentials,
      secretProblems: findings.problems,
      coreosOperator: coreosOperator(),
      imageCheckOutput,
      isLive,
      grants: this.#options.grants,
      seenSince: (key: string) => firstSeen.since(key),
    };
    const view = kubernetesView(found, circumstances);
    const seen = asked ? { ...view, etcd: asked } : await observe(view, observer, findings.credentials, signal);
    const observation = { ...seen, recovery: await recoveryFacts(client, seen, signal) };
    if (hasUnreachable(observation)) secrets.doubt(observation.cluster.uid);
    return { begun, found, observation, plan: planCluster(observation, clock.monotonic()), secrets: findings };
  }

  /**
   * Carries out the plan until it is done, or until a step fails that later steps depend on. A failure is returned, not thrown, so that the
   * status is written first. `begun` is when the observation began: a plan that is too old is not carried out.
   */
  async #act(
    { found, observation, plan, secrets, begun }: Reading,
    { client, signal, log, fence: assertLeading }: ReconcileContext,
  ): Promise<Progress> {
    const { desired } = observation.cluster;
    if ('problems' in desired || plan.steps.length === 0) return {};
    const clients = this.#observer(found.cluster).observer.clients(targetsOf(observation), secrets.credentials);
    const { membership } = observation.etcd;
    const fence = () => {
      assertLeading();
      assertFresh(begun, this.#options.clock.monotonic());
    };
    const context: ActContext = {
      client,
      cluster: found.cluster,
      desired,
      etcd: new ClusterEtcd(plan.assessment, clients, { fence, signal }),
      clusterId: plan.identity.kind === 'recorded' ? plan.identity.clusterId : '',
      incarnation: plan.identity.kind === 'conflict' ? 0 : plan.identity.incarnation,
      members: membership.kind === 'known' ? membership.members : (membership.remembered ?? []),
      seen: new Set([...observation.pods, ...observation.volumes].map(({ uid }) => uid)),
      tlsKeys: secrets.keyStyles,
      signal,
      fence,
    };
    return this.#carryOut(plan.steps, context, log);
  }

  async #carryOut(steps: readonly PlannedStep[], context: ActContext, log: ReconcileContext['log']): Promise<Progress> {
    const { cluster } = context;
    let progress: Progress = {};
    for (const planned of steps) {
      const repeated = this.#repeated(planned, cluster);
      if (repeated) progress = { ...progress, trouble: repeated.trouble };
      if (repeated && repeated.pause > 0) {
        // This step was done a moment ago, so the steps that depend on it are carried out.
        progress = { ...progress, retry: Math.min(progress.retry ?? repeated.pause, repeated.pause) };
        continue;
      }
      log.info('step', { do: planned.step.do, reason: planned.reason });
      const outcome = await attempt(planned.step, context);
      if (outcome.kind === 'done') {
        this.#note(planned.step, cluster);
        progress = { ...progress, retry: doneRetry };
        continue;
      }
      progress = { ...progress, ...this.#setback(planned, outcome, cluster, log) };
      if (outcome.kind === 'refused' || !isIndependent(planned.step)) return progress;
    }
    return progress;
  }

  #note(step: Step, cluster: EtcdCluster): void {
    const { uid } = identityOf(cluster);
    this.#doneSteps.set(uid, withDone(step, this.#doneSteps.get(uid) ?? new Map(), this.#options.clock.monotonic()));
    this.#options.events.stepDone(cluster, step);
  }

  /**
   * Undefined unless the step was done several times recently and is needed again. Then an event reports it, and the pause before it is
   * repeated grows each time.
   */
  #repeated(
    { step, reason }: PlannedStep,
    cluster: EtcdCluster,
  ): { readonly trouble: string; readonly pause: number } | undefined {
    const done = this.#doneSteps.get(identityOf(cluster).uid);
    const now = this.#options.clock.monotonic();
    if (!done || !isRepeated(step, done, now)) return undefined;
    const trouble = withoutEffect(reason);
    this.#options.events.stepWithoutEffect(cluster, trouble);
    return { trouble, pause: pauseBefore(step, done, now) };
  }

  #setback(
    { step, reason }: PlannedStep,
    outcome: Exclude<Attempt, { kind: 'done' }>,
    cluster: EtcdCluster,
    log: ReconcileContext['log'],
  ): Progress {
    if (outcome.kind === 'failed') return { failure: outcome };
    log.info('step refused', { do: step.do, why: outcome.why });
    this.#options.metrics.failed('step refused');
    if (outcome.kind === 'refused') return { retry: refusedRetry };
    const trouble = `${reason} Failed: ${outcome.why}`.slice(0, 1024);
    this.#options.events.stepRefused(cluster, trouble);
    return { retry: impossibleRetry, trouble };
  }

  /** Writes the status if that is due. Resolves with the milliseconds until it will be due; undefined if nothing remains to be written. */
  async #report(
    { found, observation, plan }: Reading,
    { client, signal, log }: ReconcileContext,
    isUrgent = false,
  ): Promise<number | undefined> {
    const { metadata = {}, status } = found.cluster;
    const next = statusOf(status, observation, plan, formatTime(this.#options.clock.now()));
    const now = this.#options.clock.monotonic();
    const last = this.#reportedAt.get(metadata.uid ?? '') ?? now;
    const due = reportDue(status, next, isUrgent ? Number.POSITIVE_INFINITY : now - last);
    this.#reportedAt.set(metadata.uid ?? '', due === 0 ? now : last);
    if (due !== 0) return due;
    try {
      await writeStatus(client.resource(etcdClusters.resource), found.cluster, statusChanges(status, next), signal);
    } catch (error) {
      // If an object violates its schema, the API server may also refuse its status. The event below reports the problem.
      if (plan.situation !== 'invalid' || !isKubeError(error, 'Invalid')) throw error;
      log.warn('the status of an invalid EtcdCluster could not be written', { error });
    }
    // The events are sent after the write: a failed write is repeated, and its events would be sent again each time.
    this.#options.events.statusChanged(found.cluster, status, next);
    return undefined;
  }

  #next(plan: Plan, retry: number | undefined, unreported: number | undefined): Result {
    const delays = [retry, plan.retryAfter, unreported].filter((delay) => delay !== undefined);
    if (delays.length > 0) return requeueAfter(Math.min(...delays));
    const isWatched = plan.situation !== 'deleting' && plan.situation !== 'paused' && plan.situation !== 'invalid';
    return isWatched ? requeueAfter(this.#options.healthInterval ?? defaultHealthInterval) : done();
  }

  async #readImageChecks(found: ClusterObjects, signal: AbortSignal): Promise<void> {
    const { imageCheckOutput: output } = this.#observer(found.cluster);
    const present = keysOf(found);
    for (const uid of output.keys()) if (!present.has(uid)) output.delete(uid);
    for (const pod of unreadImageChecks(found, output)) {
      const { name, namespace, uid } = identityOf(pod);
      output.set(uid, await this.#options.readLog(namespace, name, signal));
    }
  }

  #observer(cluster: EtcdCluster): Observer {
    const { namespace, name, uid } = identityOf(cluster);
    const key = keyOf({ namespace, name });
    const known = this.#observers.get(key);
    if (known?.uid === uid) return known;
    known?.observer.close();
    const { clock, dial } = this.#options;
    const observer = new EtcdObserver({ clock, ...(dial && { dial }) });
    const made = { uid, observer, firstSeen: new FirstSeen(clock), imageCheckOutput: new Map<string, string>() };
    this.#observers.set(key, made);
    return made;
  }

  #forget(request: Request): void {
    const key = keyOf(request);
    this.#steadyStates.delete(key);
    const known = this.#observers.get(key);
    known?.observer.close();
    if (known) this.#doneSteps.delete(known.uid);
    if (known) this.#reportedAt.delete(known.uid);
    if (known) this.#options.secrets.forget(known.uid);
    if (known) this.#options.metrics.forget(known.uid);
    this.#observers.delete(key);
  }
}

function keyOf({ namespace = '', name }: Request): string {
  return `${namespace}/${name}`;
}

/** The keys under which pods, containers and image checks are remembered. */
function keysOf({ pods, imageChecks }: ClusterObjects): ReadonlySet<string> {
  const containers = pods.flatMap(
    ({ status }) => status?.containerStatuses?.map(({ containerID = '' }) => containerID) ?? [],
  );
  return new Set([...[...pods, ...imageChecks].map(({ metadata }) => metadata?.uid ?? ''), ...containers]);
}

function hasUnreachable({ etcd }: Observation): boolean {
  return [...etcd.answers.values()].some(({ kind }) => kind === 'unreachable');
}

/** How far a plan was carried out. */
interface Progress {
  /** When to reconcile again, in milliseconds. */
  readonly retry?: number;
  /** Why a step cannot be carried out at all, as text for the status. */
  readonly trouble?: string;
  readonly failure?: { readonly error: unknown };
}

function withoutEffect(reason: string): string {
  const remedy =
    'An admission webhook or another controller may be undoing this change. The operator repeats the change at most every 30 s.';
  return `${reason.slice(0, 800)} The operator tried this step several times, but nothing changed. ${remedy}`;
}

function withTrouble(reading: Reading, trouble: string): Reading {
  const waits = [...reading.plan.waits, { reason: trouble, retryAfter: impossibleRetry }];
  return { ...reading, plan: { ...reading.plan, waits, trouble } };
}

/** How often the etcd of a healthy cluster is asked. */
const defaultHealthInterval = 10_000;

/** Delay after etcd or the API server has refused a step, in milliseconds. If the operator asked again at once, it would be refused again. */
const refusedRetry = 500;
/**
 * Delay after a step that cannot be done, in milliseconds. A change of the spec causes a reconciliation at once, but no event reports
 * changed permissions and quotas.
 */
const impossibleRetry = 30_000;
/** Delay after a step, in milliseconds. Events of Kubernetes usually come earlier, but etcd sends no events. */
const doneRetry = 20;

/** Bootstrapping and destructive steps need state that was just read from the API server and the members (safety rule 13). */
function needsLiveRead({ steps }: Plan): boolean {
  return steps.some(({ step }) => isDestructive(step));
}
