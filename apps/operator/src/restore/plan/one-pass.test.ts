// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import type { JobFacts, RestoreObservation, SourceFacts } from '../observation.ts';
import { RestoreModel } from '../testing/model.ts';
import { modelSource } from '../testing/model-source.ts';
import { phaseOf } from './phase.ts';
import { planRestore } from './plan.ts';

const pending: SourceFacts = { ...modelSource, sha256: undefined, verified: 'Pending' };
const now = 1_000_000;

/** A restore without an EtcdCluster of that name, at the given moment. */
function at(moment: (model: RestoreModel) => boolean): RestoreObservation {
  const model = new RestoreModel({}, false);
  for (let round = 0; round < 50 && !moment(model); round++) model.pass(Number.POSITIVE_INFINITY);
  expect(moment(model)).toBe(true);
  return model.observation();
}

const stepsOf = (seen: RestoreObservation) => planRestore(seen, now).steps.map(({ step }) => step.do);

/** As after a crash, except for the given jobs. */
const jobs = (some: Partial<JobFacts> = {}): JobFacts => {
  const idle = { kind: 'idle' } as const;
  return { inspect: idle, verify: idle, save: idle, deliver: idle, compare: idle, write: idle, ...some };
};

const begun = at(() => true);
const inspected = at((model) => model.source !== undefined);
const waiting = at((model) => model.seed?.stage === 'waitingForData');
const there = new RestoreModel().observation();

describe('a source for an EtcdCluster that does not exist', () => {
  test('is inspected, and read while it is sent', () => {
    expect(stepsOf(begun)).toEqual(['inspect']);
    expect(inspected.restore.source).toEqual(pending);
    expect(phaseOf(inspected).kind).toBe('preparing');
    expect(stepsOf(inspected)).toContain('createCluster');
  });

  test('is read first where only a manifest that fits it will do', () => {
    expect(stepsOf({ ...begun, restore: { ...begun.restore, requireManifest: true } })).toEqual(['verify']);
    expect(stepsOf({ ...begun, restore: { ...begun.restore, pointInTime: { revision: 7 } } })).toEqual(['verify']);
  });

  test('is read first once the EtcdCluster exists', () => {
    const { cluster, pods, volumes } = there;
    const appeared = { ...inspected, cluster, pods, volumes };
    expect(phaseOf(appeared).kind).toBe('verifying');
    expect(stepsOf(appeared)).toEqual(['verify']);
    const read = { ...appeared, jobs: jobs({ verify: { kind: 'done', value: modelSource } }) };
    expect(planRestore(read, now).report).toMatchObject({ phase: 'Preparing', source: modelSource });
    const recorded = { ...read, restore: { ...read.restore, source: modelSource } };
    expect(stepsOf(recorded)).toContain('mark');
  });

  test('progress is that of both: what is delivered is verified', () => {
    const running = { ...waiting, jobs: jobs({ deliver: { kind: 'running', bytes: 70 * 1024 * 1024 } }) };
    const bytes = 64 * 1024 * 1024;
    expect(planRestore(running, now).report).toMatchObject({ bytesDelivered: bytes, bytesVerified: bytes });
  });
});

const reasonOf = (seen: RestoreObservation, some: Partial<JobFacts>) =>
  planRestore({ ...seen, jobs: jobs(some) }, now).report?.reason;

/** All observations during a restore, into a new cluster and into an existing one. */
function looks(): readonly RestoreObservation[] {
  return [true, false].flatMap((hasCluster) => {
    const model = new RestoreModel({}, hasCluster);
    return Array.from({ length: 50 }, () => {
      const seen = model.observation();
      model.pass(Number.POSITIVE_INFINITY);
      return seen;
    });
  });
}

