// SPDX-License-Identifier: Apache-2.0
import {
  done,
  type ReconcileContext,
  type Reconciler,
  type Request,
  type Result,
  requeueAfter,
} from '@etcd-operator/controller-runtime';
import { type Dialer, networkDialer } from '@etcd-operator/etcd';
import { formatTime, isKubeError, keyOf, keyString, secrets } from '@etcd-operator/kube';
import { type EtcdRestore, etcdRestores } from '../api/etcd-restore.ts';
import { backupEventReasons } from '../api/reasons.ts';
import { statusChanges, writeStatus } from '../api/status/write-status.ts';
import { timeOf } from '../api/status-time.ts';
import { untilExpiry } from '../api/time-to-live.ts';
import { unknownSpecFields } from '../api/unknown-fields.ts';
import { FirstSeen } from '../first-seen.ts';
import { identityOf } from '../identity/object-identity.ts';
import { openBackup } from '../storage/encryption/backup-reader.ts';
import { specKeys } from '../storage/encryption/secret-keys.ts';
import { type OpenedStorage, openStore } from '../storage/open-store.ts';
import { unlabelledMessage } from '../storage/secret-label.ts';
import { secretReader } from '../storage/secret-reader.ts';
import { act } from './act/act.ts';
import type { BackgroundWork } from './act/act-context.ts';
import { type MemberSearch, withMember } from './act/chosen-member.ts';
import { deliverClone, inspectCluster } from './act/clone-cluster.ts';
import { deliverPoint } from './act/deliver-point.ts';
import { deliverSource } from './act/deliver-source.ts';
import { deliverSurvivor, holdSnapshot, type SurvivorDelivery } from './act/deliver-survivor.ts';
import { saveOldMembers } from './act/save-old-members.ts';
import { surveyCluster } from './act/survey-members.ts';
import type { AgentAddress } from './delivery/agent-connection.ts';
import { keyName } from './delivery/channel.ts';
import { eventMessages } from './event-messages.ts';
import { jobNames, jobPrefix } from './job-names.ts';
import type { JobContext } from './jobs.ts';
import { secretNameOf } from './objects/restore-secret.ts';
import type { SourceFacts } from './observation.ts';
import { foundOnServer } from './observe/from-server.ts';
import { type Found, memberClient, type ObservedRestore, observe } from './observe/observe.ts';
import { pauseAfter } from './pause-after.ts';
import { planRestore } from './plan/plan.ts';
import { outlasted } from './plan/proposal.ts';
import type { RestorePlan } from './plan/step.ts';
import { goalOf } from './point-in-time/goal.ts';
import { verifyPoint } from './point-in-time/verify-point.ts';
import { whyNotToWrite } from './prefixes/may-write.ts';
import { comparedPoint, comparePrefixes, type PrefixWork, writeRecorded } from './prefixes/prefix-jobs.ts';
import type { RestoreReconcilerOptions } from './reconciler-options.ts';
import { RestoreError, refuseOther } from './restore-error.ts';
import { inspectSource } from './source/inspect-source.ts';
import type { Source } from './source/inspected-source.ts';
import type { Kept } from './source/scratch.ts';
import { verifySource } from './source/verify-source.ts';
import { nextStatus } from './status.ts';
import { isEnd, isOver, withTrouble } from './verdict.ts';

type Work = (context: JobContext) => Promise<unknown>;

/** Runs work with something that has to be opened before and closed afterwards. */
type With<Opened> = <T>(
  work: (opened: Opened, context: JobContext) => Promise<T>,
) => (context: JobContext) => Promise<T>;

type Keep = (bytes: number) => Promise<Kept | undefined>;

interface Ways {
  readonly verify: Work;
  readonly deliver: (ip: string) => Work;
  /** Verifies a backup and keeps its bytes; undefined if the source is not a backup. */
  readonly fetch: ((keep: Keep) => (context: JobContext) => Promise<SourceFacts>) | undefined;
}

interface Decided {
  readonly found: Found;
  readonly observed: ObservedRestore;
  readonly plan: RestorePlan;
}

/** Reconciles one restore: observe, plan, act, report. */
export class RestoreReconciler implements Reconciler {
  readonly #options: RestoreReconcilerOptions;
  /** UIDs of the clusters whose Secrets are cached, by restore. */
  readonly #clusters = new Map<string, string>();
  /** How long ago this process first saw that each restore had ended. */
  readonly #firstSeen: FirstSeen;

