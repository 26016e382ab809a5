// SPDX-License-Identifier: Apache-2.0
import type { BackupReason } from '../../api/reasons.ts';

/** Why a proof ended early: the backup is not restorable (`refuted`), or this could not be determined (`untried`). */
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
