// SPDX-License-Identifier: Apache-2.0
import type { Counter, Gauge, MetricRegistry } from '@etcd-operator/controller-runtime';
import type { Clock } from '@etcd-operator/ports';
import type { RunState } from './backup-runs.ts';

const perBackup = ['name', 'namespace'] as const;

interface Known {
  readonly name: string;
  readonly namespace: string;
  readonly lastSuccess: number | undefined;
  /** When this process first saw that, by the monotonic clock. */
  readonly since: number;
}

/** What is measured of backups. The first three are those of the original's forks, labels included. */
export class BackupMetrics {
  readonly #clock: Clock;
  readonly #attempts: Counter;
  readonly #successes: Counter;
  readonly #lastSuccess: Gauge;
  readonly #age: Gauge;
  readonly #size: Gauge;
  readonly #duration: Gauge;
  readonly #failures: Counter;
  readonly #known = new Map<string, Known>();
  /** Reasons of failures, by `namespace/name`: each is a series of its own. */
  readonly #reasons = new Map<string, Set<string>>();

  constructor(registry: MetricRegistry, clock: Clock, running: () => number) {
    this.#clock = clock;
    const labels = perBackup;
    this.#attempts = registry.counter({ name: 'etcd_operator_backups_attempt_total', help: 'Backups begun', labels });
    this.#successes = registry.counter({ name: 'etcd_operator_backups_success_total', help: 'Backups made', labels });
    this.#lastSuccess = registry.gauge({
      name: 'etcd_operator_backup_last_success',
      help: 'When the last backup was begun, in seconds since 1970',
      labels,
    });
    this.#age = registry.gauge({
      name: 'etcd_operator_backup_last_success_age_seconds',
      help: 'How long ago the last backup was begun',
      labels,
    });
    this.#size = registry.gauge({ name: 'etcd_operator_backup_size_bytes', help: 'Length of the last backup', labels });
    this.#duration = registry.gauge({
      name: 'etcd_operator_backup_duration_seconds',
      help: 'How long the last backup took',
      labels,
    });
    this.#failures = registry.counter({
      name: 'etcd_operator_backups_failure_total',
      help: 'Tries that failed',
      labels: [...perBackup, 'reason'],
    });
    const inProgress = registry.gauge({ name: 'etcd_operator_backups_running', help: 'Backups being made' });
    registry.onCollect(() => {
      inProgress.labels().set(running());
      this.#measureAges();
    });
  }

  /** An object is looked after; `lastSuccess` in milliseconds since the epoch, as its status tells. */
  seen(uid: string, name: string, namespace: string, lastSuccess: number | undefined): void {
    const before = this.#known.get(uid);
    const since = before && before.lastSuccess === lastSuccess ? before.since : this.#clock.monotonic();
    this.#known.set(uid, { name, namespace, lastSuccess, since });
    if (lastSuccess !== undefined) this.#lastSuccess.labels(name, namespace).set(lastSuccess / 1000);
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

  /** An object is gone: its series end. */
  forget(uid: string): void {
    const known = this.#known.get(uid);
    if (!known) return;
    this.#known.delete(uid);
    const { name, namespace } = known;
    for (const family of [this.#attempts, this.#successes, this.#lastSuccess, this.#age, this.#size, this.#duration])
      family.remove(name, namespace);
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
    for (const { name, namespace, lastSuccess, since } of this.#known.values()) {
      if (lastSuccess === undefined) continue;
      // A wall clock that was set back must not make an old backup young.
      const age = Math.max(this.#clock.now() - lastSuccess, this.#clock.monotonic() - since);
      this.#age.labels(name, namespace).set(age / 1000);
    }
  }
}
