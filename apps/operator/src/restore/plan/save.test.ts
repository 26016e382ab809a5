// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { finalState, unchangedState } from '../testing/final-state.ts';
import { RestoreModel, run } from '../testing/model.ts';
import type { Trouble } from '../testing/trouble.ts';
import { save } from './save.ts';

describe('a restore', () => {
  describe('that cannot save what is there', () => {
    const unsaved = { operatorIsCutOff: true, startFails: true } as const;

    test.each<readonly [Trouble['left'] & string, string]>([
      ['pods and volumes', 'pod/a, pod/b, pod/d are Ready; pvc/a, pvc/b, pvc/d hold data'],
      ['pods', 'pod/a, pod/b, pod/d are Ready'],
      ['volumes', 'pvc/a, pvc/b, pvc/d hold data'],
    ])('fails and leaves everything as it was, where %s are left', (left, why) => {
      const before = finalState(new RestoreModel({ ...unsaved, left }));
      const model = run(new RestoreModel({ ...unsaved, left }));
      expect(finalState(model)).toEqual({ ...before, phase: 'Failed' });
      expect(model.status?.reason).toContain(why);
      expect(model.status?.reason).toContain('set spec.safetySnapshot: IfPossible');
    });

    test.each<readonly [string, Trouble]>([
      ['IfPossible is enough', { ...unsaved, policy: 'IfPossible' }],
      ['IfPossible is enough and the backup store is full', { saveFails: true, policy: 'IfPossible' }],
      ['none is asked for', { policy: 'Never' }],
      ['none is asked for and nobody answers', { ...unsaved, policy: 'Never' }],
    ])('goes on where %s, keeps the old volumes and lists them with the command', (_what, trouble) => {
      const model = run(new RestoreModel(trouble));
      expect(model.safety).toMatchObject({ kind: 'skipped' });
      expect(finalState(model)).toMatchObject({ phase: 'Succeeded', volumes: [1, 1, 1, 2], wrongs: [] });
      const kept = { names: ['a', 'b', 'd'], command: 'kubectl delete persistentvolumeclaim --namespace ns a b d' };
      expect(model.status?.oldVolumes).toMatchObject(kept);
    });

    test('fails where members that run and are unreachable have data that is nowhere else', () => {
      const model = run(new RestoreModel({ unreachable: true, left: 'pods' }));
      expect(finalState(model)).toEqual({ phase: 'Failed', ...unchangedState, volumes: [] });
      expect(model.status?.reason).toContain('pod/a, pod/b, pod/d may hold data of the cluster');
      expect(model.status?.reason).toContain('set spec.safetySnapshot: IfPossible');
    });

    test('succeeds where nothing is left', () => {
      const model = run(new RestoreModel({ ...unsaved, left: 'nothing' }));
      expect(finalState(model)).toMatchObject({ phase: 'Succeeded', wrongs: [] });
      expect(model.safety).toMatchObject({ kind: 'skipped' });
    });
  });

  describe('that reaches only a member without a quorum', () => {
    test.each(['pods', 'pods and volumes'] as const)(
      'stores what it has, says that others may have more, and fails where %s of others are left',
      (left) => {
        const trouble = { lagging: true, left };
        const model = run(new RestoreModel(trouble));
        expect(finalState(model)).toEqual({ ...finalState(new RestoreModel(trouble)), phase: 'Failed' });
        expect(model.safety).toMatchObject({ kind: 'kept', isCurrent: false, members: ['a'] });
        expect(model.status?.reason).toContain('other members may hold newer data than the safety snapshot');
        expect(model.status?.reason).toContain('pod/b, pod/d are Ready');
      },
    );

    test('goes on with IfPossible', () => {
      const model = run(new RestoreModel({ lagging: true, left: 'pods', policy: 'IfPossible' }));
      expect(finalState(model)).toMatchObject({ phase: 'Succeeded', wrongs: [] });
      expect(model.safety).toMatchObject({ kind: 'kept', isCurrent: false });
    });

    test('goes on where its peers are gone for good', () => {
      const model = run(new RestoreModel({ left: 'one pod' }));
      expect(finalState(model)).toMatchObject({ phase: 'Succeeded', wrongs: [] });
      expect(model.safety).toMatchObject({ kind: 'kept', isCurrent: false, members: ['a'] });
    });
  });

  test('leaves half of its time limit to what follows, however long members may take to start', () => {
    const model = new RestoreModel({ left: 'volumes' });
    for (let passes = 0; passes < 20 && model.pods.length === 0; passes++) model.pass(1_000);
    const { restore, cluster, ...seen } = model.observation();
    if (!cluster) throw new Error('the model has no cluster');
    const patienceOf = (pods: typeof seen.pods, timeout: number) =>
      save({ ...seen, cluster, pods, restore: { ...restore, timeout } }, cluster)?.steps[0]?.step;
    const started = seen.pods.map((pod) => ({ ...pod, running: true }));
    expect(patienceOf(started, 3_600_000)).toMatchObject({ do: 'save', patience: 120_000 });
    expect(patienceOf(started, 120_000)).toMatchObject({ do: 'save', patience: 60_000 });
    // Those that stop are not waited for: only the others are asked.
    const [one, ...others] = started;
    const left = [{ ...one, startedBy: '' }, ...others.map((pod) => ({ ...pod, terminating: true }))];
    expect(patienceOf(left as typeof started, 3_600_000)).toMatchObject({ do: 'save', patience: 15_000 });
  });

  test('whose members are all stopped starts them on their volumes, saves what they hold, and stops them', () => {
    const model = run(new RestoreModel({ left: 'volumes' }));
    expect(model.safety).toMatchObject({ kind: 'kept' });
    expect(finalState(model)).toMatchObject({ phase: 'Succeeded', volumes: [1, 1, 1, 2], wrongs: [] });
    expect(model.pods).toHaveLength(1);
  });

  test('starts no stopped member beside one that runs, to which clients may hold connections', () => {
    const model = run(new RestoreModel({ left: 'one pod and volumes', policy: 'IfPossible' }));
    expect(model.safety).toMatchObject({ kind: 'kept', isCurrent: false });
    expect(finalState(model)).toMatchObject({ phase: 'Succeeded', volumes: [1, 1, 1, 2], wrongs: [] });
    // The stopped members may have newer data.
    const required = run(new RestoreModel({ left: 'one pod and volumes' }));
    expect(required.status?.reason).toContain('pvc/b, pvc/d hold data');
    expect(finalState(run(new RestoreModel({ left: 'one pod and volumes', operatorIsCutOff: true })))).toMatchObject({
      phase: 'Failed',
      incarnation: 1,
      pods: [{ name: 'a', incarnation: 1, isolated: false }],
      wrongs: [],
    });
  });
});
