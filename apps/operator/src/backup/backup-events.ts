// SPDX-License-Identifier: Apache-2.0
import type { EventRecorder } from '@etcd-operator/controller-runtime';
import type { EtcdBackup } from '../api/etcd-backup.ts';
import { faultOf } from './backup-fault.ts';
import type { RunState } from './backup-runs.ts';

/** Tells people what a run came to. Reasons of failures are those of the condition. */
export function tellOutcome(events: EventRecorder, backup: EtcdBackup, { outcome }: RunState): void {
  if (outcome?.kind === 'failed') events.record(backup, 'Warning', outcome.fault.reason, outcome.fault.message);
  if (outcome?.kind !== 'taken') return;
  const { path, manifest, pruneError, isNew } = outcome.taken;
  if (!isNew) {
    tellKept(events, backup, path);
    return;
  }
  events.record(backup, 'Normal', 'BackupTaken', `${path}: revision ${manifest.revision}, ${manifest.bytes} bytes`);
  if (pruneError !== undefined) events.record(backup, 'Warning', 'PruningFailed', faultOf(pruneError).message);
}

/** Tells people that a change of the spec asks for a backup that has been made. */
export function tellKept(events: EventRecorder, backup: EtcdBackup, path: string): void {
  const next = 'For another backup, set another path or create another EtcdBackup.';
  events.record(backup, 'Normal', 'BackupKept', `${path} is finished and is not taken again. ${next}`);
}
