// SPDX-License-Identifier: Apache-2.0
import { isBlobError } from '@operator-parts/blob';
import { SnapshotError } from '@operator-parts/etcd';
import { RestoreError } from '../../restore/restore-error.ts';
import { EncryptionError } from '../../storage/encryption/encryption-error.ts';
import { faultOf } from '../backup-fault.ts';
import { ProofError } from './proof-error.ts';
import type { ProofOutcome } from './proofs.ts';

/**
 * The outcome of a proof (test restore of a stored backup) that ended with an error. Errors of the restore itself mean that the stored
 * backup is damaged. Errors that prevented the restore say nothing about the backup.
 */
export function outcomeOf(error: unknown): Omit<Exclude<ProofOutcome, { kind: 'proven' }>, 'hasPod'> {
  const message = (error instanceof Error ? error.message : String(error)).slice(0, 900);
  if (error instanceof ProofError) return { kind: error.kind, reason: error.reason, message };
  // The backup was replaced during the proof. The next attempt reads the new backup.
  if (error instanceof RestoreError && error.code === 'SourceReplaced')
    return { kind: 'untried', reason: 'ProofPodFailed', message };
  const isDamaged =
    error instanceof SnapshotError ||
    error instanceof EncryptionError ||
    (error instanceof RestoreError && error.code === 'SourceRefused') ||
    isBlobError(error, 'NotFound');
  if (isDamaged) return { kind: 'refuted', reason: 'BackupDamaged', message };
  if (error instanceof RestoreError) return { kind: 'untried', reason: 'ProofPodFailed', message };
  return { kind: 'untried', reason: faultOf(error).reason, message };
}
