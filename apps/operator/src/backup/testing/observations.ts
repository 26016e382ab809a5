// SPDX-License-Identifier: Apache-2.0
import type { BackupOrder } from '../backup-order.ts';
import type { BackupMemory, BackupObservation } from '../backup-plan.ts';
import type { Schedule } from '../schedule.ts';

/** The moment of all tables. */
export const now = Date.parse('2026-01-01T12:00:00Z');

export function order(schedule: Schedule): BackupOrder {
  return {
    endpoints: [],
    place: { type: 'S3', path: 'bucket/key', bucket: 'bucket', key: 'key' },
    schedule,
    timeoutMs: 60_000,
    maxBackups: 0,
    deleteStored: false,
  };
}

/** What nobody has written down yet, and what is given. */
export function memory(given: Partial<BackupMemory> = {}): BackupMemory {
  return {
    hasMade: false,
    reason: '',
    attempts: undefined,
    nextAttempt: undefined,
    lastDue: undefined,
    lastPath: undefined,
    observedGeneration: undefined,
    ...given,
  };
}

/** A new one-shot, and what is given. */
export function observation(given: Partial<BackupObservation> = {}): BackupObservation {
  return {
    generation: 1,
    created: now,
    isDeleting: false,
    hasOriginalFinalizer: false,
    hasOwnFinalizer: false,
    order: order({ kind: 'once' }),
    problem: undefined,
    memory: memory(),
    seenFor: { lastDue: 0, nextAttempt: 0, deletion: 0 },
    run: undefined,
    ...given,
  };
}
