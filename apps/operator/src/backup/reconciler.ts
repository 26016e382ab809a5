// SPDX-License-Identifier: Apache-2.0
import {
  addFinalizerPatch,
  done,
  type EventRecorder,
  hasFinalizer,
  type ReconcileContext,
  type Reconciler,
  type Request,
  type Result,
  removeFinalizerPatch,
  requeueAfter,
} from '@etcd-operator/controller-runtime';
import type { Dialer } from '@etcd-operator/etcd';
import { type Client, formatTime, type Patch } from '@etcd-operator/kube';
import type { Clock, Logger, Random } from '@etcd-operator/ports';
import { type EtcdBackup, type EtcdBackupStatus, etcdBackups } from '../api/etcd-backup.ts';
import { fieldManager, group } from '../api/names.ts';
import { statusPatch } from '../api/status-patch.ts';
import type { StorageSettings } from '../storage/open-store.ts';
import { tellKept, tellOutcome } from './backup-events.ts';
import type { BackupMetrics } from './backup-metrics.ts';
import { type BackupOrder, type OrderProblem, orderOf } from './backup-order.ts';
import { type BackupPlan, type BackupStep, planBackup, restAfter } from './backup-plan.ts';
import type { BackupRuns, RunReporter, RunState } from './backup-runs.ts';
import { afterRun, memoryOf, saysTheSame, statusOf, timeOf } from './backup-status.ts';
import { deleteStored } from './delete-stored.ts';
import { SeenFor } from './seen-for.ts';
import { PausableLimit } from './take/pausable-limit.ts';
import { type TakenBackup, takeBackup } from './take/take-backup.ts';
import type { Turns } from './take/turns.ts';

/** What the original puts on periodic backups. */
export const originalFinalizer = 'backup-operator-periodic';
/** Ours, only where `deletionPolicy` is Delete. */
const ownFinalizer = `${group}/stored-backups`;

export interface BackupReconcilerOptions {
  /** For writes of runs, which outlive the reconcile that started them. */
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly backupOf: (request: Request) => EtcdBackup | undefined;
  readonly runs: BackupRuns;
  readonly turns: Turns;
  readonly metrics: BackupMetrics;
  readonly events: EventRecorder;
  /** Who holds the original's lock, if anybody does: two operators must not keep the same backups. */
  readonly oldOperator: () => string | undefined;
  readonly dial: Dialer;
  readonly storage: StorageSettings;
  /** Has an object looked at again. */
  readonly enqueue: (request: Request) => void;
}

/** How long to wait before looking whether the original operator is gone. */
const oldOperatorRecheck = 5_000;

interface Look {
  readonly backup: EtcdBackup;
  /** The status with what a run that has ended came to. */
  readonly status: EtcdBackupStatus | undefined;
  readonly order: BackupOrder | undefined;
  readonly problem: OrderProblem | undefined;
  readonly run: RunState | undefined;
  readonly plan: BackupPlan;
  readonly now: number;
}

/** Observe, plan, act, report: one pass over one EtcdBackup. The backup itself is made beside it, by a run. */
export class BackupReconciler implements Reconciler {
  readonly #options: BackupReconcilerOptions;
  readonly #uids = new Map<string, string>();
  readonly #seenFor: SeenFor;

  constructor(options: BackupReconcilerOptions) {
    this.#options = options;
    this.#seenFor = new SeenFor(options.clock);
  }

  async reconcile(request: Request, context: ReconcileContext): Promise<Result> {
    const backup = this.#options.backupOf(request);
    this.#follow(request, backup?.metadata?.uid);
    if (!backup) return done();
    const holder = this.#options.oldOperator();
    if (holder !== undefined) {
      context.log.info('the original backup operator is alive; waiting for it to end', { holder });
      return requeueAfter(oldOperatorRecheck);
    }
    const look = this.#look(backup);
    const { run } = look;
    if (run?.outcome) return this.#conclude(look, run, context);
    const again = await this.#act(look, context);
    const { plan, now } = look;
    if (plan.situation !== 'deleting' && again !== 'changed') {
      const started = this.#options.runs.state(backup.metadata?.uid ?? '');
      await this.#report({ ...look, run: started }, context);
    }
    if (typeof again === 'number') return requeueAfter(again);
    const rest = restAfter(plan, now);
    return rest === undefined ? done() : requeueAfter(rest);
  }

