// SPDX-License-Identifier: Apache-2.0
import type { EtcdBackup } from '../../api/etcd-backup.ts';
import type { BackupReason } from '../../api/reasons.ts';
import { identityOf } from '../../identity/object-identity.ts';
import type { JobContext, Jobs } from '../../restore/jobs.ts';
import type { Turns } from '../../transfers/turns.ts';
import type { ProofView } from '../plan/proof-plan.ts';
import type { ProvenBackup } from './proof-status.ts';

/** What a proof came to. */
export type ProofOutcome =
  | { readonly kind: 'proven'; readonly proven: ProvenBackup }
  /** The backup is not good. */
  | ({ readonly kind: 'refuted' } & ProofFailure)
  /** It is not known whether it is: the proof could not be made. */
  | ({ readonly kind: 'untried' } & ProofFailure);

interface ProofFailure {
  readonly reason: BackupReason;
  readonly message: string;
  /** A pod is left that shows it. */
  readonly hasPod: boolean;
}

interface Begun {
  readonly job: string;
  readonly generation: number;
  readonly path: string;
}

/** The proofs that are made in this process, at most one for each object, each in its turn beside those of others. */
export class Proofs {
  readonly #jobs: Jobs;
  readonly #turns: Turns;
  /** By UID. Kept after the end of a proof: its backup stays spared until the next one. */
  readonly #begun = new Map<string, Begun>();

  constructor(jobs: Jobs, turns: Turns) {
    this.#jobs = jobs;
    this.#turns = turns;
  }

  start(backup: EtcdBackup, path: string, work: (context: JobContext) => Promise<ProofOutcome>): void {
    const { namespace, name, uid } = identityOf(backup);
    const job = `${namespace}/${name}/${uid}`;
    this.#begun.set(uid, { job, path, generation: backup.metadata?.generation ?? 0 });
    this.#jobs.start(job, work, { turns: this.#turns, namespace });
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

  /** Its outcome; undefined while it runs. */
  outcome(uid: string): ProofOutcome | undefined {
    const begun = this.#begun.get(uid);
    const state = begun && this.#jobs.state<ProofOutcome>(begun.job);
    if (state?.kind === 'done') return state.value;
    return state?.kind === 'failed'
      ? { kind: 'untried', reason: 'Unknown', message: state.why, hasPod: false }
      : undefined;
  }

  /** Path of the backup that is or was last proven here. */
  path(uid: string): string | undefined {
    return this.#begun.get(uid)?.path;
  }

  /** Ends a proof, or drops its outcome. Resolves when it has ended. */
  async end(uid: string): Promise<void> {
    const begun = this.#begun.get(uid);
    if (begun) await this.#jobs.forget(begun.job);
  }

  /** The object is gone. */
  async forget(uid: string): Promise<void> {
    await this.end(uid);
    this.#begun.delete(uid);
  }
}