describe('a source that cannot be read at the first attempt', () => {
  const verifying: RestoreObservation = { ...begun, restore: { ...begun.restore, requireManifest: true } };

  test.each([
    ['inspect', begun],
    ['verify', verifying],
    ['deliver', waiting],
  ] as const)('has its reason in the status while %s is repeated, and until that has an end', (job, seen) => {
    const why = 'the backup store does not answer';
    const failed = { kind: 'failed', why, passes: true, failingFor: 0 } as const;
    const again = { kind: 'running', bytes: 0, lastFailure: why } as const;
    const inLine = { kind: 'waiting', ahead: 2, lastFailure: why } as const;
    const reasons = [failed, inLine, again].map((state) => reasonOf(seen, { [job]: state }));
    const [, inLineReason] = reasons;
    expect(reasons).toEqual([`${why}; trying again`, inLineReason, `${why}; trying again`]);
    expect(inLineReason).toMatch(
      /^the backup store does not answer; trying again: waiting for 2 other restores to finish /,
    );
  });

  test.each(['inspect', 'verify', 'save', 'deliver'] as const)(
    'is never without its reason, however far the restore has come, if %s is what is repeated',
    (job) => {
      const why = 'the backup store does not answer';
      const failed = { kind: 'failed', why, passes: true, failingFor: 0 } as const;
      const repeated = [
        { kind: 'waiting', ahead: 1, lastFailure: why },
        { kind: 'running', bytes: 0, lastFailure: why },
      ] as const;
      const withoutProgress = looks()
        .filter((seen) => planRestore({ ...seen, jobs: jobs({ [job]: failed }) }, now).steps.length > 0)
        .filter((seen) => reasonOf(seen, { [job]: failed })?.includes(why))
        .filter((seen) => repeated.some((state) => !reasonOf(seen, { [job]: state })?.includes(why)));
      expect(withoutProgress).toEqual([]);
    },
  );
});

describe('a source that has arrived', () => {
  const running: RestoreObservation = {
    ...waiting,
    seed: waiting.seed && {
      ...{ ...waiting.seed, stage: 'running' },
      answer: { clusterId: 'c2', memberId: 'm', revision: 1_040, hasLeader: true, loginProblem: undefined },
    },
  };

  test.each(['waitingForData', 'restoring', 'running'] as const)('is recorded while its pod is %s', (stage) => {
    const seed = running.seed && { ...running.seed, stage };
    const seen = { ...running, seed, jobs: jobs({ deliver: { kind: 'done', value: modelSource } }) };
    const { steps, report } = planRestore(seen, now);
    expect({ steps, report }).toMatchObject({ steps: [], report: { phase: 'Seeding', source: modelSource } });
  });

  test('and serves is settled once it is recorded, and not before', () => {
    expect(stepsOf({ ...running, jobs: jobs({ deliver: { kind: 'running', bytes: 0 } }) })).toEqual([]);
    const recorded = { ...running, restore: { ...running.restore, source: modelSource }, jobs: jobs() };
    expect(stepsOf(recorded)).toEqual(['settleSeed']);
  });

  test('when the process ended is read again, and recorded before anything is built on it', () => {
    const crashed = { ...running, jobs: jobs() };
    expect(stepsOf(crashed)).toEqual(['verify']);
    const lost = { kind: 'failed', why: 'the connection broke', passes: true, failingFor: 0 } as const;
    expect(stepsOf({ ...running, jobs: jobs({ deliver: lost }) })).toEqual(['verify']);
    const read = { ...crashed, jobs: jobs({ verify: { kind: 'done', value: modelSource } }) };
    expect(planRestore(read, now)).toMatchObject({ steps: [], report: { phase: 'Seeding', source: modelSource } });
    const broken = { kind: 'failed', why: 'broken', passes: false, failingFor: 0 } as const;
    const refused = planRestore({ ...crashed, jobs: jobs({ verify: broken }) }, now);
    expect(refused.report).toMatchObject({ phase: 'RollingBack', failure: 'broken' });
  });

  test.each<readonly [string, Partial<SourceFacts>]>([
    ['of another revision', { revision: 41 }],
    ['of another length', { bytes: 1 }],
    ['with authentication', { authEnabled: true }],
  ])('%s than it was looked at is refused', (_what, other) => {
    const value = { ...modelSource, ...other };
    const seen = { ...running, jobs: jobs({ deliver: { kind: 'done', value } }) };
    expect(planRestore(seen, now).report?.failure).toContain(
      'was replaced in the backup store while the restore was reading it',
    );
  });

  test('and does not fit after all leads back', () => {
    const source = { ...modelSource, cluster: undefined };
    const unfit = { ...running, restore: { ...running.restore, source }, jobs: jobs() };
    expect(planRestore(unfit, now).report?.failure).toContain(
      'the backup has no valid manifest with the spec of the cluster',
    );
    const spoken = { ...unfit, restore: { ...unfit.restore, clusterSpec: { size: 3, version: '3.6.16' } } };
    expect(stepsOf(spoken)).toEqual(['settleSeed']);
  });
});

test('a mark on an EtcdCluster that was there is never followed before its source has been read', () => {
  const { cluster } = there;
  const from = { incarnation: 1, clusterId: 'c1' };
  const marked = cluster && { ...cluster, incarnation: 2, marker: { name: 'r', uid: 'r1', from } };
  const seen = { ...there, cluster: marked, restore: { ...there.restore, source: pending, startedAt: now } };
  expect(phaseOf(seen).kind).toBe('seeding');
  expect(stepsOf(seen)).toEqual(['verify']);
});
