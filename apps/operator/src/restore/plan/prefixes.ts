// SPDX-License-Identifier: Apache-2.0
import type { RestorePhaseName } from '../../api/etcd-restore.ts';
import { counted } from '../../counted.ts';
import type {
  Comparison,
  JobState,
  PrefixFacts,
  RestoreFacts,
  RestoreObservation,
  SafetyFacts,
  TargetFacts,
  UnsavedKeys,
} from '../observation.ts';
import { mayBeOlder } from '../status.ts';
import { whyNotTaken } from './fit.ts';
import { awaitTurn, finish, take, tryingAgain, wait } from './proposal.ts';
import { saveAgain, saved } from './save.ts';
import type { PlannedRestoreStep, RestorePlan, RestoreReport } from './step.ts';
import { whyMisspelt } from './verify.ts';

/**
 * Restores keys of some prefixes into a running cluster. No pod is isolated, and there is no new incarnation. The comparison is recorded
 * before the safety snapshot is taken, and the snapshot before the first key is written. After a crash, the keys that were already written
 * are the same in the backup and in the cluster, so they are not written again.
 */
export function restorePrefixes(seen: RestoreObservation, prefixes: PrefixFacts): RestorePlan {
  const { restore, cluster, jobs } = seen;
  // There is nothing to roll back: written keys stay, and the background jobs end when the object is deleted.
  if (restore.deleting) return { steps: [], report: undefined, requeueAfter: undefined };
  if (!cluster)
    return finish(
      'Failed',
      `EtcdCluster ${restore.clusterName} does not exist, but spec.prefixes restores keys into a running cluster. Create the EtcdCluster first, or remove spec.prefixes to restore the whole backup`,
    );
  const { recorded, isDryRun } = prefixes;
  const compared = recorded?.generation === restore.generation && restore.source ? recorded : undefined;
  const held = whyHeld(cluster);
  if (held !== undefined) return wait(compared ? 'Writing' : 'Verifying', held, 2_000);
  if (!compared || !restore.source) return whyMisspelt(restore) ?? compare(jobs.compare, restore, isDryRun);
  if (isDryRun || compared.puts + compared.deletes === 0) return succeeded({ comparison: compared, isDryRun });
  return save(seen, cluster) ?? write(seen, cluster, compared);
}

/**
 * Why no keys are compared or written now. While a cluster is restored as a whole, for example, its present members are not those that will
 * serve.
 */
function whyHeld({ deleting, marker, markIsOrphaned, clusterId }: TargetFacts): string | undefined {
  if (deleting) return 'the EtcdCluster is being deleted';
  if (marker && markIsOrphaned)
    return `EtcdRestore ${marker.name} was deleted before it had restored the whole EtcdCluster. Restore the whole EtcdCluster again before you restore prefixes`;
  if (marker) return `waiting for EtcdRestore ${marker.name} to finish`;
  return clusterId === '' ? 'waiting for the EtcdCluster to be bootstrapped' : undefined;
}

function compare(job: RestoreObservation['jobs']['compare'], restore: RestoreFacts, isDryRun: boolean): RestorePlan {
  const reason = 'reading the backup and comparing its keys with the keys of the cluster; nothing is written';
  const found = follow(job, { phase: 'Verifying', step: 'compare', reason, patience: unreadablePatience });
  if (found.kind === 'plan') return found.plan;
  const { source, comparison, conflict } = found.value;
  const unfit = whyNotTaken(source, restore);
  if (unfit !== undefined) return finish('Failed', unfit);
  if (conflict !== undefined) return finish('Failed', `${conflict}. Nothing is written`);
  if (comparison.warning !== undefined && !isDryRun)
    return finish('Failed', `${comparison.warning}. Then create the EtcdRestore again; nothing is written`);
  const phase = isDryRun ? 'Succeeded' : 'SavingPresent';
  const report = { phase, reason: '', source, bytesVerified: source.bytes, comparison, isDryRun } as const;
  return { steps: [], report, requeueAfter: 0 };
}

/** Takes a snapshot of the present data, so that overwritten keys can be recovered. Undefined once it is taken or not needed. */
function save(seen: RestoreObservation, { incarnation }: TargetFacts): RestorePlan | undefined {
  const { restore } = seen;
  const { safety, safetySnapshot } = restore;
  if (safety) return objection(safety, restore);
  if (safetySnapshot === 'Never') return saved({ kind: 'skipped', why: 'spec.safetySnapshot is false' });
  return saveRound(seen, incarnation, 1);
}

function saveRound({ restore, jobs }: RestoreObservation, incarnation: number, round: number, why = ''): RestorePlan {
  const { generation } = restore;
  const step = { do: 'save', incarnation, below: incarnation + 1, newestOnly: true, isTaken: true } as const;
  const begin = { ...step, patience: memberPatience, attempt: { generation, round } };
  switch (jobs.save.kind) {
    case 'idle':
      return take(
        'SavingPresent',
        [{ step: begin, reason: 'saving a safety snapshot of the present data of the cluster' }],
        why,
      );
    case 'waiting':
      return awaitTurn('SavingPresent', jobs.save, 'copying data');
    case 'running':
      return wait('SavingPresent', tryingAgain(jobs.save.lastFailure) || why, 200);
    case 'failed':
      return saveAgain(jobs.save, begin) ?? settled({ kind: 'skipped', why: jobs.save.why, round }, restore);
    case 'done':
      return settled(jobs.save.value, restore);
  }
}

