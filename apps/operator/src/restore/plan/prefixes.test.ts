// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import type {
  Comparison,
  JobFacts,
  PrefixFacts,
  RestoreFacts,
  RestoreObservation,
  SafetyFacts,
} from '../observation.ts';
import { RestoreModel } from '../testing/model.ts';
import { modelSource } from '../testing/model-source.ts';
import { planRestore } from './plan.ts';

const comparison: Comparison = {
  ...{ sha256: 'ab', prefixes: ['/p/'], clusterId: 'c1', revision: 90 },
  ...{ puts: 3, creates: 1, leased: 0, putBytes: 99, deletes: 2, unchanged: 7 },
};
const compared = { source: modelSource, comparison, conflict: undefined };
const kept: SafetyFacts = { kind: 'kept', path: 'p', revision: 91, bytes: 9, isCurrent: true, members: ['a'] };
const done = <T>(value: T) => ({ kind: 'done', value }) as const;
const failed = (why: string, passes: boolean, failingFor = 0) => ({ kind: 'failed', why, passes, failingFor }) as const;

interface Scene {
  readonly prefixes?: Partial<PrefixFacts>;
  readonly restore?: Partial<RestoreFacts>;
  readonly jobs?: Partial<JobFacts>;
  readonly cluster?: Partial<NonNullable<RestoreObservation['cluster']>> | undefined;
}

/** A running cluster, and a restore of prefixes that has recorded nothing. */
function seen(scene: Scene = {}): RestoreObservation {
  const { cluster, restore, jobs, ...rest } = new RestoreModel().observation();
  const prefixes = { wanted: ['/p/'], isDryRun: false, overwrites: false, recorded: undefined, ...scene.prefixes };
  const isGone = 'cluster' in scene && scene.cluster === undefined;
  return {
    ...rest,
    restore: { ...restore, prefixes, ...scene.restore },
    cluster: isGone || !cluster ? undefined : { ...cluster, ...scene.cluster },
    jobs: { ...jobs, ...scene.jobs },
  };
}

const plan = (scene?: Scene) => planRestore(seen(scene), 1_000_000);
const { generation } = seen().restore;
/** The comparison is recorded. */
const recorded = { prefixes: { recorded: { ...comparison, generation } }, restore: { source: modelSource } };
const savedScene = { ...recorded, restore: { ...recorded.restore, safety: kept } };

const said = (scene: Scene) => {
  const { steps, report } = plan(scene);
  return { steps: steps.map(({ step }) => step.do), phase: report?.phase, reason: report?.reason };
};

describe('an unknown field', () => {
  const restore = { unknownFields: ['spec.prefix'] };

  test('ends a restore of prefixes before anything is written, as one of the whole cluster', () => {
    for (const scene of [{ restore }, { restore: { ...restore, prefixes: undefined } }]) {
      const { steps, phase, reason } = said(scene);
      expect({ steps, phase }).toEqual({ steps: [], phase: 'Failed' });
      expect(reason).toContain('spec.prefix is not a field of an EtcdRestore');
    }
  });

  test('is no reason against a cluster that has yet to be made: nothing can be lost', () => {
    expect(said({ restore: { ...restore, prefixes: undefined }, cluster: undefined }).phase).toBe('Verifying');
  });
});

