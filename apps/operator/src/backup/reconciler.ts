// SPDX-License-Identifier: Apache-2.0
import {
  done,
  type ReconcileContext,
  type Reconciler,
  type Request,
  type Result,
  requeueAfter,
} from '@operator-parts/controller-runtime';
import { ignoreNotFound } from '@operator-parts/kube';
import { type EtcdBackup, etcdBackups } from '../api/etcd-backup.ts';
import { timeOf } from '../api/status-time.ts';
import { FirstSeen } from '../first-seen.ts';
import { actAll } from './act/act.ts';
import type { ActPorts } from './act/act-context.ts';
import { PlacesInUse } from './act/stored/path-in-use.ts';
import type { RecoveryPoint } from './continuous/recovery-point.ts';
import { observe, type SeenBackup } from './observe/observe.ts';
import { type BackupPlan, needsLiveRead, planBackup, restAfter } from './plan/backup-plan.ts';
import { isRefuted } from './prove/proof-status.ts';
import type { ProofSeen } from './status/backup-metrics.ts';
import { report } from './status/report.ts';

interface ObservedBackup {
  readonly seen: SeenBackup;
  readonly plan: BackupPlan;
}

export interface BackupReconcilerOptions extends Omit<ActPorts, 'places'> {
  /** Whether this operator manages an object. */
  readonly isOurs: (backup: EtcdBackup) => boolean;
  /** The holder of CoreOS's lock, if any: two operators must not manage the same backups. */
  readonly coreosOperator: () => string | undefined;
}

/** How long to wait before checking again whether CoreOS etcd-operator is gone. */
const coreosOperatorRecheck = 5_000;

/**
 * Reconciles one EtcdBackup: observe, plan, act, report. A run in the background makes the backup itself. One reconciliation, in order:
 *
 * 1. If the EtcdBackup is deleted or managed by another operator, its runs, proofs and streams are ended and dropped.
 * 2. While the CoreOS etcd-backup-operator holds its lock, nothing is done.
 * 3. The object, its status and its run are observed. The outcome of an ended run counts as if it were already in the status.
 * 4. The plan is made. The order of its rules is in `plan/backup-plan.ts`. If the plan starts a run or deletes stored backups, the object
 *    is read from the API server and the plan is made again.
 * 5. All steps of the plan are carried out, unless a step fails and must be retried, or someone else has changed the object meanwhile.
 * 6. The status is written if it has changed, except while the object is being deleted.
 * 7. The next reconciliation is scheduled. A run requests one when it ends.
 */
export class BackupReconciler implements Reconciler {
  readonly #options: BackupReconcilerOptions;
  readonly #uids = new Map<string, string>();
  readonly #firstSeen: FirstSeen;
  readonly #ports: ActPorts;

  constructor(options: BackupReconcilerOptions) {
    this.#options = options;
    this.#firstSeen = new FirstSeen(options.clock);
    this.#ports = { ...options, places: new PlacesInUse() };
  }

  async reconcile(request: Request, context: ReconcileContext): Promise<Result> {
    const { backupOf, isOurs, coreosOperator, runs } = this.#options;
    const cached = backupOf(request);
    const backup = cached && isOurs(cached) ? cached : undefined;
    await this.#follow(request, backup?.metadata?.uid);
    if (!backup) return done();
    const holder = coreosOperator();
    if (holder !== undefined) {
      context.log.info(
        'the CoreOS etcd-backup-operator still holds its lock. Scale it to 0; reconciliation is suspended until then',
        { holder },
      );
      return requeueAfter(coreosOperatorRecheck);
    }
    const observed = await this.#observe(backup, context);
    if (!observed) return done();
    const { seen, plan } = observed;
    this.#measure(seen);
    const acting = { ports: this.#ports, seen, plan, reconcile: context };
    const acted = await actAll(acting);
    switch (acted.kind) {
      case 'gone':
        return done();
      case 'retry':
        return requeueAfter(acted.after);
      case 'done': {
        const { status } = acted.backup;
        const run = runs.state(backup.metadata?.uid ?? '');
        if (plan.situation !== 'deleting') await report({ backup: acted.backup, status, run }, acting);
        const rest = restAfter(plan, seen.now);
        return rest === undefined ? done() : requeueAfter(rest);
      }
    }
  }

  /**
   * Plans with the object from the API server, and not from the cache, if the plan starts a run or deletes stored backups. A stale cache
   * may miss the previous run: then a backup would be made twice, or a failed attempt repeated without a pause. It may also miss that the
   * user now wants to keep the stored backups. Undefined if the object was deleted or is managed by another operator now. Then nothing is
   * done, and the cache will soon show the same.
   */
  async #observe(cached: EtcdBackup, { client, signal }: ReconcileContext): Promise<ObservedBackup | undefined> {
    const observed = this.#plan(cached);
    if (!needsLiveRead(observed.plan)) return observed;
    const { name = '', namespace = '', uid } = cached.metadata ?? {};
    const read = client.resource(etcdBackups.resource).get({ name, namespace }, { signal });
    const current = await ignoreNotFound(read);
    if (!current || current.metadata?.uid !== uid || !this.#options.isOurs(current)) return undefined;
    return this.#plan(current);
  }

  #plan(backup: EtcdBackup): ObservedBackup {
    const { clock, random, runs, proofs, streams } = this.#options;
    const run = runs.state(backup.metadata?.uid ?? '');
    const ports = { clock, random, firstSeen: this.#firstSeen };
    const seen = observe(backup, run, ports, proofs.view(backup), streams.view(backup));
    return { seen, plan: planBackup(seen.observation, seen.now) };
  }

  #measure({ backup, status }: SeenBackup): void {
    const { uid = '', name = '', namespace = '' } = backup.metadata ?? {};
    const { lastSuccessDate, nextScheduleDate } = status ?? {};
    const recovery = recoverySeen(backup, this.#options.streams.report(uid)?.point);
    const proof = proofSeen(backup);
    const times = { lastSuccess: timeOf(lastSuccessDate), next: timeOf(nextScheduleDate), proof, recovery };
    this.#options.metrics.seen(uid, name, namespace, times);
  }

  /** Ends the work for an object that was deleted, is managed by another operator, or was replaced by another object of the same name. */
  async #follow({ namespace = '', name }: Request, uid: string | undefined): Promise<void> {
    const key = `${namespace}/${name}`;
    const before = this.#uids.get(key);
    if (uid === undefined) this.#uids.delete(key);
    else this.#uids.set(key, uid);
    if (before === undefined || before === uid) return;
    this.#options.metrics.forget(before);
    this.#firstSeen.forget(before);
    await this.#options.proofs.forget(before);
    await this.#options.streams.forget(before);
    await this.#options.runs.abandon(before);
  }
}

/**
 * What the metrics show about proofs (test restores of stored backups). Before the first proof, the time when the EtcdBackup was created.
 */
function proofSeen({ metadata, spec, status }: EtcdBackup): ProofSeen | undefined {
  if (!spec.prove) return undefined;
  const made = timeOf(status?.lastProven?.backupDate) ?? timeOf(metadata?.creationTimestamp);
  return { made, isRefuted: isRefuted(status?.conditions) };
}

/** The time up to which data can be recovered; before anything is stored, when the EtcdBackup was created. */
function recoverySeen({ metadata, spec, status }: EtcdBackup, point: RecoveryPoint | undefined): number | undefined {
  if (!spec.continuous) return undefined;
  return point?.time ?? timeOf(status?.recoveryPoint?.time) ?? timeOf(metadata?.creationTimestamp);
}
