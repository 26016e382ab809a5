// SPDX-License-Identifier: Apache-2.0
import { formatTime } from '@operator-parts/kube';
import { type EtcdBackup, etcdBackups } from '../../api/etcd-backup.ts';
import { writeStatus } from '../../api/status/write-status.ts';
import { identityOf } from '../../identity/object-identity.ts';
import type { ProofStep } from '../plan/proof-plan.ts';
import { proofPodName } from '../prove/proof-pod.ts';
import { begunProof, endedProof, type ProofFields, withoutProof } from '../prove/proof-status.ts';
import { proveBackup } from '../prove/run-proof.ts';
import { emitProof } from '../status/backup-events.ts';
import type { ActContext, StepOutcome } from './act-context.ts';

/**
 * Starts a proof: a test restore of a stored backup. The start is recorded in the status first, so that after a crash the next process
 * restarts the proof, and retention does not delete the backup before that.
 */
export async function startProof(
  backup: EtcdBackup,
  { path, due }: Extract<ProofStep, { do: 'startProof' }>,
  context: ActContext,
): Promise<StepOutcome> {
  const { ports, seen } = context;
  const { order } = seen.observation;
  if (!order) return { kind: 'done', backup };
  const { namespace, name } = identityOf(backup);
  const begun = { path, due, pod: proofPodName(identityOf(backup)) };
  const written = await write(backup, begunProof(backup.status, begun, formatTime(seen.now)), context);
  const log = ports.log.child({ object: `EtcdBackup ${namespace}/${name}` });
  ports.proofs.start(written, path, (job) => proveBackup({ backup: written, order, path }, { ...ports, log }, job));
  return { kind: 'done', backup: written };
}

/** Writes the outcome of a proof to the status, and only then drops the proof. */
export async function recordProof(backup: EtcdBackup, context: ActContext): Promise<StepOutcome> {
  const { ports, seen } = context;
  const { uid } = identityOf(backup);
  const outcome = ports.proofs.outcome(uid);
  if (!outcome) return { kind: 'done', backup };
  const at = { now: seen.now, chance: ports.random.next() };
  const written = await write(backup, endedProof(backup.status, outcome, at), context);
  emitProof(ports.events, backup, outcome);
  await ports.proofs.end(uid);
  return { kind: 'done', backup: written };
}

export async function dropProof(backup: EtcdBackup, context: ActContext): Promise<StepOutcome> {
  return { kind: 'done', backup: await write(backup, withoutProof(backup.status), context) };
}

function write(backup: EtcdBackup, fields: ProofFields, { reconcile }: ActContext): Promise<EtcdBackup> {
  return writeStatus(reconcile.client.resource(etcdBackups.resource), backup, fields, reconcile.signal);
}