  constructor(options: RestoreReconcilerOptions) {
    this.#options = options;
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
   * one of two caches may be behind the other. Undefined if the restore was deleted or is now managed by another operator; the cache will
   * show that.
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

  /** Old volumes are deleted later only while the restore exists and says so. */
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
    log.info('the EtcdRestore has finished and spec.ttlSecondsAfterFinished has passed');
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

  /** Returns an error of the API server instead of throwing it, so that the status is written first. */
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
      jobs: this.#work(found, observed),
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

  #work(found: Found, observed: ObservedRestore): BackgroundWork {
    const { restore } = found;
    const { jobs, semaphores } = this.#options;
    const { namespace } = identityOf(restore);
    const names = jobNames(restore);
    const withStore = this.#withStore(restore);
    const withSource: With<Source> = (work) =>
      withStore(async ({ store, place, keys }, context) =>
        work({ place, keys, store: await openBackup(store, { key: place.key, keys }, context.signal) }, context),
      );
    const { acceptWithoutHash = false } = restore.spec;
    const ways = this.#ways(found, observed, { withStore, withSource });
    const { verify, deliver } = ways;
    const ofKeys =
      (work: (parts: PrefixWork, context: JobContext) => Promise<unknown>): Work =>
      (context) =>
        work(this.#prefixWork(found, observed, ways, context), context);
    return {
      inspect: () =>
        jobs.start(
          names.inspect,
          withSource((source, context) => inspectSource(source, { acceptWithoutHash }, context)),
        ),
      verify: () => jobs.start(names.verify, verify, { semaphore: semaphores.read, namespace }),
      save: (step) =>
        jobs.start(
          names.save,
          withStore((opened, context) => {
            const { find, clock, dial } = this.#options;
            const pods = () => find(keyOf(restore))?.pods ?? [];
            return saveOldMembers(
              step,
              { ...found, pods, credentials: observed.credentials, opened, clock, dial },
              context,
            );
          }),
          { semaphore: semaphores.move, namespace },
        ),
      hold: (member, ip) => {
        const work = async (context: JobContext) =>
          holdSnapshot(
            member,
            identityOf(restore),
            await this.#survivorDelivery(found, observed, ip, context.signal),
            context,
          );
        jobs.start(names.save, work, { semaphore: semaphores.move, namespace });
      },
      deliver: (ip, agent) => jobs.start(names.deliver(agent), deliver(ip), { semaphore: semaphores.move, namespace }),
      compare: () => jobs.start(names.compare, ofKeys(comparePrefixes), { semaphore: semaphores.read, namespace }),
      write: () => jobs.start(names.write, ofKeys(writeRecorded), { semaphore: semaphores.move, namespace }),
    };
  }

  #withStore(restore: EtcdRestore): With<OpenedStorage> {
    return (work) => async (context) => {
      const opened = await this.#open(restore, context.signal);
      try {
        return await work(opened, context);
      } finally {
        opened.store.close();
      }
    };
  }