describe('a restore of prefixes', () => {
  test('compares, records, saves and records what is there, and only then writes', () => {
    expect(said({})).toEqual({ steps: ['compare'], phase: 'Verifying', reason: '' });
    const first = plan({ jobs: { compare: done(compared) } });
    expect(first).toMatchObject({ steps: [], report: { phase: 'SavingPresent', comparison, source: modelSource } });
    expect(said(recorded)).toEqual({ steps: ['save'], phase: 'SavingPresent', reason: '' });
    const { steps } = plan(recorded);
    const incarnation = seen().cluster?.incarnation ?? 0;
    // The running members; the name of the snapshot contains this generation.
    expect(steps[0]?.step).toMatchObject({
      ...{ below: incarnation + 1, isTaken: true },
      attempt: { generation, round: 1 },
    });
    const second = plan({ ...recorded, jobs: { save: done(kept) } });
    expect(second).toMatchObject({ steps: [], report: { safety: kept } });
    expect(said(savedScene)).toEqual({ steps: ['write'], phase: 'Writing', reason: '' });
    const last = plan({ ...savedScene, jobs: { write: done({ revision: 95, unsaved: undefined }) } });
    expect(last).toMatchObject({ steps: [], report: { phase: 'Succeeded', comparison, writtenRevision: 95 } });
  });

  test('that is a dry run ends when it has compared, and never writes', () => {
    const prefixes = { isDryRun: true };
    const { report } = plan({ prefixes, jobs: { compare: done(compared) } });
    expect(report).toMatchObject({ phase: 'Succeeded', comparison, isDryRun: true });
    const again = plan({ ...savedScene, prefixes: { ...recorded.prefixes, isDryRun: true } });
    expect(again).toMatchObject({ steps: [], report: { phase: 'Succeeded', isDryRun: true } });
  });

  test('that is a dry run says if the database would exceed its quota', () => {
    const found = { ...compared, comparison: { ...comparison, warning: 'it is full' } };
    const { report } = plan({ prefixes: { isDryRun: true }, jobs: { compare: done(found) } });
    expect(report).toMatchObject({ phase: 'Succeeded', comparison: { warning: 'it is full' }, isDryRun: true });
  });

  test('compares again for another generation of its spec, and where the source is not recorded', () => {
    const older = { recorded: { ...comparison, generation: generation - 1 } };
    expect(said({ ...savedScene, prefixes: older }).steps).toEqual(['compare']);
    expect(said({ prefixes: recorded.prefixes }).steps).toEqual(['compare']);
  });

  test('where nothing differs saves nothing and writes nothing', () => {
    const prefixes = { recorded: { ...comparison, puts: 0, creates: 0, deletes: 0, generation } };
    expect(said({ ...recorded, prefixes })).toEqual({ steps: [], phase: 'Succeeded', reason: '' });
  });

  test.each<readonly [string, Scene, string]>([
    ['there is no cluster', { cluster: undefined }, 'EtcdCluster c does not exist'],
    [
      'keys have changed since the dry run',
      { jobs: { compare: done({ ...compared, conflict: 'key /p/a was changed' }) } },
      'key /p/a was changed. Nothing is written',
    ],
    [
      'the backup is of another cluster',
      {
        jobs: {
          compare: done({
            ...compared,
            source: { ...modelSource, cluster: { name: 'd', size: 1, version: '3.6.16' } },
          }),
        },
      },
      'the backup was taken from cluster d, not from c',
    ],
    [
      'the backup has no manifest, and must have one',
      { restore: { requireManifest: true }, jobs: { compare: done(compared) } },
      'spec.requireManifest is true',
    ],
    [
      'the database would exceed its quota',
      { jobs: { compare: done({ ...compared, comparison: { ...comparison, warning: 'it is full' } }) } },
      'it is full. Then create the EtcdRestore again; nothing is written',
    ],
    ['the backup is damaged', { jobs: { compare: failed('damaged', false) } }, 'damaged'],
    ['a key was changed meanwhile', { ...savedScene, jobs: { write: failed('key /p/a was changed', false) } }, '/p/a'],
    [
      'the cluster takes no writes for as long as spec.timeout says',
      { ...savedScene, jobs: { write: failed('alarm NOSPACE', true, 3_600_000) } },
      'alarm NOSPACE. The restore stopped, because this problem lasted too long. Keys that are already written are not rolled back',
    ],
    [
      'no safety snapshot can be taken',
      { ...recorded, jobs: { save: done({ kind: 'skipped', why: 'store is full' }) } },
      'The safety snapshot could not be taken: store is full. Nothing is written',
    ],
    [
      'the safety snapshot may be older than what was acknowledged',
      { ...recorded, jobs: { save: done({ ...kept, isCurrent: false }) } },
      'other members may hold newer data',
    ],
    [
      'members do not let the operator in',
      { ...recorded, jobs: { save: failed('credentials', false) } },
      'credentials',
    ],
  ])('fails, and writes nothing more, if %s', (_what, scene, why) => {
    expect(said(scene)).toEqual({ steps: [], phase: 'Failed', reason: expect.stringContaining(why) });
  });

  test.each<readonly [string, Scene, string]>([
    [
      'another restore is at work',
      { ...savedScene, cluster: { marker: { name: 'other', uid: 'o' } } },
      'waiting for EtcdRestore other to finish',
    ],
    [
      'a restore of the whole cluster has left it half done',
      { cluster: { marker: { name: 'other', uid: 'o' }, markIsOrphaned: true } },
      'Restore the whole EtcdCluster again before you restore prefixes',
    ],
    ['the cluster is being deleted', { ...savedScene, cluster: { deleting: true } }, 'is being deleted'],
    [
      'the cluster has no identity yet',
      { cluster: { clusterId: '' } },
      'waiting for the EtcdCluster to be bootstrapped',
    ],
  ])('waits while %s', (_what, scene, why) => {
    expect(said(scene)).toMatchObject({ steps: [], reason: expect.stringContaining(why) });
  });

  test.each<readonly [string, Scene, string]>([
    ['the backup store is away', { jobs: { compare: failed('away', true, 1_000) } }, 'compare'],
    ['the quorum is lost', { ...savedScene, jobs: { write: failed('no leader', true, 60_000) } }, 'write'],
  ])('tries again while %s, and says so', (_what, scene, step) => {
    expect(said(scene)).toMatchObject({ steps: [step], reason: expect.stringContaining('trying again') });
  });

  describe('that overwrites, and finds keys that others have changed after the safety snapshot', () => {
    const unsaved = { keys: 2, first: '/p/a', revision: 99 };
    const left = done({ revision: 95, unsaved });
    const inRound = (round: number, jobs: Partial<JobFacts>) => ({
      ...recorded,
      restore: { ...recorded.restore, safety: { ...kept, round } },
      jobs,
    });

    test('takes another one under another name, records it, and writes again', () => {
      const { steps, report } = plan(inRound(1, { write: left }));
      expect(steps.map(({ step }) => step)).toMatchObject([{ do: 'save', attempt: { generation, round: 2 } }]);
      const why =
        'storing another safety snapshot, because 2 keys with a prefix in spec.prefixes were changed in the cluster after the last safety snapshot (key /p/a at revision 99)';
      expect(report).toMatchObject({ phase: 'SavingPresent', reason: expect.stringContaining(why) });
      const second = { ...kept, path: 'q', revision: 120, round: 2 };
      expect(plan(inRound(1, { write: left, save: done(second) }))).toMatchObject({
        steps: [],
        report: { safety: second },
      });
      expect(said(inRound(2, {})).steps).toEqual(['write']);
    });

    test('fails after three of them, and says what to do', () => {
      expect(said(inRound(3, { write: left })).steps).toEqual(['save']);
      const { steps, phase, reason } = said(inRound(4, { write: left }));
      expect({ steps, phase }).toEqual({ steps: [], phase: 'Failed' });
      expect(reason).toContain(
        '2 keys with a prefix in spec.prefixes were changed in the cluster after the last safety snapshot (key /p/a at revision 99)',
      );
      expect(reason).toContain('Stop the clients that write these keys');
    });

    test('fails if another one is required and cannot be taken: what was written stays', () => {
      const skipped = { kind: 'skipped', why: 'store is full', round: 2 } as const;
      const { steps, phase, reason } = said(inRound(1, { write: left, save: done(skipped) }));
      expect({ steps, phase }).toEqual({ steps: [], phase: 'Failed' });
      expect(reason).toContain('store is full. Keys that are already written are not rolled back');
    });
  });

  test('says how far it has come', () => {
    const prefixes = { recorded: { ...comparison, puts: 19_998, generation } };
    expect(said({ ...savedScene, prefixes, jobs: { write: { kind: 'running', bytes: 12_345 } } }).reason).toBe(
      '10000 of 20000 keys written',
    );
  });

  test.each(['IfPossible', 'Never'] as const)('goes on without a snapshot with safetySnapshot %s', (safetySnapshot) => {
    const skipped = { kind: 'skipped', why: 'store is full' } as const;
    const restore = { ...recorded.restore, safetySnapshot };
    const { report, steps } = plan({ ...recorded, restore, jobs: { save: done(skipped) } });
    expect({ steps, safety: report?.safety?.kind }).toEqual({ steps: [], safety: 'skipped' });
    expect(said({ ...recorded, restore: { ...restore, safety: skipped } }).steps).toEqual(['write']);
  });

  test('that is deleted has nothing to roll back', () => {
    expect(plan({ ...savedScene, restore: { ...savedScene.restore, deleting: true } })).toMatchObject({ steps: [] });
  });
});
