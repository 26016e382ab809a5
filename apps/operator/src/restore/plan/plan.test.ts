// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { desiredOf } from '../../cluster/desired.ts';
import { noGrants } from '../../cluster/grants/pod-grants.ts';
import { finalState, unchangedState } from '../testing/final-state.ts';
import { RestoreModel, run } from '../testing/model.ts';
import type { Trouble } from '../testing/trouble.ts';
import { planRestore } from './plan.ts';

describe('a restore', () => {
  test('operator rule 4: goes from a valid source to a new incarnation, in that order, and leaves nothing of its own', () => {
    const model = run(new RestoreModel());
    expect(finalState(model)).toMatchObject({ phase: 'Succeeded', incarnation: 2, clusterId: 'c3', marker: undefined });
    expect(finalState(model)).toMatchObject({ volumes: [1, 1, 1, 2], secret: false, finalizer: false, wrongs: [] });
    expect(model.pods).toHaveLength(1);
    expect(model.safety).toMatchObject({ kind: 'kept', path: 'p' });
  });

  test.each<readonly [string, Trouble, string]>([
    ['a source that is not sound', { sourceRefused: true }, 'broken'],
    ['a store that does not take the safety snapshot', { saveFails: true }, 'store is full'],
    ["a seed that etcd's tool cannot make", { seedBreaks: true }, 'data-dir not empty'],
    ['a seed with another revision', { wrongRevision: true }, 'revision'],
  ])('[92] [93] %s: everything is as it was, and why is said', (_what, trouble, why) => {
    const model = run(new RestoreModel(trouble));
    expect(finalState(model)).toEqual({ phase: 'Failed', ...unchangedState });
    expect(model.status?.reason).toContain(why);
  });

  test('[96] makes an EtcdCluster that is gone, from what the manifest says', () => {
    const model = run(new RestoreModel({}, false));
    expect(finalState(model)).toMatchObject({ phase: 'Succeeded', incarnation: 1, marker: undefined, wrongs: [] });
  });

  test.each<readonly [string, Trouble, string]>([
    ['is broken, which is found on its way', { sourceRefused: true }, 'broken'],
    [
      'has a manifest of other bytes, and nothing else says how to make it',
      { manifestMismatches: true },
      'the backup has no valid manifest with the spec of the cluster',
    ],
  ])('[92] [93] leaves nothing of an EtcdCluster that it made from a source that %s', (_what, trouble, why) => {
    const model = run(new RestoreModel(trouble, false));
    expect(finalState(model)).toEqual({
      ...{ phase: 'Failed', incarnation: undefined, clusterId: undefined, marker: undefined },
      ...{ pods: [], volumes: [], secret: false, finalizer: false, wrongs: [] },
    });
    expect(model.status?.reason).toContain(why);
  });

  test('makes no EtcdCluster whose pods the administrator does not allow', () => {
    const model = new RestoreModel({}, false);
    model.grants = { ...noGrants, repositories: ['registry.example.com'] };
    run(model);
    expect(finalState(model)).toMatchObject({
      phase: 'Failed',
      incarnation: undefined,
      pods: [],
      volumes: [],
      wrongs: [],
    });
    expect(model.status?.reason).toContain(
      'the EtcdCluster cannot be created with this spec: spec.repository is quay.io/coreos/etcd',
    );
  });

  test('that is looked at late succeeds, though leases of the backup have run out meanwhile', () => {
    const model = run(new RestoreModel({ leasesRunOut: true }));
    expect(finalState(model)).toMatchObject({ phase: 'Succeeded', incarnation: 2, wrongs: [] });
  });

  test.each([true, false])(
    'whose new member lost the snapshot with its node sends it again (cluster there: %s)',
    (there) => {
      const model = run(new RestoreModel({ fileIsLost: true }, there));
      expect(finalState(model)).toMatchObject({ phase: 'Succeeded', marker: undefined, wrongs: [] });
    },
  );

  test('waits for members that are about to end before it starts them on their volumes', () => {
    const model = new RestoreModel();
    while (model.startedAt === 0) model.pass(Number.POSITIVE_INFINITY);
    model.pass(Number.POSITIVE_INFINITY);
    const { pods, ...seen } = model.observation();
    const ending = pods.map((pod) => ({ ...pod, isolated: true, terminating: true }));
    const { steps, report } = planRestore({ ...seen, pods: ending }, model.now);
    expect({ steps, report }).toMatchObject({ steps: [], report: { reason: 'waiting for pod/a to stop' } });
  });

  test('begins above the revision that the old members themselves name, which the status may not have yet', () => {
    for (const policy of ['Required', 'IfPossible', 'Never'] as const) {
      const model = run(new RestoreModel({ policy }));
      expect(model.seenRevision).toBe(50);
      expect(finalState(model)).toMatchObject({ phase: 'Succeeded', wrongs: [] });
    }
  });

  test('leaves volumes alone that earlier restores have kept, and saves nothing of them', () => {
    const model = new RestoreModel({ left: 'nothing' });
    Object.assign(model.cluster ?? {}, { incarnation: 3, used: 3 });
    const first = run(new RestoreModel()).volumes.filter(({ keptBy }) => keptBy !== '');
    model.volumes = first.map((volume, index) => ({ ...volume, incarnation: 1 + (index % 2), keptBy: 'r0' }));
    run(model);
    expect(finalState(model)).toMatchObject({ phase: 'Succeeded', incarnation: 4, wrongs: [] });
    expect(model.volumes.filter(({ keptBy }) => keptBy === 'r0')).toHaveLength(3);
    expect(model.listed).toEqual([]);
  });

  describe('into the name of a deleted cluster whose pods do not end', () => {
    const waiting = (isOnLostNode: boolean) => {
      const model = new RestoreModel({}, false);
      while (!model.safety) model.pass(Number.POSITIVE_INFINITY);
      const otherOwnerPods = [{ name: 'c-old', node: 'n1', isOnLostNode }];
      return planRestore({ ...model.observation(), otherOwnerPods }, model.now);
    };

    test('says what it waits for and what to do', () => {
      const { steps, report } = waiting(false);
      expect(steps).toEqual([]);
      expect(report?.reason).toContain('waiting for pod/c-old');
      expect(report?.reason).toContain('kubectl delete pod c-old --grace-period=0 --force');
    });

    test('goes on once their node is gone or declared out of service', () => {
      expect(waiting(true).steps.map(({ step }) => step.do)).toContain('createSeed');
    });
  });

  test('operator rule 25: does not wait for an old member whose node is gone: it has been told to go, and the cluster is restored', () => {
    const model = run(new RestoreModel({ lostNode: 'b' }));
    expect(finalState(model)).toMatchObject({ phase: 'Succeeded', marker: undefined, finalizer: false, wrongs: [] });
    expect(model.pods.filter(({ incarnation }) => incarnation < 2)).toMatchObject([{ name: 'b', terminating: true }]);
    expect(model.volumes.filter(({ keptBy }) => keptBy !== '')).toHaveLength(3);
  });

  test('operator rule 25: whose new member is lost with its node puts the old ones back all the same', () => {
    const model = run(new RestoreModel({ lostNode: 'seed', seedBreaks: true }));
    expect(finalState(model)).toMatchObject({
      phase: 'Failed',
      incarnation: 1,
      clusterId: 'c1',
      marker: undefined,
      secret: false,
    });
    const old = ({ incarnation }: { readonly incarnation: number }) => incarnation === 1;
    expect(model.pods.filter(old).map(({ isolated }) => isolated)).toEqual([false, false, false]);
    expect(model.pods.filter((pod) => !old(pod))).toMatchObject([{ terminating: true, isolated: true }]);
  });

  test('whose new member cannot store the snapshot tries again more and more slowly, then puts everything back and says why', () => {
    const model = new RestoreModel();
    while (model.seed?.stage !== 'waitingForData') model.pass(Number.POSITIVE_INFINITY);
    const waits = [0, 10_000, 100_000].map((failing) => {
      model.deliver = { kind: 'failed', why: 'ENOSPC', passes: true, failingFor: failing };
      return planRestore(model.observation(), model.now).requeueAfter;
    });
    expect(waits).toEqual([250, 2_500, 10_000]);
    model.deliver = { kind: 'failed', why: 'ENOSPC', passes: true, failingFor: 600_000 };
    run(model);
    expect(finalState(model)).toEqual({ phase: 'Failed', ...unchangedState });
    expect(model.status?.reason).toContain('ENOSPC');
  });

  test('whose EtcdCluster gets another version on the way, which cannot read the backup, is rolled back', () => {
    const model = new RestoreModel();
    while (model.startedAt === 0) model.pass(Number.POSITIVE_INFINITY);
    const { cluster, ...seen } = model.observation();
    const lower = cluster && { ...cluster, desired: desiredOf('c', { size: 3, version: '3.5.35' }) };
    const { steps, report } = planRestore({ ...seen, cluster: lower }, model.now);
    expect(steps).toEqual([]);
    expect(report).toMatchObject({ phase: 'RollingBack', failure: expect.stringContaining('3.5.35 cannot read') });
  });

  test('takes an EtcdCluster that it made away again if it fails', () => {
    const model = run(new RestoreModel({ seedBreaks: true }, false));
    expect(model.cluster).toBeUndefined();
    expect(model.status?.phase).toBe('Failed');
  });

  test('[99] deleted before it has succeeded, rolls everything back before it goes', () => {
    for (let write = 1; write < 12; write++) {
      const model = new RestoreModel();
      while (!model.pass(write) && model.status?.phase !== 'Succeeded');
      if (model.seed?.isIdentified) break;
      model.deleting = true;
      run(model);
      expect(model.gone).toBe(true);
      expect(finalState(model)).toMatchObject(unchangedState);
    }
  });

  test.each<readonly [string, (model: RestoreModel) => void]>([
    ['is deleted', (model) => Object.assign(model, { deleting: true })],
    ['gets another spec', (model) => Object.assign(model, { source: undefined, startedAt: 0 })],
    [
      'is killed, and the seed is lost',
      (model) => {
        // The etcd-operator knows the new incarnation from its seed.
        if (model.cluster) model.cluster.clusterId = 'c3';
        Object.assign(model, { seed: undefined });
      },
    ],
  ])('that %s when its seed bears the identity goes on: clients may have written to it', (_what, happens) => {
    const model = new RestoreModel();
    while (!model.seed?.isIdentified) model.pass(Number.POSITIVE_INFINITY);
    model.crash();
    happens(model);
    run(model);
    expect(finalState(model)).toMatchObject({
      incarnation: 2,
      clusterId: 'c3',
      marker: undefined,
      finalizer: false,
    });
  });

  test('killed when only the volume of its seed bears the identity, and deleted: goes on, for the etcd-operator knows the new incarnation by it', () => {
    const model = new RestoreModel();
    while (!model.seed?.isIdentified) model.pass(Number.POSITIVE_INFINITY);
    // The first of two writes was made, the second was not.
    model.seed.isIdentified = false;
    model.crash();
    model.deleting = true;
    run(model);
    expect(finalState(model)).toMatchObject({
      incarnation: 2,
      clusterId: 'c3',
      marker: undefined,
      finalizer: false,
      wrongs: [],
    });
  });

  test('whose restored members are lost before all are there can be deleted, and another may follow', () => {
    const model = new RestoreModel();
    while (model.cluster?.restoredBy !== 'r1') model.pass(Number.POSITIVE_INFINITY);
    Object.assign(model, { deleting: true, seed: undefined, etcdIsAway: true, startedAt: model.now - 3_600_001 });
    model.pods = model.pods.filter(({ incarnation }) => incarnation < 2);
    run(model);
    expect(model.gone).toBe(true);
    expect(finalState(model)).toMatchObject({ marker: undefined, secret: false, incarnation: 2, clusterId: 'c3' });
    // What is left of the previous incarnation is not for this restore to delete.
    expect(model.volumes.filter(({ incarnation }) => incarnation < 2)).toHaveLength(3);
  });

  test('whose EtcdCluster is deleted meanwhile fails, and makes no other in its place', () => {
    for (let write = 5; write < 14; write++) {
      const model = new RestoreModel();
      while (!model.pass(write) && model.status?.phase !== 'Succeeded');
      if (model.startedAt === 0) continue;
      Object.assign(model, { cluster: undefined, pods: [], volumes: [], seed: undefined });
      run(model);
      expect(model.status).toMatchObject({ phase: 'Failed', reason: expect.stringContaining('was deleted') });
      expect(finalState(model)).toMatchObject({ incarnation: undefined, secret: false, finalizer: false });
    }
  });

  test('whose incarnation was lowered by hand touches no member of the previous incarnation', () => {
    const model = new RestoreModel();
    while (model.cluster?.marker === undefined) model.pass(Number.POSITIVE_INFINITY);
    // An old etcd-operator that does not know the annotation replaces members that it takes for lost.
    Object.assign(model.cluster, { incarnation: 1, clusterId: 'c1' });
    const pod = model.pods[0];
    model.seed = pod && {
      ...{ name: pod.name, uid: pod.uid, resourceVersion: '1', terminating: false, ip: '10.0.0.1', onVolume: true },
      ...{
        version: '',
        agent: '',
        isIdentified: true,
        stage: 'running',
        broken: undefined,
        why: '',
        answer: undefined,
      },
    };
    run(model);
    expect(finalState(model)).toEqual({ phase: 'Failed', ...unchangedState });
  });

  describe('of a cluster that bears the mark of an EtcdRestore that is no more', () => {
    const marked = (trouble: Trouble) => {
      const model = new RestoreModel(trouble);
      const from = { incarnation: 1, clusterId: 'c1' };
      Object.assign(model.cluster ?? {}, { marker: { name: 'other', uid: 'r0', from }, incarnation: 2, used: 2 });
      Object.assign(model.cluster ?? {}, { clusterId: '', grown: false });
      for (const pod of model.pods) pod.isolated = true;
      return model;
    };

    test('waits while it may still be there', () => {
      const model = run(marked({}));
      expect(model.status).toMatchObject({ phase: 'Preparing', reason: expect.stringContaining('other') });
    });

    test('takes its place: no other restore would ever end it', () => {
      const model = run(Object.assign(marked({}), { markIsOrphaned: true }));
      expect(finalState(model)).toMatchObject({ phase: 'Succeeded', incarnation: 3, marker: undefined, wrongs: [] });
    });

    test('and that fails rolls back to what was there before either', () => {
      const model = run(Object.assign(marked({ seedBreaks: true }), { markIsOrphaned: true }));
      expect(finalState(model)).toEqual({ phase: 'Failed', ...unchangedState });
    });
  });

  test('operator rule 30: that fails leaves pods of earlier incarnations isolated from the Services', () => {
    const model = new RestoreModel({ seedBreaks: true });
    // Left by a restore whose members were lost before it was complete.
    Object.assign(model.cluster ?? {}, { incarnation: 2, used: 2 });
    for (const pod of model.pods) Object.assign(pod, pod.name === 'a' ? { isolated: true } : { incarnation: 2 });
    run(model);
    expect(model.status?.phase).toBe('Failed');
    expect(model.pods.map(({ name, isolated }) => [name, isolated])).toEqual([
      ['a', true],
      ['b', false],
      ['d', false],
    ]);
  });

  test('a second attempt never bears the incarnation of the first', () => {
    const model = run(new RestoreModel({ seedBreaks: true }));
    expect(model.cluster?.used).toBe(2);
    Object.assign(model, { status: undefined, failure: undefined, source: undefined, safety: undefined, startedAt: 0 });
    run(model);
    expect(model.cluster?.used).toBe(3);
  });
});