  /** How the source is inspected, and how it is delivered to the first member. */
  #ways(
    found: Found,
    observed: ObservedRestore,
    { withStore, withSource }: { readonly withStore: With<OpenedStorage>; readonly withSource: With<Source> },
  ): Ways {
    const { acceptWithoutHash = false, encryption, pointInTime, source = {} } = found.restore.spec;
    const { survivor, cluster: original } = source;
    if (survivor)
      return {
        fetch: undefined,
        verify: (context) => surveyCluster(found, observed, this.#dialing, context),
        deliver: (ip) => async (context) => {
          const source = expectSource(observed.observation.restore.source);
          return deliverSurvivor(source, await this.#survivorDelivery(found, observed, ip, context.signal), context);
        },
      };
    const { namespace } = identityOf(found.restore);
    if (original !== undefined)
      return {
        fetch: undefined,
        verify: (context) => inspectCluster(original, this.#searching(namespace, context), context),
        deliver: (ip) => (context) => this.#deliverClone(found, observed, original, ip, context),
      };
    const prefix = jobPrefix(found.restore);
    // If the backup is encrypted in the store, it is not written to a disk unencrypted.
    const keep: Keep = encryption ? async () => undefined : (bytes) => this.#options.scratch.keep(prefix, bytes);
    if (pointInTime) {
      const compared = comparedPoint(observed.observation.restore.prefixes);
      const goal = () =>
        compared ? { revision: BigInt(compared.revision), snapshot: compared.snapshot } : goalOf(pointInTime);
      const fetch = (kept: Keep) => withStore((opened, context) => verifyPoint(opened, goal(), kept, context));
      return {
        fetch,
        verify: fetch(keep),
        deliver: (ip) => withStore((opened, context) => this.#deliverPoint(found, observed, ip, opened, context)),
      };
    }
    const fetch = (kept: Keep) =>
      withSource((source, context) => verifySource(source, { acceptWithoutHash, keep: kept }, context));
    return {
      fetch,
      verify: fetch(keep),
      deliver: (ip) => withSource((source, context) => this.#deliver(found, observed, ip, source, context)),
    };
  }

  #prefixWork({ restore }: Found, { observation }: ObservedRestore, { fetch }: Ways, context: JobContext): PrefixWork {
    const { scratch, random } = this.#options;
    const { prefixes, clusterName: name, safety } = observation.restore;
    if (!fetch || !prefixes) throw new RestoreError('SourceRefused', 'spec.prefixes needs a backup');
    const search = this.#searching(identityOf(restore).namespace, context);
    return {
      place: { scratch, random, name: `${jobPrefix(restore)}prefixes` },
      prefixes,
      fetch: (keep) => fetch(keep)(context),
      quotaBytes: observation.cluster?.limits.quotaBytes ?? Number.POSITIVE_INFINITY,
      savedUpTo: safety?.kind === 'kept' ? BigInt(safety.revision) : undefined,
      mayWrite: () => this.#checkMayWrite(restore),
      withMember: (work) => withMember({ name, field: 'spec.etcdCluster' }, search, work),
    };
  }

  #checkMayWrite(restore: EtcdRestore): void {
    this.#options.fence();
    const why = whyNotToWrite(restore, this.#options.find(keyOf(restore)));
    if (why !== undefined) throw new RestoreError('NotDelivered', why);
  }

  async #open(restore: EtcdRestore, signal: AbortSignal): Promise<OpenedStorage> {
    const { client, storage, event } = this.#options;
    const { namespace } = identityOf(restore);
    const onUnlabelled = (name: string) =>
      event(restore, 'Warning', backupEventReasons.secretUnlabelled, unlabelledMessage(namespace, [name]));
    const readSecret = secretReader(client, namespace, signal, { ...storage, onUnlabelled });
    const request = { type: restore.spec.backupStorageType ?? '', sources: restore.spec, namespace, readSecret };
    const keys = await specKeys(restore.spec.encryption, readSecret);
    return { ...(await openStore(request, storage)), keys };
  }

  async #deliver(
    { restore }: Found,
    { observation }: ObservedRestore,
    ip: string,
    opened: Source,
    context: JobContext,
  ): Promise<SourceFacts> {
    const source = expectSource(observation.restore.source);
    const agent = await this.#agentAt(ip, restore, context.signal);
    const kept = await this.#options.scratch.read(jobPrefix(restore), source.bytes);
    const acceptWithoutHash = restore.spec.acceptWithoutHash ?? false;
    const delivered = await deliverSource(opened, { source, agent, kept, acceptWithoutHash }, context).catch(
      refuseOther,
    );
    // The agent has the data, so the copy is deleted: this makes room for others, and the disk has less to write.
    await this.#options.scratch.forget(jobPrefix(restore));
    return delivered;
  }

  async #deliverPoint(
    { restore }: Found,
    { observation }: ObservedRestore,
    ip: string,
    opened: OpenedStorage,
    context: JobContext,
  ): Promise<SourceFacts> {
    const source = expectSource(observation.restore.source);
    const agent = await this.#agentAt(ip, restore, context.signal);
    const kept = await this.#options.scratch.read(jobPrefix(restore), source.bytes);
    const delivered = await deliverPoint(opened, { source, agent, kept }, context);
    await this.#options.scratch.forget(jobPrefix(restore));
    return delivered;
  }

  async #survivorDelivery(
    found: Found,
    observed: ObservedRestore,
    ip: string,
    signal: AbortSignal,
  ): Promise<SurvivorDelivery> {
    const { restore, cluster } = found;
    if (!cluster) throw new RestoreError('NotDelivered', 'the EtcdCluster does not exist any more');
    const { namespace } = identityOf(restore);
    return {
      ...{ client: this.#options.client, namespace, cached: this.#options.find(keyOf(restore))?.pods ?? [] },
      connect: (pod) => memberClient(pod, cluster, observed.credentials, this.#dialing),
      agent: await this.#agentAt(ip, restore, signal),
    };
  }

  async #deliverClone(
    { restore }: Found,
    { observation }: ObservedRestore,
    original: string,
    ip: string,
    context: JobContext,
  ): Promise<SourceFacts> {
    const source = expectSource(observation.restore.source);
    const agent = await this.#agentAt(ip, restore, context.signal);
    const search = this.#searching(identityOf(restore).namespace, context);
    return deliverClone(original, { source, agent, search }, context);
  }

  /** Only in the namespace of the EtcdRestore: its author could back up the clusters there, and no others (safety rule 17). */
  #searching(namespace: string, { signal }: JobContext): MemberSearch {
    const { client, clock, dial = networkDialer } = this.#options;
    return { client, clock, dial, namespace, signal };
  }

  get #dialing(): Pick<RestoreReconcilerOptions, 'clock'> & { readonly dial: Dialer | undefined } {
    const { clock, dial } = this.#options;
    return { clock, dial };
  }

  async #agentAt(ip: string, restore: EtcdRestore, signal: AbortSignal): Promise<AgentAddress> {
    const key = await this.#key(restore, signal);
    const { dial = networkDialer, clock, fence } = this.#options;
    return { ip, uid: identityOf(restore).uid, key, dial, clock, fence, patience: agentPatience };
  }

  async #key(restore: EtcdRestore, signal: AbortSignal): Promise<Uint8Array> {
    const identity = identityOf(restore);
    const name = secretNameOf(identity);
    const { data } = await this.#options.client
      .resource(secrets)
      .get({ namespace: identity.namespace, name }, { signal });
    return Buffer.from(Buffer.from(data?.[keyName] ?? '', 'base64').toString('utf8'), 'hex');
  }
}

/** The longest time between two checks, because timers and the time to live use different clocks. */
const longestRest = 5 * 60_000;

/** How long one attempt waits for an agent that does not listen yet. */
const agentPatience = 10_000;

function expectSource(source: SourceFacts | undefined): SourceFacts {
  if (!source) throw new RestoreError('SourceRefused', 'the result of the verification was lost');
  return source;
}
