// SPDX-License-Identifier: Apache-2.0
import type { Counter, Gauge, MetricRegistry } from '@operator-parts/controller-runtime';
import type { Clock } from '@operator-parts/ports';
import type { RunState } from '../act/backup-runs.ts';

const perBackup = ['name', 'namespace'] as const;

/** What is known about the proofs (test restores of stored backups) of an object that asks for proofs. */
export interface ProofSeen {
  /** When the last proven backup was started, in milliseconds since the epoch; before the first proof, when the object was created. */
  readonly made: number | undefined;
  readonly isRefuted: boolean;
}

interface Known {
  readonly name: string;
  readonly namespace: string;
  readonly lastSuccess: number | undefined;
  readonly provenMade: number | undefined;
  readonly recoveryPoint: number | undefined;
  /** When this process first saw the present `lastSuccess`, by the monotonic clock. */
  readonly since: number;
}

interface SeenTimes {
  readonly lastSuccess: number | undefined;
  readonly next: number | undefined;
  /** Undefined if the object does not ask for proofs. */
  readonly proof?: ProofSeen | undefined;
  /** The time up to which data can be recovered; undefined if changes are not recorded. */
  readonly recovery?: number | undefined;
}

/** Metrics of backups. The first three have the names and labels that CoreOS's forks use. */
export class BackupMetrics {
  readonly #clock: Clock;
  readonly #attempts: Counter;
  readonly #successes: Counter;
  readonly #lastSuccess: Gauge;
  readonly #age: Gauge;
  readonly #next: Gauge;
  readonly #size: Gauge;
  readonly #duration: Gauge;
  readonly #failures: Counter;
  readonly #provenAge: Gauge;
  readonly #refuted: Gauge;
  readonly #recoveryAge: Gauge;
  readonly #known = new Map<string, Known>();
  /** Reasons of failures by `namespace/name`. Each reason is a separate time series. */
  readonly #reasons = new Map<string, Set<string>>();

