// SPDX-License-Identifier: Apache-2.0
import type { BackupOrder, OrderProblem } from './observe/backup-order.ts';
import type { ProofMemory, ProofView } from './plan/proof-plan.ts';
import type { StreamView } from './plan/stream-plan.ts';

/** What the status of an EtcdBackup records. Times are in milliseconds since the epoch. */
export interface BackupMemory {
  /** True if any operator ever made a backup, even if later attempts failed. */
  readonly hasMade: boolean;
  readonly reason: string;
  /** Undefined in a status that another operator wrote. */
  readonly attempts: number | undefined;
  readonly nextAttempt: number | undefined;
  readonly lastDue: number | undefined;
  /** When the success of the last attempt was reported; undefined if it failed. */
  readonly finishedAt: number | undefined;
  /** Path of the last backup; undefined in a status that another operator wrote. */
  readonly lastPath: string | undefined;
  /** ID of the key that the last backup is encrypted with; undefined if the backup is not encrypted. */
  readonly lastKeyId: string | undefined;
  /** The generation that attempts and reason are about. */
  readonly observedGeneration: number | undefined;
  /** The last proof (test restore of a stored backup); undefined if there was none yet. */
  readonly proof: ProofMemory | undefined;
}

/**
 * How long this process has seen the same recorded times, in milliseconds of the monotonic clock. Someone may set the wall clock; these
 * values show how much time has passed at least.
 */
export interface SeenTimes {
  readonly lastDue: number;
  readonly nextAttempt: number;
  /** How long the object has been marked for deletion. */
  readonly deletion: number;
  readonly finishedAt: number;
}

/** The run of a backup in this process. `ended`: `BackupObservation.memory` includes its outcome, but the status does not yet. */
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
  /** The proof that runs in this process. */
  readonly proof: ProofView;
  /** How long this process has seen the same due time of the last proof, in milliseconds of the monotonic clock. */
  readonly proofSeenFor: number;
  /** The stream of changes in this process. */
  readonly stream: StreamView;
}
