// SPDX-License-Identifier: Apache-2.0
import {
  done,
  type ReconcileContext,
  type Reconciler,
  type Request,
  type Result,
  requeueAfter,
} from '@operator-parts/controller-runtime';
import { formatTime, isKubeError, keyOf, keyString } from '@operator-parts/kube';
import { type EtcdRestore, etcdRestores } from '../api/etcd-restore.ts';
import { statusChanges, writeStatus } from '../api/status/write-status.ts';
import { timeOf } from '../api/status-time.ts';
import { untilExpiry } from '../api/time-to-live.ts';
import { unknownSpecFields } from '../api/unknown-fields.ts';
import { FirstSeen } from '../first-seen.ts';
import { identityOf } from '../identity/object-identity.ts';
import { act } from './act/act.ts';
import { BackgroundJobs } from './background-jobs.ts';
import { eventMessages } from './event-messages.ts';
import { jobNames, jobPrefix } from './job-names.ts';
import { foundOnServer } from './observe/from-server.ts';
import { type Found, type ObservedRestore, observe } from './observe/observe.ts';
import { pauseAfter } from './pause-after.ts';
import { planRestore } from './plan/plan.ts';
import { outlasted } from './plan/proposal.ts';
import type { RestorePlan } from './plan/step.ts';
import type { RestoreReconcilerOptions } from './reconciler-options.ts';
import { nextStatus } from './status.ts';
import { isEnd, isOver, withTrouble } from './verdict.ts';

interface Decided {
  readonly found: Found;
  readonly observed: ObservedRestore;
  readonly plan: RestorePlan;
}

/** Reconciles one restore: observe, plan, act, report. */
export class RestoreReconciler implements Reconciler {
  readonly #options: RestoreReconcilerOptions;
  readonly #background: BackgroundJobs;
  /** UIDs of the clusters whose Secrets are cached, by restore. */
  readonly #clusters = new Map<string, string>();
  /** When this process first saw the present state of each restore, for example that the restore had ended. */
  readonly #firstSeen: FirstSeen;

  constructor(options: RestoreReconcilerOptions) {
    this.#options = options;
    this.#background = new BackgroundJobs(options);
    this.#firstSeen = new FirstSeen(options.clock);
  }

  async reconcile(request: Request, context: ReconcileContext): Promise<Result> {
    const cached = this.#options.find(request);
    if (!cached || !this.#options.isManaged(cached.restore)) {
      await this.#forget(request);
      this.#firstSeen.forget(keyString(request));
      return done();
    }
    if (this.#options.coreosOperator() !== undefined) return requeueAfter(5_000);
    // A changed spec needs other jobs, so those of an earlier generation end.
    await this.#options.jobs.forget(`${keyString(request)}/`, jobPrefix(cached.restore));
    const decided = await this.#decide(cached, context);
    if (!decided) return done();
    const { found, observed, plan } = decided;
    const trouble = await this.#act(found, observed, plan, context);
    if (trouble) {
      await this.#report(found.restore, withTrouble(plan, trouble.error), context);
      throw trouble.error;
    }
    const isWritten = await this.#report(found.restore, plan, context);
    const left = isWritten ? undefined : this.#untilExpiry(found.restore);
    if (left === 0) return this.#deleteFinished(found.restore, context);
    if (plan.requeueAfter === undefined && left === undefined) return done();
    const delay = Math.min(plan.requeueAfter ?? longestRest, left ?? Number.POSITIVE_INFINITY);
    const next = isWritten ? Math.min(20, delay) : Math.max(20, delay);
    return requeueAfter(Math.max(next, pauseAfter(plan.steps, this.#firstSeen, keyString(request))));
  }

  /**
   * A restore that has finished cannot be continued. So a plan that finishes it is made again with data read from the API server, because
   * the caches may show the objects at different times. Undefined if the restore was deleted or is now managed by another operator. Then
   * nothing is done, and the cache will soon show the same.
   */
  async #decide(cached: Found, context: ReconcileContext): Promise<Decided | undefined> {
    const decided = await this.#observeAndPlan(cached, context);
    if (!isEnd(decided.plan, cached.restore.status?.phase)) return decided;
    const current = await foundOnServer(cached.restore, context.client, context.signal);
    return current && this.#options.isManaged(current.restore) ? this.#observeAndPlan(current, context) : undefined;
  }

  async #observeAndPlan(found: Found, context: ReconcileContext): Promise<Decided> {
    const observed = await this.#observe(found, context);
    const plan = planRestore(observed.observation, this.#options.clock.now());
    const isWaiting = plan.atLast && `${jobPrefix(found.restore)}${plan.report?.phase}`;
    const waited = this.#firstSeen.age(`${keyString(keyOf(found.restore))}/waiting`, isWaiting);
    return { found, observed, plan: outlasted(plan, waited) };
  }

  /**
   * How long to keep a finished EtcdRestore whose spec limits its time to live; undefined if it is not deleted. An EtcdRestore that still
   * has to delete old volumes is kept until it has done so.
   */
  #untilExpiry(restore: EtcdRestore): number | undefined {
    const { completedAt, oldVolumes, observedGeneration } = restore.status ?? {};
    const isCurrent = observedGeneration === restore.metadata?.generation;
    if (!completedAt || !isCurrent || oldVolumes?.deletedAt || restore.metadata?.deletionTimestamp) return undefined;
    const { ttlSecondsAfterFinished: ttlSeconds } = restore.spec;
    const seenFor = this.#endedFor(restore);
    return untilExpiry({ ttlSeconds, finishedAt: timeOf(completedAt), seenFor }, this.#options.clock.now());
  }

  /** Deletes the restore only in the version that was observed. If it was changed meanwhile, it is observed again. */
  async #deleteFinished(restore: EtcdRestore, { client, log, signal }: ReconcileContext): Promise<Result> {
    const { name, namespace, uid } = identityOf(restore);
    log.info('deleting this EtcdRestore: it has finished, and spec.ttlSecondsAfterFinished has passed');
    const preconditions = { uid, resourceVersion: restore.metadata?.resourceVersion ?? '' };
    await client.resource(etcdRestores.resource).delete({ name, namespace }, { preconditions, signal });
    return done();
  }

  /** Forgets everything about a restore that is gone, has ended, or is managed by another operator. */
  async #forget(request: Request): Promise<void> {
    const key = keyString(request);
    await this.#options.jobs.forget(`${key}/`);
    await this.#options.scratch.forget(`${key}/`);
    const cluster = this.#clusters.get(key);
    this.#clusters.delete(key);
    // Another restore of the same cluster reads the Secrets again.
    if (cluster !== undefined) this.#options.secrets.forget(cluster);
  }

  #observe(found: Found, { client, signal }: ReconcileContext): Promise<ObservedRestore> {
    const { clock, dial, jobs } = this.#options;
    const names = jobNames(found.restore);
    if (found.cluster) this.#clusters.set(keyString(keyOf(found.restore)), identityOf(found.cluster).uid);
    return observe(found, {
      client,
      clock,
      dial,
      secrets: this.#options.secrets,
      jobs: (agent) => ({
        inspect: jobs.state(names.inspect),
        verify: jobs.state(names.verify),
        save: jobs.state(names.save),
        deliver: jobs.state(names.deliver(agent)),
        compare: jobs.state(names.compare),
        write: jobs.state(names.write),
      }),
      endedFor: this.#endedFor(found.restore),
      seenFor: (what, value) => this.#firstSeen.age(`${keyString(keyOf(found.restore))}/seen/${what}`, value),
      readsNodes: this.#options.readsNodes ?? true,
      grants: this.#options.grants,
      signal,
    });
  }

