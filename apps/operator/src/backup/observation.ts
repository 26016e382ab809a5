// SPDX-License-Identifier: Apache-2.0
import type { BackupOrder, OrderProblem } from './observe/backup-order.ts';
import type { ProofMemory, ProofView } from './plan/proof-plan.ts';
import type { StreamView } from './plan/stream-plan.ts';

/** What the status of an EtcdBackup remembers, times in milliseconds since the epoch. */
export interface BackupMemory {
  /** A backup was made once, by whomever, whatever became of later tries. */
  readonly hasMade: boolean;
  readonly reason: string;
  /** Undefined in a status that another operator wrote. */
  readonly attempts: number | undefined;
  readonly nextAttempt: number | undefined;
  readonly lastDue: number | undefined;
  /** When it was reported that the last try made a backup; undefined if it did not. */
  readonly finishedAt: number | undefined;
  /** Path of the last backup; undefined in a status that another operator wrote. */
  readonly lastPath: string | undefined;
  /** ID of the key that the last backup is encrypted with; undefined if it is not. */
  readonly lastKeyId: string | undefined;
  /** The generation that attempts and reason belong to. */
  readonly observedGeneration: number | undefined;
  /** The last proof; undefined if there was none. */
  readonly proof: ProofMemory | undefined;
}

/**
 * How long this process has seen what the memory holds, in milliseconds of the monotonic clock. The wall clock may be set; then
 * these say how much time has passed at least.
 */
export interface SeenTimes {
  readonly lastDue: number;
  readonly nextAttempt: number;
  /** That the object is to go. */
  readonly deletion: number;
  readonly finishedAt: number;
}

/** The run of a backup in this process. `ended`: what it came to is in the memory, and not yet in the status. */
export interface RunView {
  readonly generation: number;
  readonly state: 'running' | 'ended' | 'cancelled';
}

/** Everything that one decision about an EtcdBackup needs. */
export interface BackupObservation {
  readonly generation: number;
  readonly created: number;
  readonly isDeleting: boolean;
  readonly hasCoreosFinalizer: boolean;
  readonly hasOwnFinalizer: boolean;
  readonly order: BackupOrder | undefined;
  readonly problem: OrderProblem | undefined;
  readonly memory: BackupMemory;
  readonly seenFor: SeenTimes;
  readonly run: RunView | undefined;
  /** The proof of a backup in this process. */
  readonly proof: ProofView;
  /** How long this process has seen when the last proof was due, in milliseconds of the monotonic clock. */
  readonly proofSeenFor: number;
  /** The stream of changes in this process. */
  readonly stream: StreamView;
}
