// SPDX-License-Identifier: Apache-2.0
import { addFinalizerPatch, removeFinalizerPatch } from '@operator-parts/controller-runtime';
import { jsonEqual, type Patch } from '@operator-parts/kube';
import { type EtcdBackup, etcdBackups } from '../../api/etcd-backup.ts';
import { fieldManager } from '../../api/names.ts';
import type { BackupStep } from '../plan/backup-plan.ts';
import { emitLeft, emitOutcome, emitUndeleted, emitUnlabelled } from '../status/backup-events.ts';
import { report } from '../status/report.ts';
import type { ActContext, StepOutcome } from './act-context.ts';
import { deleteStoredOf } from './delete-stored-of.ts';
import { coreosFinalizer, ownFinalizer } from './finalizers.ts';
import { dropProof, recordProof, startProof } from './proof-steps.ts';
import { startRun } from './start-run.ts';
import { startStream } from './stream-steps.ts';

/**
 * Carries out the steps of a plan in order. Each step gets the object as the previous step left it. If someone else changed the object
 * meanwhile, the remaining steps are not carried out, because the plan no longer applies.
 */
export async function actAll(context: ActContext): Promise<StepOutcome> {
  let { backup } = context.seen;
  for (const step of context.plan.steps) {
    const ended = await act(step, backup, context);
    if (ended.kind !== 'done') return ended;
    if (!isAsPlanned(context.seen.backup, ended.backup)) return { kind: 'retry', after: 1 };
    backup = ended.backup;
  }
  return { kind: 'done', backup };
}

/** True if only the status and the finalizers differ, which the steps themselves write. */
function isAsPlanned(seen: EtcdBackup, now: EtcdBackup): boolean {
  return seen === now || jsonEqual(asked(seen), asked(now));
}

function asked({ metadata = {}, spec }: EtcdBackup): unknown {
  const { resourceVersion: _version, managedFields: _fields, finalizers: _finalizers, ...others } = metadata;
  return { others, spec };
}

/** Carries out one step. Throws unexpected failures; the work queue then retries. */
async function act(step: BackupStep, backup: EtcdBackup, context: ActContext): Promise<StepOutcome> {
  const { runs } = context.ports;
  const { uid = '' } = backup.metadata ?? {};
  switch (step.do) {
    case 'recordOutcome':
      return recordOutcome(backup, context);
    case 'forgetRun':
      return forgetRun(backup, context);
    case 'start':
      startRun(backup, step.due, context);
      return { kind: 'done', backup };
    case 'cancel':
      runs.cancel(uid, 'the EtcdBackup was changed or is being deleted');
      return { kind: 'done', backup };
    case 'addOwnFinalizer':
      return patch(backup, addFinalizerPatch(backup, ownFinalizer), context);
    case 'removeOwnFinalizer':
      return removeOwnFinalizer(backup, context);
    case 'removeCoreosFinalizer':
      return patch(backup, removeFinalizerPatch(backup, coreosFinalizer), context);
    case 'deleteStored':
      return deleteStoredOf(backup, step.isLastTry, context);
    case 'deleteObject':
      return deleteObject(backup, context);
    case 'startProof':
      return startProof(backup, step, context);
    case 'recordProof':
      return recordProof(backup, context);
    case 'cancelProof':
      await context.ports.proofs.end(uid);
      return { kind: 'done', backup };
    case 'dropProof':
      return dropProof(backup, context);
    case 'startStream':
      await startStream(backup, context);
      return { kind: 'done', backup };
    case 'endStream':
      await context.ports.streams.end(uid);
      return { kind: 'done', backup };
  }
}

/** Writes the outcome of a run to the status, and only then drops the run. */
async function recordOutcome(backup: EtcdBackup, context: ActContext): Promise<StepOutcome> {
  const { ports, seen } = context;
  const { run, status } = seen;
  const { uid = '', name = '', namespace = '' } = backup.metadata ?? {};
  if (!run) return { kind: 'done', backup };
  const written = await report({ backup, status, run }, context);
  ports.metrics.ended(name, namespace, run);
  emitOutcome(ports.events, backup, run);
  emitLeft(ports.events, backup, run.progress);
  emitUnlabelled(ports.events, backup, run.progress);
  ports.runs.forget(uid);
  return { kind: 'done', backup: written };
}

/** Drops a cancelled run, and removes its progress from the status. The run itself has already cleaned up in the store. */
async function forgetRun(backup: EtcdBackup, context: ActContext): Promise<StepOutcome> {
  const { run, status } = context.seen;
  const written = run ? await report({ backup, status, run }, context) : backup;
  context.ports.runs.forget(backup.metadata?.uid ?? '');
  return { kind: 'done', backup: written };
}

function removeOwnFinalizer(backup: EtcdBackup, context: ActContext): Promise<StepOutcome> {
  const { problem } = context.seen.observation;
  if (problem) emitUndeleted(context.ports.events, backup, problem);
  return patch(backup, removeFinalizerPatch(backup, ownFinalizer), context);
}

async function patch(backup: EtcdBackup, change: Patch | undefined, { reconcile }: ActContext): Promise<StepOutcome> {
  if (!change) return { kind: 'done', backup };
  const { client, signal } = reconcile;
  const { name = '', namespace = '' } = backup.metadata ?? {};
  const options = { fieldManager, signal };
  const written = await client.resource(etcdBackups.resource).patch({ name, namespace }, change, options);
  return { kind: 'done', backup: written };
}

/** Deletes the object only in the version that was observed. If it was changed since, it is reconciled again. */
async function deleteObject({ metadata }: EtcdBackup, { reconcile }: ActContext): Promise<StepOutcome> {
  const { client, log, signal } = reconcile;
  const { name = '', namespace = '', uid = '', resourceVersion = '' } = metadata ?? {};
  log.info('deleting this EtcdBackup: it has finished, and spec.ttlSecondsAfterFinished has passed');
  const preconditions = { uid, resourceVersion };
  await client.resource(etcdBackups.resource).delete({ name, namespace }, { preconditions, signal });
  return { kind: 'gone' };
}
