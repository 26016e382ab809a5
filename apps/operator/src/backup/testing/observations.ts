// SPDX-License-Identifier: Apache-2.0
import type { BackupMemory, BackupObservation } from '../observation.ts';
import type { BackupOrder } from '../observe/backup-order.ts';
import { keepAll } from '../plan/keep-rules.ts';
import type { Schedule } from '../plan/schedule.ts';

/** The present time in all tables. */
export const now = Date.parse('2026-01-01T12:00:00Z');

/** The manifest of a stored backup. */
export const manifest = {
  etcdVersion: '3.6.16',
  revision: 7,
  bytes: 20_512,
  sha256: 'ab'.repeat(32),
  clusterId: 'cd',
  time: '2026-01-01T12:00:00Z',
};

export function order(schedule: Schedule): BackupOrder {
  return {
    endpoints: [],
    cluster: undefined,
    place: { type: 'S3', path: 'bucket/key', bucket: 'bucket', key: 'key' },
    schedule,
    timeoutMs: 60_000,
    keep: keepAll,
    prove: undefined,
    continuous: false,
    deleteStored: false,
    ttlSeconds: undefined,
    isEncrypted: false,
  };
}

/** The memory of a new object, except for the given fields. */
export function memory(given: Partial<BackupMemory> = {}): BackupMemory {
  return {
    hasMade: false,
    reason: '',
    attempts: undefined,
    nextAttempt: undefined,
    lastDue: undefined,
    finishedAt: undefined,
    lastPath: undefined,
    lastKeyId: undefined,
    observedGeneration: undefined,
    proof: undefined,
    ...given,
  };
}

/** The observation of a new single backup, except for the given fields. */
export function observation(given: Partial<BackupObservation> = {}): BackupObservation {
  return {
    generation: 1,
    created: now,
    isDeleting: false,
    hasCoreosFinalizer: false,
    hasOwnFinalizer: false,
    order: order({ kind: 'once' }),
    problem: undefined,
    memory: memory(),
    seenFor: { lastDue: 0, nextAttempt: 0, deletion: 0, finishedAt: 0 },
    run: undefined,
    proof: 'idle',
    proofSeenFor: 0,
    stream: { kind: 'idle' },
    ...given,
  };
}
