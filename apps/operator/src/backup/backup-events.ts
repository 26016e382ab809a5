// SPDX-License-Identifier: Apache-2.0
import type { EventRecorder } from '@etcd-operator/controller-runtime';
import type { EtcdBackup } from '../api/etcd-backup.ts';
import { faultOf } from './backup-fault.ts';
import type { RunState } from './backup-runs.ts';

/** Tells people what a run came to. Reasons of failures are those of the condition. */
export function tellOutcome(events: EventRecorder, backup: EtcdBackup, { outcome }: RunState): void {
  if (outcome?.kind === 'failed') events.record(backup, 'Warning', outcome.fault.reason, outcome.fault.message);
  if (outcome?.kind !== 'taken') return;
  const { path, manifest, pruneError } = outcome.taken;
  events.record(backup, 'Normal', 'BackupTaken', `${path}: revision ${manifest.revision}, ${manifest.bytes} bytes`);
  if (pruneError !== undefined) events.record(backup, 'Warning', 'PruningFailed', faultOf(pruneError).message);
}
