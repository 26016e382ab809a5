// SPDX-License-Identifier: Apache-2.0
import { type EtcdBackup, type EtcdBackupStatus, etcdBackups } from '../../api/etcd-backup.ts';
import { observedGenerationIn } from '../../api/status/unseen-status.ts';
import { statusChanges, writeStatus } from '../../api/status/write-status.ts';
import { unknownSpecFields } from '../../api/unknown-fields.ts';
import type { ActContext } from '../act/act-context.ts';
import type { RunState } from '../act/backup-runs.ts';
import { recordingClaim } from '../continuous/stream-status.ts';
import { emitKept } from './backup-events.ts';
import { saysTheSame, statusOf } from './backup-status.ts';

/** What the new status is computed from. */
export interface Reported {
  /** The present object. */
  readonly backup: EtcdBackup;
  /** Its status, with changes that are not written yet. */
  readonly status: EtcdBackupStatus | undefined;
  readonly run: RunState | undefined;
}

/** Writes the status if it has changed. Resolves with the updated object. */
export async function report(
  { backup, status, run }: Reported,
  { ports, seen, plan, reconcile }: ActContext,
): Promise<EtcdBackup> {
  const { observation, now } = seen;
  const { problem } = observation;
  const { generation = 0 } = backup.metadata ?? {};
  const unknownFields = unknownSpecFields(etcdBackups, backup.spec);
  const stream = ports.streams.report(backup.metadata?.uid ?? '');
  const recording = recordingClaim(observation, stream);
  const next = statusOf(status, { plan, problem, run, unknownFields, recording, stream, generation, now });
  // A run writes `progress` itself, and the cached status may not show it yet. So the cached status cannot tell whether a write is needed.
  const mayHaveProgress = run?.outcome !== undefined && run.progress.object !== undefined;
  if (backup.status && !mayHaveProgress && saysTheSame(backup.status, next, now)) return backup;
  if (problem && backup.status?.Reason !== problem.message)
    ports.events.record(backup, 'Warning', problem.reason, problem.message);
  const { lastBackup } = backup.status ?? {};
  const observedGeneration = observedGenerationIn(backup.status) ?? generation;
  if (plan.situation === 'complete' && !run && lastBackup && observedGeneration !== generation)
    emitKept(ports.events, backup, lastBackup.path);
  const changes = { progress: undefined, ...statusChanges(backup.status, next) };
  return writeStatus(reconcile.client.resource(etcdBackups.resource), backup, changes, reconcile.signal);
}