  /** Measured by the monotonic clock: the completion time is recorded by the wall clock, which can be changed. */
  #endedFor(restore: EtcdRestore): number {
    const { uid } = identityOf(restore);
    const { completedAt } = restore.status ?? {};
    const seen = this.#firstSeen.age(
      `${keyString(keyOf(restore))}/completedAt`,
      completedAt && `${uid} ${completedAt}`,
    );
    return completedAt ? seen : 0;
  }

  /** Carries out the steps. If the API server rejects one, the error is returned and not thrown, so that the status is written first. */
  async #act(
    found: Found,
    observed: ObservedRestore,
    plan: RestorePlan,
    { client, log, signal }: ReconcileContext,
  ): Promise<{ readonly error: unknown } | undefined> {
    const { observation, tlsKeys } = observed;
    const { desired } = observation.cluster ?? {};
    const context = {
      client,
      random: this.#options.random,
      restore: found.restore,
      cluster: found.cluster,
      desired: desired && !('problems' in desired) ? desired : undefined,
      source: observation.restore.source,
      revisionBump: observation.restore.revisionBump,
      tlsKeys,
      agent: this.#options.agent,
      jobs: this.#background.of(found, observed),
      signal,
    };
    for (const { step, reason } of plan.steps) {
      log.info('step', { do: step.do, reason });
      try {
        await act(step, context);
      } catch (error) {
        if (isKubeError(error, 'Forbidden', 'Invalid')) return { error };
        throw error;
      }
    }
    if (isOver(observation.restore.ended, plan)) await this.#forget(keyOf(found.restore));
    return undefined;
  }

  /** True if the status was changed. */
  async #report(restore: EtcdRestore, { report }: RestorePlan, { client, signal }: ReconcileContext): Promise<boolean> {
    if (!report) return false;
    const now = formatTime(this.#options.clock.now());
    const unknown = unknownSpecFields(etcdRestores, restore.spec);
    const next = nextStatus(restore.status, restore.metadata?.generation ?? 0, report, now, unknown);
    if (!next) return false;
    await writeStatus(client.resource(etcdRestores.resource), restore, statusChanges(restore.status, next), signal);
    if (restore.status?.phase !== report.phase) {
      const type = report.phase === 'Failed' || report.phase === 'RollingBack' ? 'Warning' : 'Normal';
      this.#options.event(
        restore,
        type,
        `Restore${report.phase}`,
        report.reason || eventMessages(restore.spec)[report.phase],
      );
    }
    return true;
  }
}

/** The longest time between two checks, because timers and the time to live use different clocks. */
const longestRest = 5 * 60_000;
