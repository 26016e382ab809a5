// SPDX-License-Identifier: Apache-2.0
import type { EventRecorder } from '@operator-parts/controller-runtime';
import type { Condition } from '../../api/condition-schema.ts';
import type { EtcdBackup } from '../../api/etcd-backup.ts';
import { backupEventReasons as reasons, backupConditionTypes as types } from '../../api/reasons.ts';
import { pathBeside } from '../../storage/storage-place.ts';
import type { RunProgress, RunState } from '../act/backup-runs.ts';
import type { DeletedStored } from '../act/stored/delete-stored.ts';
import { isOwnKey, leftoversOf } from '../act/stored/leftovers.ts';
import { type BackupFault, faultOf } from '../backup-fault.ts';
import type { StreamGap } from '../continuous/run-stream.ts';
import type { MissingChanges } from '../continuous/stream-position.ts';
import type { BackupOrder, OrderProblem } from '../observe/backup-order.ts';
import type { ProofOutcome } from '../prove/proofs.ts';

/** Sends an event about the outcome of a run. The reason of a failure is the same as in the condition. */
export function emitOutcome(events: EventRecorder, backup: EtcdBackup, { outcome }: RunState): void {
  if (outcome?.kind === 'failed') events.record(backup, 'Warning', outcome.fault.reason, outcome.fault.message);
  if (outcome?.kind !== 'taken') return;
  const { path, manifest, pruneError, isNew } = outcome.taken;
  if (!isNew) {
    emitKept(events, backup, path);
    return;
  }
  events.record(
    backup,
    'Normal',
    reasons.backupTaken,
    `${path}: revision ${manifest.revision}, ${manifest.bytes} bytes`,
  );
  if (pruneError !== undefined) tellPruning(events, backup, faultOf(pruneError));
}

/** A lock of the store cannot be ended early. So one event reports it, and after that only the condition. */
function tellPruning(events: EventRecorder, backup: EtcdBackup, { reason, message }: BackupFault): void {
  const isSaid = (said: Condition) => said.type === types.pruned && said.reason === reason;
  if (reason === 'ObjectLocked' && backup.status?.conditions?.some(isSaid)) return;
  events.record(backup, 'Warning', reasons.pruningFailed, message);
}

/** Sends an event about the outcome of a proof: whether a stored backup could be restored as a test. */
export function emitProof(events: EventRecorder, backup: EtcdBackup, outcome: ProofOutcome): void {
  if (outcome.kind !== 'proven') {
    events.record(backup, 'Warning', outcome.reason, `The test restore of a backup failed: ${outcome.message}`);
    return;
  }
  const { path, etcdRevision, keys, etcdVersion } = outcome.proven;
  const words = `The test restore of backup ${path} with etcd ${etcdVersion} succeeded: revision ${etcdRevision}, ${keys} keys`;
  events.record(backup, 'Normal', reasons.backupProven, words);
}

/** Sends an event if changes cannot be recorded, and says what happens next. */
export function emitGap(events: EventRecorder, backup: EtcdBackup, { why }: StreamGap): void {
  const words = `The continuous backup cannot record changes: ${why}. The operator makes a new full backup; after that, the continuous backup records changes again.`;
  events.record(backup, 'Warning', reasons.changesMissing, words);
}

/** Sends an event with the changes that were not recorded. */
export function emitMissing(events: EventRecorder, backup: EtcdBackup, { after, until }: MissingChanges): void {
  const words = `Changes after revision ${after} and up to revision ${until} were not recorded by the continuous backup. A full backup contains revision ${until}; the continuous backup records all changes after this revision.`;
  events.record(backup, 'Warning', reasons.changesMissing, words);
}

/** Sends an event with what a run could not delete from the store, and why. */
export function emitLeft(
  events: EventRecorder,
  backup: EtcdBackup,
  { left, whyLeft }: Pick<RunProgress, 'left' | 'whyLeft'>,
): void {
  if (whyLeft === undefined) return;
  events.record(
    backup,
    'Warning',
    reasons.leftoversKept,
    `The backup store may still hold objects or unfinished uploads of a failed attempt (${some(left)}): ${whyLeft}`,
  );
}