  constructor(registry: MetricRegistry, clock: Clock, running: () => number) {
    this.#clock = clock;
    const labels = perBackup;
    this.#attempts = registry.counter({ name: 'etcd_operator_backups_attempt_total', help: 'Backups begun', labels });
    this.#successes = registry.counter({ name: 'etcd_operator_backups_success_total', help: 'Backups made', labels });
    this.#lastSuccess = registry.gauge({
      name: 'etcd_operator_backup_last_success',
      help: 'Start time of the last successful backup, in seconds since 1970',
      labels,
    });
    this.#age = registry.gauge({
      name: 'etcd_operator_backup_last_success_age_seconds',
      help: 'Seconds since the start of the last successful backup',
      labels,
    });
    this.#next = registry.gauge({
      name: 'etcd_operator_backup_next_schedule',
      help: 'Time at which the next scheduled backup is due, in seconds since 1970; a time in the past means that this backup is late',
      labels,
    });
    this.#size = registry.gauge({ name: 'etcd_operator_backup_size_bytes', help: 'Length of the last backup', labels });
    this.#duration = registry.gauge({
      name: 'etcd_operator_backup_duration_seconds',
      help: 'Duration of the last successful backup in seconds',
      labels,
    });
    this.#failures = registry.counter({
      name: 'etcd_operator_backups_failure_total',
      help: 'Failed attempts to make a backup',
      labels: [...perBackup, 'reason'],
    });
    this.#provenAge = registry.gauge({
      name: 'etcd_operator_backup_last_proven_age_seconds',
      help: 'Seconds since the start of the last backup whose test restore succeeded; if there is none, the age of the EtcdBackup',
      labels,
    });
    this.#refuted = registry.gauge({
      name: 'etcd_operator_backup_proof_failed',
      help: '1 if the last test restore showed that the backup is not good, else 0',
      labels,
    });
    this.#recoveryAge = registry.gauge({
      name: 'etcd_operator_backup_recovery_point_age_seconds',
      help: 'With spec.continuous: age of the recovery point in seconds. All changes before the recovery point are stored. Without a recovery point yet: age of the EtcdBackup',
      labels,
    });
    const inProgress = registry.gauge({ name: 'etcd_operator_backups_running', help: 'Backups being made' });
    // What this operator has added to the gauge. Several operators in one process share the gauge.
    let shown = 0;
    registry.onCollect(() => {
      inProgress.labels().inc(running() - shown);
      shown = running();
      this.#measureAges();
    });
  }

  /** Updates the metrics of an object. Times are in milliseconds since the epoch, from its status. */
  seen(uid: string, name: string, namespace: string, { lastSuccess, next, proof, recovery }: SeenTimes): void {
    const before = this.#known.get(uid);
    const since = before && before.lastSuccess === lastSuccess ? before.since : this.#clock.monotonic();
    this.#known.set(uid, { name, namespace, lastSuccess, provenMade: proof?.made, recoveryPoint: recovery, since });
    if (lastSuccess !== undefined) this.#lastSuccess.labels(name, namespace).set(lastSuccess / 1000);
    if (next === undefined) this.#next.remove(name, namespace);
    else this.#next.labels(name, namespace).set(next / 1000);
    if (proof) this.#refuted.labels(name, namespace).set(proof.isRefuted ? 1 : 0);
    else for (const family of [this.#provenAge, this.#refuted]) family.remove(name, namespace);
    if (recovery === undefined) this.#recoveryAge.remove(name, namespace);
  }

  /** Reports that the changes of an object are stored up to this time, in milliseconds since the epoch. */
  recovered(uid: string, time: number): void {
    const known = this.#known.get(uid);
    if (known) this.#known.set(uid, { ...known, recoveryPoint: time });
  }

  begun(name: string, namespace: string): void {
    this.#attempts.labels(name, namespace).inc();
  }

  ended(name: string, namespace: string, { outcome, progress }: RunState): void {
    if (outcome?.kind === 'failed') this.#failed(name, namespace, outcome.fault.reason);
    if (outcome?.kind !== 'taken' || !outcome.taken.isNew) return;
    this.#successes.labels(name, namespace).inc();
    this.#size.labels(name, namespace).set(outcome.taken.manifest.bytes);
    this.#duration.labels(name, namespace).set(progress.seconds);
  }

  /** Removes the metrics of a deleted object. */
  forget(uid: string): void {
    const known = this.#known.get(uid);
    if (!known) return;
    this.#known.delete(uid);
    const { name, namespace } = known;
    const proofs = [this.#provenAge, this.#refuted, this.#recoveryAge];
    const gauges = [this.#lastSuccess, this.#age, this.#next, this.#size, this.#duration, ...proofs];
    for (const family of [this.#attempts, this.#successes, ...gauges]) family.remove(name, namespace);
    for (const reason of this.#reasons.get(`${namespace}/${name}`) ?? [])
      this.#failures.remove(name, namespace, reason);
    this.#reasons.delete(`${namespace}/${name}`);
  }

  #failed(name: string, namespace: string, reason: string): void {
    const key = `${namespace}/${name}`;
    const reasons = this.#reasons.get(key) ?? new Set();
    this.#reasons.set(key, reasons.add(reason));
    this.#failures.labels(name, namespace, reason).inc();
  }

  #measureAges(): void {
    for (const { name, namespace, lastSuccess, provenMade, recoveryPoint, since } of this.#known.values()) {
      if (provenMade !== undefined)
        this.#provenAge.labels(name, namespace).set(Math.max(0, this.#clock.now() - provenMade) / 1000);
      if (recoveryPoint !== undefined)
        this.#recoveryAge.labels(name, namespace).set(Math.max(0, this.#clock.now() - recoveryPoint) / 1000);
      if (lastSuccess === undefined) continue;
      // If the wall clock was set back, an old backup must not look recent.
      const age = Math.max(this.#clock.now() - lastSuccess, this.#clock.monotonic() - since);
      this.#age.labels(name, namespace).set(age / 1000);
    }
  }
}
