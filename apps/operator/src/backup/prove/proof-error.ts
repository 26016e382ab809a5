// SPDX-License-Identifier: Apache-2.0
import type { BackupReason } from '../../api/reasons.ts';

/**
 * Why a proof (test restore of a stored backup) did not succeed: the backup is not restorable (`refuted`), or the proof could not find out
 * whether it is (`untried`).
 */
export class ProofError extends Error {
  override readonly name = 'ProofError';
  readonly kind: 'refuted' | 'untried';
  readonly reason: BackupReason;

  constructor(kind: 'refuted' | 'untried', reason: BackupReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
    this.reason = reason;
  }
}