function settled(safety: SafetyFacts, restore: RestoreFacts): RestorePlan {
  return objection(safety, restore) ?? saved(safety);
}

function objection(safety: SafetyFacts, { safetySnapshot }: RestoreFacts): RestorePlan | undefined {
  if (safetySnapshot !== 'Required' || (safety.kind === 'kept' && safety.isCurrent)) return undefined;
  const why = safety.kind === 'skipped' ? safety.why.slice(0, 300) : mayBeOlder(safety.members);
  const isWritten = (safety.round ?? 1) > 1;
  const left = isWritten ? 'Keys that are already written are not rolled back' : 'Nothing is written';
  const failed = `The safety snapshot could not be taken: ${why}. ${left}. Make the members reachable from the operator and create the EtcdRestore again, or set spec.safetySnapshot: IfPossible`;
  return finish('Failed', failed);
}

function write(seen: RestoreObservation, { incarnation }: TargetFacts, compared: Comparison): RestorePlan {
  const { restore, jobs } = seen;
  const { puts, deletes, revision } = compared;
  const reason = `writing ${counted(puts, 'key')} and deleting ${deletes} that differ between the backup and the cluster (compared at revision ${revision})`;
  const course = { phase: 'Writing', step: 'write', reason, patience: restore.timeout } as const;
  const found = follow(jobs.write, course, (keys) => `${keys} of ${counted(puts + deletes, 'key')} written`);
  if (found.kind === 'plan') return found.plan;
  const { unsaved, revision: writtenRevision } = found.value;
  if (!unsaved) return succeeded({ comparison: compared, writtenRevision });
  // Changes that other clients made after the safety snapshot are overwritten only after another snapshot has saved them (safety rules 10
  // and 15).
  const round = (restore.safety?.round ?? 1) + 1;
  if (round > mostRounds) return finish('Failed', restless(unsaved));
  return saveRound(seen, incarnation, round, `storing another safety snapshot, because ${changedSince(unsaved)}`);
}

/** The first snapshot, and three more for what other clients change meanwhile. */
const mostRounds = 4;

function changedSince({ keys, first, revision }: UnsavedKeys): string {
  const verb = keys === 1 ? 'was' : 'were';
  return `${counted(keys, 'key')} with a prefix in spec.prefixes ${verb} changed in the cluster after the last safety snapshot (key ${first} at revision ${revision})`;
}

function restless(unsaved: UnsavedKeys): string {
  const what = `${mostRounds} safety snapshots were stored, but ${changedSince(unsaved)}`;
  const todo =
    'Stop the clients that write these keys and create the EtcdRestore again, or set spec.safetySnapshot to false to overwrite these keys without a snapshot';
  return `${what}. These keys are not overwritten; all other keys were written. ${todo}`;
}

function succeeded(said: Pick<RestoreReport, 'comparison' | 'isDryRun' | 'writtenRevision'>): RestorePlan {
  return { steps: [], report: { phase: 'Succeeded', reason: '', ...said }, requeueAfter: 0 };
}

interface Course {
  readonly phase: RestorePhaseName;
  readonly step: 'compare' | 'write';
  readonly reason: string;
  /** How long the restore waits for a temporary failure to end, in milliseconds. */
  readonly patience: number;
}

type Followed<T> = { readonly kind: 'plan'; readonly plan: RestorePlan } | { readonly kind: 'done'; readonly value: T };

function follow<T>(job: JobState<T>, course: Course, progress = (_count: number) => ''): Followed<T> {
  return job.kind === 'done'
    ? { kind: 'done', value: job.value }
    : { kind: 'plan', plan: underWay(job, course, progress) };
}

function underWay(
  job: Exclude<JobState<unknown>, { kind: 'done' }>,
  { phase, step, reason, patience }: Course,
  progress: (count: number) => string,
): RestorePlan {
  const begin: PlannedRestoreStep = { step: { do: step }, reason };
  switch (job.kind) {
    case 'idle':
      return take(phase, [begin]);
    case 'waiting':
      return awaitTurn(phase, job, step === 'compare' ? 'reading backups' : 'copying data');
    case 'running':
      return wait(phase, tryingAgain(job.lastFailure) || progress(floored(job.bytes)), 200);
    case 'failed': {
      if (!job.passes) return finish('Failed', job.why);
      if (job.failingFor >= (job.limit ?? patience)) return finish('Failed', `${job.why}. ${lasting}`);
      const again = tryingAgain(job.why);
      return { ...take(phase, [{ ...begin, reason: again }], again), requeueAfter: 5_000 };
    }
  }
}

/** Rounded down, so that the status is not written too often. */
function floored(keys: number): number {
  return Math.floor(keys / 5_000) * 5_000;
}

/** How long reading a store or a cluster is retried, while nothing was changed. */
const unreadablePatience = 600_000;

/** How long running members are asked: a member that restarts answers soon. */
const memberPatience = 15_000;

const lasting =
  'The restore stopped, because this problem lasted too long. Keys that are already written are not rolled back. Correct the cause and create the EtcdRestore again; the new EtcdRestore writes only keys that still differ';