describe('a restore operator that is killed', () => {
  const count = (trouble: Trouble, withCluster: boolean) => run(new RestoreModel(trouble, withCluster)).writes;

  test.each<readonly [string, Trouble, boolean]>([
    ['that succeeds', {}, true],
    ['whose cluster is gone', {}, false],
    ['that fails', { seedBreaks: true }, true],
    ['that fails and made its cluster', { wrongRevision: true }, false],
    ['whose source is broken, which is found on its way', { sourceRefused: true }, false],
    ['whose manifest does not fit, which is found while it is sent', { manifestMismatches: true }, false],
    ['that is killed once more when the data has arrived', { endsOnceDelivered: true }, false],
    ['that saves what is on volumes', { left: 'volumes' }, true],
    ['that cannot save what is on volumes', { left: 'volumes', startFails: true }, true],
    ['that cannot reach its members', { operatorIsCutOff: true }, true],
    ['that reaches only a member that lags', { lagging: true, left: 'pods' }, true],
    ['whose members are unreachable', { unreachable: true, left: 'pods' }, true],
  ])('[100] after any single write of a restore %s: the same end', (_what, trouble, withCluster) => {
    const quiet = finalState(run(new RestoreModel(trouble, withCluster)));
    const writes = count(trouble, withCluster);
    expect(writes).toBeGreaterThan(8);
    for (let kill = 1; kill <= writes; kill++) {
      const model = run(new RestoreModel(trouble, withCluster), [kill]);
      expect(finalState(model), `killed after write ${kill}`).toEqual(quiet);
    }
  });

  test.each<readonly [string, Trouble, boolean]>([
    ['that succeeds', {}, true],
    ['whose cluster is gone', {}, false],
    ['that fails', { seedBreaks: true }, true],
  ])(
    '[100] and an etcd-operator, after any write of either, in a restore %s: the same end',
    (_what, trouble, withCluster) => {
      const quiet = run(new RestoreModel(trouble, withCluster));
      expect(quiet.etcdWrites).toBeGreaterThan(0);
      for (let etcdKill = 1; etcdKill <= quiet.etcdWrites; etcdKill++) {
        for (let kill = 0; kill <= quiet.writes; kill++) {
          const model = run(new RestoreModel(trouble, withCluster, [etcdKill]), kill === 0 ? [] : [kill]);
          expect(finalState(model), `killed after writes ${kill} and ${etcdKill}`).toEqual(finalState(quiet));
        }
      }
    },
  );

  test('[100] again and again, anywhere: the same end', () => {
    // Each of these ends a restore early, so that later steps are not tested.
    const seldom = fc.integer({ min: 0, max: 5 }).map((number) => number === 5);
    const troubles = fc.record({
      seedBreaks: fc.boolean(),
      wrongRevision: fc.boolean(),
      saveFails: seldom,
      sourceRefused: seldom,
      manifestMismatches: fc.boolean(),
      endsOnceDelivered: fc.boolean(),
      startFails: fc.boolean(),
      reached: fc.constantFrom({}, { operatorIsCutOff: true }, { lagging: true }, { unreachable: true }),
      left: fc.constantFrom('pods and volumes', 'one pod and volumes', 'pods', 'one pod', 'volumes', 'nothing'),
      policy: fc.constantFrom('Required', 'IfPossible', 'Never'),
    });
    fc.assert(
      fc.property(
        troubles,
        fc.boolean(),
        fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 6 }),
        ({ reached, ...others }, withCluster, kills) => {
          const trouble = { ...others, ...reached };
          const quiet = finalState(run(new RestoreModel(trouble, withCluster)));
          expect(quiet.wrongs).toEqual([]);
          const model = run(
            new RestoreModel(trouble, withCluster),
            [...kills].sort((a, b) => a - b),
          );
          expect(finalState(model)).toEqual(quiet);
        },
      ),
      { numRuns: 600 },
    );
  }, 60_000);
});