  /** A run has ended: what it came to is written down before anything else is decided. */
  async #conclude(look: Look, run: RunState, context: ReconcileContext): Promise<Result> {
    const { backup } = look;
    const { uid = '', name = '', namespace = '' } = backup.metadata ?? {};
    if (run.outcome?.kind !== 'cancelled') {
      await this.#report(look, context);
      this.#options.metrics.ended(name, namespace, run);
      tellOutcome(this.#options.events, backup, run);
      // By a clock that was set back, what this run has recorded may read as what the one before had.
      this.#seenFor.forget(uid);
    }
    this.#options.runs.forget(uid);
    return requeueAfter(1);
  }

  #look(backup: EtcdBackup): Look {
    const { clock, runs, random, metrics } = this.#options;
    const now = clock.now();
    const {
      uid = '',
      name = '',
      namespace = '',
      generation = 0,
      deletionTimestamp,
      creationTimestamp,
    } = backup.metadata ?? {};
    const run = runs.state(uid);
    const status = run?.outcome ? afterRun(backup.status, run, { now, chance: random.next() }) : backup.status;
    const result = orderOf(backup);
    const order = 'order' in result ? result.order : undefined;
    const problem = 'problem' in result ? result.problem : undefined;
    const memory = memoryOf({ ...backup, ...(status && { status }) });
    metrics.seen(uid, name, namespace, timeOf(status?.lastSuccessDate));
    const plan = planBackup(
      {
        generation,
        created: timeOf(creationTimestamp) ?? now,
        isDeleting: Boolean(deletionTimestamp),
        hasOriginalFinalizer: hasFinalizer(backup, originalFinalizer),
        hasOwnFinalizer: hasFinalizer(backup, ownFinalizer),
        order,
        problem,
        memory,
        seenFor: {
          lastDue: this.#seenFor.of(uid, 'lastDue', memory.lastDue),
          nextAttempt: this.#seenFor.of(uid, 'nextAttempt', memory.nextAttempt),
          deletion: this.#seenFor.of(uid, 'deletion', Boolean(deletionTimestamp)),
        },
        run: run && { generation: run.generation, state: run.outcome ? 'ended' : 'running' },
      },
      now,
    );
    return { backup, status, order, problem, run, plan, now };
  }

  /** Carries out the plan. `changed`: the object was written and is looked at again; a number: when to look again. */
  async #act(look: Look, context: ReconcileContext): Promise<'changed' | number | undefined> {
    for (const step of look.plan.steps) {
      const again = await this.#step(step, look, context);
      if (again !== undefined) return again;
    }
    return undefined;
  }

  async #step(step: BackupStep, look: Look, context: ReconcileContext): Promise<'changed' | number | undefined> {
    const { backup } = look;
    const { uid = '' } = backup.metadata ?? {};
    switch (step.do) {
      case 'start':
        this.#start(look, step.due);
        return undefined;
      case 'cancel':
        this.#options.runs.cancel(uid, 'the EtcdBackup has changed or is being deleted');
        return undefined;
      case 'addOwnFinalizer':
        return this.#patch(backup, addFinalizerPatch(backup, ownFinalizer), context);
      case 'removeOwnFinalizer':
        return this.#patch(backup, removeFinalizerPatch(backup, ownFinalizer), context);
      case 'removeOriginalFinalizer':
        return this.#patch(backup, removeFinalizerPatch(backup, originalFinalizer), context);
      case 'deleteStored':
        return this.#deleteStored(look, step.isLastTry, context);
    }
  }

  async #patch(backup: EtcdBackup, patch: Patch | undefined, { client, signal }: ReconcileContext): Promise<'changed'> {
    const { name = '', namespace = '' } = backup.metadata ?? {};
    if (patch) {
      await client.resource(etcdBackups.resource).patch({ name, namespace }, patch, { fieldManager, signal });
    }
    return 'changed';
  }

  async #deleteStored(
    { backup, order }: Look,
    isLastTry: boolean,
    context: ReconcileContext,
  ): Promise<number | undefined> {
    const { storage, events } = this.#options;
    if (!order) return undefined;
    try {
      using limit = new PausableLimit(this.#options.clock, order.timeoutMs, context.signal);
      const count = await deleteStored(backup, order, context.client, storage, limit.signal);
      context.log.info('stored backups deleted', { count });
      return undefined;
    } catch (error) {
      context.signal.throwIfAborted();
      const why = error instanceof Error ? error.message : String(error);
      if (!isLastTry) {
        events.record(backup, 'Warning', 'DeletingBackupsFailed', `${why}; it is tried again`);
        return 15_000;
      }
      events.record(backup, 'Warning', 'BackupsLeftBehind', `stored backups could not be deleted: ${why}`);
      return undefined;
    }
  }

  #start({ backup, order }: Look, due: number): void {
    if (!order) return;
    const { runs, metrics, enqueue } = this.#options;
    const { uid = '', name = '', namespace = '', generation = 0 } = backup.metadata ?? {};
    metrics.begun(name, namespace);
    runs.start({
      uid,
      generation,
      due,
      work: (signal, reporter) => this.#take(backup, order, signal, reporter),
      onEnd: () => enqueue({ name, namespace }),
    });
  }

  async #take(
    backup: EtcdBackup,
    order: BackupOrder,
    signal: AbortSignal,
    reporter: RunReporter,
  ): Promise<TakenBackup> {
    const { client, clock, dial, storage, turns } = this.#options;
    const { name = '', namespace = '' } = backup.metadata ?? {};
    const log = this.#options.log.child({ object: `EtcdBackup ${namespace}/${name}` });
    using limit = new PausableLimit(clock, order.timeoutMs, signal);
    try {
      return await takeBackup(
        { backup, order },
        {
          client,
          clock,
          log,
          dial,
          storage,
          limit,
          turn: (until) => turns.take(until),
          announce: async (object, totalBytes) => {
            reporter.object(object, totalBytes);
            await this.#note(backup, object, limit.signal);
          },
          onBytes: (bytes) => reporter.bytes(bytes),
        },
      );
    } catch (error) {
      log.info('a backup was not made', { error });
      throw (signal.aborted ? undefined : limit.expiry) ?? error;
    }
  }

  /** Written before the first byte: whoever comes after a crash finds what was left unfinished. */
  async #note(backup: EtcdBackup, object: string, signal: AbortSignal): Promise<void> {
    const { name = '', namespace = '', uid } = backup.metadata ?? {};
    const { clock, client } = this.#options;
    const progress = { object, startTime: formatTime(clock.now()) };
    const patch = { metadata: { uid }, status: { progress } };
    await client
      .resource(etcdBackups.resource)
      .status.patch({ name, namespace }, { type: 'merge', patch }, { fieldManager, signal });
  }

  async #report(look: Look, { client, signal }: ReconcileContext): Promise<void> {
    const { backup, problem, run, plan, now } = look;
    const { name = '', namespace = '', uid, generation = 0 } = backup.metadata ?? {};
    const next = statusOf(look.status, { plan, problem, run, generation, now });
    if (backup.status && saysTheSame(backup.status, next, now)) return;
    if (problem && backup.status?.Reason !== problem.message)
      this.#options.events.record(backup, 'Warning', problem.reason, problem.message);
    const { observedGeneration = generation, lastBackup } = backup.status ?? {};
    if (plan.situation === 'complete' && !run && lastBackup && observedGeneration !== generation)
      tellKept(this.#options.events, backup, lastBackup.path);
    // A run notes its object by itself; the cache may not have seen that yet.
    const patch = { metadata: { uid }, status: { progress: null, ...statusPatch(backup.status, next) } };
    await client
      .resource(etcdBackups.resource)
      .status.patch({ name, namespace }, { type: 'merge', patch }, { fieldManager, signal });
  }

  /** Ends what belongs to an object that is gone, or that was replaced by another of the same name. */
  #follow({ namespace = '', name }: Request, uid: string | undefined): void {
    const key = `${namespace}/${name}`;
    const before = this.#uids.get(key);
    if (before !== undefined && before !== uid) {
      this.#options.runs.abandon(before);
      this.#options.metrics.forget(before);
      this.#seenFor.forget(before);
    }
    if (uid === undefined) this.#uids.delete(key);
    else this.#uids.set(key, uid);
  }
}
