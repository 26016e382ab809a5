// SPDX-License-Identifier: Apache-2.0

import type { RestorePhaseName } from '../../api/etcd-restore.ts';
import type { JobState, RestoreFacts, RestoreObservation, SourceFacts } from '../observation.ts';
import { awaitTurn, fail, finish, progress, take, tryingAgain, wait } from './proposal.ts';
import type { RestorePlan } from './step.ts';
import { whyNotRecoverable } from './survivor/recover.ts';

/**
 * Reads the source to its end before anything is changed. Without an EtcdCluster no data can be lost: the source is then only inspected
 * now, and read during the transfer to the new member. A problem that waiting cannot solve ends the restore.
 */
export function verify(seen: RestoreObservation): RestorePlan {
  const { restore, jobs, cluster } = seen;
  const { typeErrors = [] } = restore;
  if (typeErrors.length > 0)
    return finish('Failed', `the spec of the EtcdRestore is invalid: ${typeErrors.join('; ')}`);
  const misspelt = cluster && whyMisspelt(restore);
  if (misspelt) return misspelt;
  if (cluster?.deleting) return wait('Verifying', 'the EtcdCluster is being deleted', 5_000);
  const refusal = whyNotRecoverable(seen);
  if (refusal) return refusal;
  if (restore.cloneOf !== undefined)
    return cluster ? refuseExistingCluster(restore) : follow(jobs.verify, { ...live(restore.cloneOf), ...before });
  if (restore.survivor) return follow(jobs.verify, { ...members, ...before });
  if (restore.pointInTime) return follow(jobs.verify, { ...replay, ...before });
  return cluster || restore.requireManifest
    ? follow(jobs.verify, { ...whole, ...before })
    : follow(jobs.inspect, { ...glance, ...before });
}

/** If the cluster has data, an unknown field may have been meant to limit what happens to it. */
export function whyMisspelt({ unknownFields: [field] = [] }: RestoreFacts): RestorePlan | undefined {
  if (field === undefined) return undefined;
  const meant = 'Nothing is changed, because a misspelt field may have been meant to limit the restore';
  return finish('Failed', `${field} is not a field of an EtcdRestore. ${meant}. Correct or remove the field`);
}

/** A copy never replaces an existing cluster. */
export function refuseExistingCluster({ clusterName }: RestoreFacts): RestorePlan {
  return finish(
    'Failed',
    `EtcdCluster ${clusterName} exists already, but source.cluster can only create a new cluster. Set spec.etcdCluster.name to an unused name. Nothing was changed`,
  );
}

/**
 * Reads the source again. The new member has the data, but the process that read the facts about it during the transfer has ended before
 * they were recorded. The data is valid, otherwise the new member would not have kept it. But the facts must be recorded before anything
 * depends on them.
 */
export function verifyAfterwards({ jobs }: RestoreObservation): RestorePlan {
  return follow(jobs.verify, { ...whole, phase: 'Seeding', next: 'Seeding', onFailure: fail });
}

interface Course {
  readonly step: 'verify' | 'inspect';
  readonly reason: string;
  /** Whether the status also gives the reason: only for work that takes seconds and shows no progress. */
  readonly isSaid?: true;
  readonly phase: RestorePhaseName;
  /** The phase once the source is recorded. */
  readonly next: RestorePhaseName;
  readonly onFailure: (why: string) => RestorePlan;
}

const whole = { step: 'verify', reason: 'reading and checking the backup; nothing is changed meanwhile' } as const;
const replay = {
  step: 'verify',
  reason:
    'reading and checking the full backup and the change segments of the continuous backup; nothing is changed meanwhile',
} as const;
const members = {
  step: 'verify',
  reason: 'asking the running members whether the cluster has a quorum; nothing is changed meanwhile',
  isSaid: true,
} as const;
const live = (name: string) =>
  ({
    step: 'verify',
    reason: `asking the members of EtcdCluster ${name} whether they have a quorum; nothing is changed in that cluster`,
  }) as const;
const glance = {
  step: 'inspect',
  reason:
    'reading the manifest and the size of the backup; the hash of the backup is verified while the backup is copied to the first member',
} as const;
const before = {
  phase: 'Verifying',
  next: 'Preparing',
  onFailure: (why: string) => finish('Failed', why),
} as const;

/** How long reading a store is retried if it cannot be reached. */
const patience = 600_000;

const unreadable =
  'The backup could not be read for 10 minutes. Check the backup store, and the network between the backup store and the operator, then create another EtcdRestore.';

function follow(job: JobState<SourceFacts>, course: Course): RestorePlan {
  const { phase, next, reason, onFailure } = course;
  const begin = { step: { do: course.step }, reason } as const;
  const said = course.isSaid ? reason : '';
  switch (job.kind) {
    case 'idle':
      return take(phase, [begin], said);
    case 'waiting':
      return awaitTurn(phase, job, 'reading backups');
    case 'running': {
      const report = { phase, reason: tryingAgain(job.lastFailure) || said, bytesVerified: progress(job.bytes) };
      return { ...wait(phase, '', 200), report };
    }
    case 'failed': {
      if (!job.passes || (job.limit !== undefined && job.failingFor >= job.limit)) return onFailure(job.why);
      if (job.failingFor >= patience) return onFailure(`${job.why}. ${unreadable}`);
      const again = tryingAgain(job.why);
      return { ...take(phase, [{ ...begin, reason: again }], again), requeueAfter: 5_000 };
    }
    case 'done':
      return record(job.value, next);
  }
}

/** Facts about the source are recorded before anything depends on them. */
export function record(source: SourceFacts, phase: RestorePhaseName): RestorePlan {
  const bytesVerified = source.sha256 === undefined ? 0 : source.bytes;
  return { steps: [], report: { phase, reason: '', source, bytesVerified }, requeueAfter: 0 };
}
