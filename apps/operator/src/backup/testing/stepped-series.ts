// SPDX-License-Identifier: Apache-2.0
import type { EtcdBackupStatus } from '../../api/etcd-backup.ts';
import { FirstSeen } from '../../first-seen.ts';
import type { RunOutcome, RunState } from '../act/backup-runs.ts';
import type { BackupFault } from '../backup-fault.ts';
import { planBackup, restAfter } from '../plan/backup-plan.ts';
import type { Schedule } from '../plan/schedule.ts';
import { afterRun, memoryOf } from '../status/backup-status.ts';
import { observation, order, now as start } from './observations.ts';

/** An event of the test, other than a backup. */
export type Happening =
  | { readonly kind: 'pass'; readonly milliseconds: number }
  /** The wall clock is set. */
  | { readonly kind: 'step'; readonly milliseconds: number }
  /** All later attempts have this outcome. */
  | { readonly kind: 'outcome'; readonly of: 'success' | BackupFault['kind'] }
  /** Another process takes over; what was only in the memory of the old process is lost. */
  | { readonly kind: 'restart' };

/** An attempt, and when it started in true time. */
export interface Try {
  readonly at: number;
  readonly succeeded: boolean;
  /** How often the clock was set before the attempt. Setting the clock takes no true time, so `at` does not show the order. */
  readonly stepsBefore: number;
}

/** The result, in true time since the beginning. */
export interface History {
  readonly tries: readonly Try[];
  readonly steps: readonly number[];
  readonly restarts: readonly number[];
  readonly end: number;
}

/**
 * An EtcdBackup with two clocks: true time, and a wall clock that the test sets. Plans are carried out as in the reconciler, and everything
 * that is remembered is kept in the status. Runs take no time.
 */
export class SteppedSeries {
  readonly #schedule: Schedule;
  readonly #tries: Try[] = [];
  readonly #steps: number[] = [];
  readonly #restarts: number[] = [];
  #status: EtcdBackupStatus | undefined;
  #elapsed = 0;
  #offset = 0;
  #outcome: 'success' | BackupFault['kind'] = 'success';
  #requeueAt: number | undefined = 0;
  #seen = this.#newProcess();

  constructor(schedule: Schedule) {
    this.#schedule = schedule;
  }

  static live(schedule: Schedule, happenings: readonly Happening[]): History {
    const series = new SteppedSeries(schedule);
    for (const happening of happenings) series.#meet(happening);
    return { tries: series.#tries, steps: series.#steps, restarts: series.#restarts, end: series.#elapsed };
  }

  #newProcess(): FirstSeen {
    return new FirstSeen({ monotonic: () => this.#elapsed });
  }

  #meet(happening: Happening): void {
    switch (happening.kind) {
      case 'pass':
        this.#pass(happening.milliseconds);
        return;
      case 'step':
        this.#offset += happening.milliseconds;
        this.#steps.push(this.#elapsed);
        return;
      case 'outcome':
        this.#outcome = happening.of;
        return;
      case 'restart':
        this.#seen = this.#newProcess();
        this.#restarts.push(this.#elapsed);
        this.#requeueAt = this.#elapsed;
        return;
    }
  }

  #pass(milliseconds: number): void {
    const end = this.#elapsed + milliseconds;
    while (this.#requeueAt !== undefined && this.#requeueAt <= end) {
      this.#elapsed = this.#requeueAt;
      this.#reconcile();
    }
    this.#elapsed = end;
  }

  #reconcile(): void {
    const now = start + this.#elapsed + this.#offset;
    const memory = memoryOf({ ...(this.#status && { status: this.#status }) });
    const seenFor = {
      lastDue: this.#seen.age('uid/lastDue', memory.lastDue),
      nextAttempt: this.#seen.age('uid/nextAttempt', memory.nextAttempt),
      deletion: 0,
      finishedAt: 0,
    };
    const seen = observation({ order: order(this.#schedule), created: start, memory, seenFor });
    const plan = planBackup(seen, now);
    const begin = plan.steps.find((step) => step.do === 'start');
    if (begin) this.#try(begin.due, now);
    const rest = begin ? 1 : restAfter(plan, now);
    this.#requeueAt = rest === undefined ? undefined : this.#elapsed + rest;
  }

  #try(due: number, now: number): void {
    const outcome = this.#ended(now);
    this.#tries.push({ at: this.#elapsed, succeeded: outcome.kind === 'taken', stepsBefore: this.#steps.length });
    const progress = { object: 'key', startedAt: now, bytes: 1, totalBytes: 1, seconds: 0, left: [], removed: [] };
    const run: RunState = { generation: 1, due, progress, outcome };
    this.#status = afterRun(this.#status, run, { now, chance: 0 });
    this.#seen.forget('uid');
  }

  #ended(startedAt: number): RunOutcome {
    if (this.#outcome !== 'success')
      return { kind: 'failed', fault: { kind: this.#outcome, reason: 'EtcdUnavailable', message: 'nobody answers' } };
    const key = this.#schedule.kind === 'once' ? 'key' : `key_v7_${startedAt}`;
    const sha256 = 'ab'.repeat(32);
    const manifest = { etcdVersion: '3.6.16', revision: 7, bytes: 1, sha256, clusterId: 'cd', time: '' };
    return {
      kind: 'taken',
      taken: { key, path: `bucket/${key}`, startedAt, manifest, isNew: true, pruneError: undefined, uncounted: 0 },
    };
  }
}