/** Sends one event about Secrets that were used without the label. */
export function emitUnlabelled(
  events: EventRecorder,
  backup: EtcdBackup,
  { secretWarning }: Pick<RunProgress, 'secretWarning'>,
): void {
  if (secretWarning === undefined) return;
  const isSaid = ({ type, message }: Condition) => type === types.secretsUnlabelled && message === secretWarning;
  if (backup.status?.conditions?.some(isSaid)) return;
  events.record(backup, 'Warning', reasons.secretUnlabelled, secretWarning);
}

/** Sends an event if a change of the spec asks for a backup that has already been made. */
export function emitKept(events: EventRecorder, backup: EtcdBackup, path: string): void {
  const next = 'To make another backup, set another path or create another EtcdBackup.';
  events.record(
    backup,
    'Normal',
    reasons.backupKept,
    `The backup at ${path} is complete and is not made again. ${next}`,
  );
}

/** Which stored backups of a deleted EtcdBackup stay in the store, and why. */
export function whyKept(kept: DeletedStored['kept']): string {
  const denied = kept.filter(({ why }) => why === 'denied').map(({ key }) => key);
  const others = kept.filter(({ why }) => why === 'notOurs').map(({ key }) => key);
  const locked = kept.filter(({ why }) => why === 'locked').map(({ key }) => key);
  const uploads = kept.filter(({ why }) => why === 'uploadsRefused').map(({ key }) => key);
  const sentences = [
    denied.length > 0 &&
      `${some(denied)}: the backup store denies reading the manifest, so the operator cannot tell which EtcdBackup made the backup.`,
    others.length > 0 && `${some(others)}: the manifest is missing, or names another EtcdBackup.`,
    locked.length > 0 &&
      `${some(locked)}: the backup store has locked the backup. Delete the backup yourself when its lock has ended.`,
    uploads.length > 0 && `${some(uploads)}: the backup store denies listing or aborting unfinished uploads.`,
  ];
  return `Not deleted from the backup store: ${sentences.filter(Boolean).join(' ')}`;
}

/** Sends an event with the path of the last backup, if the spec no longer has that path or the store does not list the backup. */
export function emitNotFound(
  events: EventRecorder,
  backup: EtcdBackup,
  { place }: Pick<BackupOrder, 'place'>,
  { deleted, kept }: DeletedStored,
): void {
  const path = backup.status?.lastBackup?.path;
  const seen = [...deleted, ...kept.map(({ key }) => key)].map((key) => pathBeside(place, key));
  const others = leftoversOf(backup.status).filter((key) => !isOwnKey(place.key, key));
  const missed = [...(path !== undefined && !seen.includes(path) ? [path] : []), ...others];
  if (missed.length === 0) return;
  const words = `${some(missed)}. The operator did not find this at ${place.path}, the path in the spec. If it exists at another path, delete it yourself.`;
  events.record(backup, 'Warning', reasons.backupsLeftBehind, `Not deleted from the backup store: ${words}`);
}

/** Sends an event with the stored backups that are not deleted, because an invalid spec does not say where they are stored. */
export function emitUndeleted(events: EventRecorder, backup: EtcdBackup, { message }: OrderProblem): void {
  const { metadata, spec, status } = backup;
  const path = status?.lastBackup?.path;
  const names = [...(path === undefined ? [] : [path]), ...leftoversOf(status)];
  if (!metadata?.deletionTimestamp || spec.deletionPolicy !== 'Delete' || names.length === 0) return;
  const words = `${some(names)} and earlier backups, because the spec is invalid and does not say where they are stored (${message}). Delete them yourself.`;
  events.record(backup, 'Warning', reasons.backupsLeftBehind, `Not deleted from the backup store: ${words}`);
}

function some(keys: readonly string[]): string {
  const more = keys.length > 3 ? ` and ${keys.length - 3} more` : '';
  return keys.slice(0, 3).join(', ') + more;
}
