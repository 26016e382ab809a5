// SPDX-License-Identifier: Apache-2.0
import { MetricRegistry } from '@operator-parts/controller-runtime';
import { VirtualClock } from '@operator-parts/ports';
import { beforeEach, describe, expect, test } from 'vitest';
import type { RunOutcome, RunState } from '../act/backup-runs.ts';
import { manifest } from '../testing/observations.ts';
import { BackupMetrics } from './backup-metrics.ts';

let clock: VirtualClock;
let registry: MetricRegistry;
let metrics: BackupMetrics;

beforeEach(() => {
  clock = new VirtualClock();
  registry = new MetricRegistry();
  metrics = new BackupMetrics(registry, clock, () => 3);
});

const taken: RunOutcome = {
  kind: 'taken',
  taken: { key: 'k', path: 'b/k', startedAt: 0, manifest, isNew: true, pruneError: undefined, uncounted: 0 },
};
const failed: RunOutcome = { kind: 'failed', fault: { kind: 'passing', reason: 'Timeout', message: 'x' } };
const run = (outcome: RunOutcome): RunState => ({
  generation: 1,
  due: 0,
  progress: { object: 'k', startedAt: 0, bytes: 0, totalBytes: 0, seconds: 4, left: [], removed: [] },
  outcome,
});
const labels = '{name="nightly",namespace="default"}';

describe('[88] metrics of backups', () => {
  test('have the names and labels that users of the forks have in their rules', async () => {
    metrics.seen('uid', 'nightly', 'default', { lastSuccess: clock.now() - 60_000, next: undefined });
    metrics.begun('nightly', 'default');
    metrics.ended('nightly', 'default', run(taken));
    const text = registry.render();
    expect(text).toContain(`etcd_operator_backups_attempt_total${labels} 1`);
    expect(text).toContain(`etcd_operator_backups_success_total${labels} 1`);
    expect(text).toContain(`etcd_operator_backup_last_success${labels} ${(clock.now() - 60_000) / 1000}`);
    expect(text).toContain(`etcd_operator_backup_size_bytes${labels} 20512`);
    expect(text).toContain(`etcd_operator_backup_duration_seconds${labels} 4`);
    expect(text).toContain('etcd_operator_backups_running 3');
  });

  test('tell when the next backup of a schedule is due, and nothing of one without', () => {
    metrics.seen('uid', 'nightly', 'default', { lastSuccess: undefined, next: 120_000 });
    expect(registry.render()).toContain(`etcd_operator_backup_next_schedule${labels} 120`);
    metrics.seen('uid', 'nightly', 'default', { lastSuccess: undefined, next: undefined });
    expect(registry.render()).not.toContain(`etcd_operator_backup_next_schedule${labels}`);
  });

  test('the age of the last success grows by itself', async () => {
    metrics.seen('uid', 'nightly', 'default', { lastSuccess: clock.now(), next: undefined });
    await clock.advance(90_000);
    expect(registry.render()).toContain(`etcd_operator_backup_last_success_age_seconds${labels} 90`);
  });

  test('the age of the last success grows also when the clock said that it was in the future', async () => {
    metrics.seen('uid', 'nightly', 'default', { lastSuccess: clock.now() + 3_600_000, next: undefined });
    await clock.advance(90_000);
    metrics.seen('uid', 'nightly', 'default', { lastSuccess: clock.now() + 3_510_000, next: undefined });
    expect(registry.render()).toContain(`etcd_operator_backup_last_success_age_seconds${labels} 90`);
  });

  test('a backup that was found again is not counted as made', () => {
    const found: RunOutcome = { ...taken, taken: { ...taken.taken, isNew: false } };
    metrics.ended('nightly', 'default', run(found));
    expect(registry.render()).not.toContain(`etcd_operator_backups_success_total${labels}`);
  });

  test('failures are counted by reason, and an object that is gone leaves nothing behind', () => {
    metrics.seen('uid', 'nightly', 'default', { lastSuccess: clock.now(), next: undefined });
    metrics.ended('nightly', 'default', run(failed));
    expect(registry.render()).toContain(
      'etcd_operator_backups_failure_total{name="nightly",namespace="default",reason="Timeout"} 1',
    );
    metrics.forget('uid');
    expect(registry.render()).not.toContain('nightly');
  });
});

test('the age of the last proven backup is there while proofs are asked for, and so is that one was found wanting', () => {
  const times = { lastSuccess: undefined, next: undefined };
  metrics.seen('u', 'nightly', 'default', { ...times, proof: { made: clock.now() - 5_000, isRefuted: true } });
  const text = registry.render();
  expect(text).toContain(`etcd_operator_backup_last_proven_age_seconds${labels} 5\n`);
  expect(text).toContain(`etcd_operator_backup_proof_failed${labels} 1\n`);
  metrics.seen('u', 'nightly', 'default', times);
  expect(registry.render()).not.toContain(`proven_age_seconds${labels}`);
  metrics.seen('u', 'nightly', 'default', { ...times, proof: { made: undefined, isRefuted: false } });
  expect(registry.render()).toContain(`etcd_operator_backup_proof_failed${labels} 0\n`);
  metrics.forget('u');
  expect(registry.render()).not.toContain(labels);
});

test('the age of the recovery point is there while changes are recorded, and grows while nothing more is stored', async () => {
  const series = `etcd_operator_backup_recovery_point_age_seconds${labels}`;
  const times = { lastSuccess: undefined, next: undefined };
  metrics.seen('r', 'nightly', 'default', { ...times, recovery: clock.now() - 2_000 });
  expect(registry.render()).toContain(`${series} 2\n`);
  await clock.advance(300_000);
  expect(registry.render()).toContain(`${series} 302\n`);
  metrics.recovered('r', clock.now() - 1_000);
  expect(registry.render()).toContain(`${series} 1\n`);
  metrics.seen('r', 'nightly', 'default', times);
  expect(registry.render()).not.toContain(series);
  metrics.forget('r');
});
