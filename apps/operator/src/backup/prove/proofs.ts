// SPDX-License-Identifier: Apache-2.0
import type { EtcdBackup } from '../../api/etcd-backup.ts';
import type { BackupReason } from '../../api/reasons.ts';
import { identityOf } from '../../identity/object-identity.ts';
import type { JobContext, Jobs } from '../../restore/jobs.ts';
import type { TransferSemaphore } from '../../transfers/transfer-semaphore.ts';
import type { ProofView } from '../plan/proof-plan.ts';
import type { ProvenBackup } from './proof-status.ts';

/** Result of a proof. A proof restores a stored backup as a test, and compares the restored data with what was backed up. */
export type ProofOutcome =
  | { readonly kind: 'proven'; readonly proven: ProvenBackup }
  /** The backup is not restorable. */
  | ({ readonly kind: 'refuted' } & ProofFailure)
  /** The proof could not be made, so it is not known whether the backup is restorable. */
  | ({ readonly kind: 'untried' } & ProofFailure);

interface ProofFailure {
  readonly reason: BackupReason;
  readonly message: string;
  /** The pod still exists and shows why. */
  readonly hasPod: boolean;
}

interface Begun {
  readonly job: string;
  readonly generation: number;
  readonly path: string;
}

/** The proofs that this process runs, at most one for each EtcdBackup. Each proof waits until the semaphore gives it a permit. */
export class Proofs {
  readonly #jobs: Jobs;
  readonly #semaphore: TransferSemaphore;
  /** By UID. Kept after the end of a proof, because retention keeps the proven backup until the next proof. */
  readonly #begun = new Map<string, Begun>();

  constructor(jobs: Jobs, semaphore: TransferSemaphore) {
    this.#jobs = jobs;
    this.#semaphore = semaphore;
  }

  start(backup: EtcdBackup, path: string, work: (context: JobContext) => Promise<ProofOutcome>): void {
    const { namespace, name, uid } = identityOf(backup);
    const job = `${namespace}/${name}/${uid}`;
    this.#begun.set(uid, { job, path, generation: backup.metadata?.generation ?? 0 });
    this.#jobs.start(job, work, { semaphore: this.#semaphore, namespace });
  }

  view(backup: EtcdBackup): ProofView {
    const begun = this.#begun.get(identityOf(backup).uid);
    const { kind } = begun ? this.#jobs.state(begun.job) : { kind: 'idle' as const };
    switch (kind) {
      case 'idle':
        return 'idle';
      case 'waiting':
      case 'running':
        return begun?.generation === (backup.metadata?.generation ?? 0) ? 'running' : 'outdated';
      case 'done':
      case 'failed':
        return 'ended';
    }
  }

  /** The outcome; undefined while the proof is running. */
  outcome(uid: string): ProofOutcome | undefined {
    const begun = this.#begun.get(uid);
    const state = begun && this.#jobs.state<ProofOutcome>(begun.job);
    if (state?.kind === 'done') return state.value;
    return state?.kind === 'failed'
      ? { kind: 'untried', reason: 'Unknown', message: state.why, hasPod: false }
      : undefined;
  }

  /** Path of the backup that this process is proving or proved last. */
  path(uid: string): string | undefined {
    return this.#begun.get(uid)?.path;
  }

  /** Cancels a proof, or drops its outcome. Resolves when the proof has ended. */
  async end(uid: string): Promise<void> {
    const begun = this.#begun.get(uid);
    if (begun) await this.#jobs.forget(begun.job);
  }

  /** Called when the object is deleted. */
  async forget(uid: string): Promise<void> {
    await this.end(uid);
    this.#begun.delete(uid);
  }
}
