// SPDX-License-Identifier: Apache-2.0
import type { RestorePhaseName } from '../../api/etcd-restore.ts';
import type { JobState, RestoreObservation, SourceFacts } from '../observation.ts';
import { fail, finish, progress, take, wait } from './proposal.ts';
import type { RestorePlan } from './step.ts';

/**
 * Reads the source to its end before anything is touched. Where there is no EtcdCluster nothing can be lost: it is only looked
 * at, and read on its way to the new member. What cannot be mended by waiting ends the restore.
 */
export function verify({ restore, jobs, cluster }: RestoreObservation): RestorePlan {
  if (cluster?.deleting) return wait('Verifying', 'the EtcdCluster is being deleted', 5_000);
  return cluster || restore.requireManifest
    ? follow(jobs.verify, { ...whole, ...before })
    : follow(jobs.inspect, { ...glance, ...before });
}

/**
 * The new member has the data, and nobody here knows what was read on the way: the process that did has ended. It was sound,
 * or it would not have been kept; but what it was is recorded before anything is built on it.
 */
export function verifyAfterwards({ jobs }: RestoreObservation): RestorePlan {
  return follow(jobs.verify, { ...whole, phase: 'Seeding', next: 'Seeding', giveUp: fail });
}

interface Course {
  readonly step: 'verify' | 'inspect';
  readonly reason: string;
  readonly phase: RestorePhaseName;
  /** The phase once the source is recorded. */
  readonly next: RestorePhaseName;
  readonly giveUp: (why: string) => RestorePlan;
}

const whole = { step: 'verify', reason: 'the source is read and checked, nothing is touched' } as const;
const glance = { step: 'inspect', reason: 'the source is looked at; it is checked on its way' } as const;
const before = {
  phase: 'Verifying',
  next: 'Preparing',
  giveUp: (why: string) => finish('Failed', why),
} as const;

/** How long a store that cannot be reached is asked again and again. */
const patience = 600_000;

function follow(job: JobState<SourceFacts>, course: Course): RestorePlan {
  const { phase, next, reason, giveUp } = course;
  const begin = { step: { do: course.step }, reason } as const;
  switch (job.kind) {
    case 'idle':
      return take(phase, [begin]);
    case 'waiting':
      return wait(phase, `waiting for ${job.ahead} other backups to be read`, 1_000);
    case 'running':
      return { ...wait(phase, '', 200), report: { phase, reason: '', bytesVerified: progress(job.bytes) } };
    case 'failed': {
      if (!job.passes || job.failingFor >= patience) return giveUp(job.why);
      const again = `${job.why}; it is tried again`;
      return { ...take(phase, [{ ...begin, reason: again }], again), lookAgainAfter: 5_000 };
    }
    case 'done':
      return record(job.value, next);
  }
}

/** What is known of the source is written down before anything is built on it. */
export function record(source: SourceFacts, phase: RestorePhaseName): RestorePlan {
  const bytesVerified = source.verified === 'Pending' ? 0 : source.bytes;
  return { steps: [], report: { phase, reason: '', source, bytesVerified }, lookAgainAfter: 0 };
}
