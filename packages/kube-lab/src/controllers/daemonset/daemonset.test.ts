// SPDX-License-Identifier: Apache-2.0
import { controllerRevisions, type DaemonSet, daemonSets, nodes, pods } from '@operator-parts/kube';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { ControllerWorld, podSpec } from '../testing/controller-world.ts';

let world: ControllerWorld;

beforeEach(async () => {
  world = await ControllerWorld.open();
  onTestFinished(() => world[Symbol.asyncDispose]());
});

function daemonSet(change: Partial<NonNullable<DaemonSet['spec']>> = {}, spec = podSpec()): DaemonSet {
  const labels = { app: 'x' };
  const template = { metadata: { labels }, spec };
  return { metadata: { name: 'd' }, spec: { selector: { matchLabels: labels }, template, ...change } };
}

const image = (tag: number) => ({
  spec: { template: { spec: { containers: [{ name: 'main', image: `image:${tag}` }] } } },
});

const isComplete = async () => {
  const { status, metadata } = await world.get(daemonSets, 'd');
  const wanted = status?.desiredNumberScheduled ?? 0;
  return (
    status?.observedGeneration === metadata?.generation &&
    (status?.updatedNumberScheduled ?? 0) === wanted &&
    (status?.numberAvailable ?? 0) === wanted &&
    world.server.feed.list(pods).length === wanted
  );
};

const placed = () =>
  world.server.feed
    .list(pods)
    .map(({ spec }) => spec?.nodeName ?? '')
    .toSorted();

const taint = (effect: string) => ({ spec: { taints: [{ key: 'k', value: 'v', effect }] } });

describe('a daemon set', () => {
  test('has a pod on every node, also on one that comes later or is cordoned', async () => {
    await world.patch(nodes, 'b', { spec: { unschedulable: true } });
    await world.create(daemonSets, daemonSet());
    await world.until(async () => placed().length === 3 && (await isComplete()));
    expect(placed()).toEqual(['a', 'b', 'c']);
    await world.addNode('d');
    await world.until(async () => placed().includes('d') && (await isComplete()));
    const { status } = await world.get(daemonSets, 'd');
    expect(status).toEqual({
      currentNumberScheduled: 4,
      numberMisscheduled: 0,
      desiredNumberScheduled: 4,
      numberReady: 4,
      observedGeneration: 1,
      updatedNumberScheduled: 4,
      numberAvailable: 4,
    });
  });

  test('goes only where its selector and its tolerations lead', async () => {
    await world.patch(nodes, 'a', { metadata: { labels: { disk: 'fast' } } });
    await world.patch(nodes, 'b', { metadata: { labels: { disk: 'fast' } }, ...taint('NoSchedule') });
    await world.create(daemonSets, daemonSet({}, podSpec({ nodeSelector: { disk: 'fast' } })));
    await world.until(async () => placed().length === 1 && (await isComplete()));
    expect(placed()).toEqual(['a']);
    const tolerations = [{ key: 'k', operator: 'Exists' }];
    await world.patch(daemonSets, 'd', { spec: { template: { spec: { tolerations } } } });
    await world.until(async () => placed().length === 2 && (await isComplete()));
    expect(placed()).toEqual(['a', 'b']);
  });

  test('leaves a node that no longer fits, and stays on one that only takes no more', async () => {
    await world.create(daemonSets, daemonSet());
    await world.until(async () => placed().length === 3 && (await isComplete()));
    await world.patch(nodes, 'a', taint('NoSchedule'));
    await world.rest();
    expect(placed()).toEqual(['a', 'b', 'c']);
    expect((await world.get(daemonSets, 'd')).status).toMatchObject({
      desiredNumberScheduled: 2,
      numberMisscheduled: 1,
    });
    await world.patch(nodes, 'b', taint('NoExecute'));
    await world.until(() => placed().length === 2);
    expect(placed()).toEqual(['a', 'c']);
  });

  test('replaces a pod that is deleted, and removes a second one on a node', async () => {
    await world.create(daemonSets, daemonSet());
    await world.until(async () => placed().length === 3 && (await isComplete()));
    const [first = ''] = await world.podNames();
    await world.client.resource(pods).delete({ namespace: 'default', name: first });
    await world.until(async () => placed().length === 3 && !(await world.podNames()).includes(first));
    await world.create(pods, { metadata: { name: 'stray', labels: { app: 'x' } }, spec: podSpec({ nodeName: 'a' }) });
    await world.until(async () => !(await world.podNames()).includes('stray'));
    await world.until(isComplete);
    expect(placed()).toEqual(['a', 'b', 'c']);
  });

  test('rolls a new template out with one node down at a time, and keeps both templates', async () => {
    await world.create(daemonSets, daemonSet());
    await world.until(async () => placed().length === 3 && (await isComplete()));
    const counts: number[] = [];
    onTestFinished(
      world.server.feed.subscribe(pods, () => {
        counts.push(world.server.feed.list(pods).filter(({ metadata }) => !metadata?.deletionTimestamp).length);
      }),
    );
    await world.patch(daemonSets, 'd', image(2));
    await world.until(async () => (await isComplete()) && placed().length === 3);
    const images = world.server.feed.list(pods).map(({ spec }) => spec?.containers[0]?.image);
    expect(images).toEqual(['image:2', 'image:2', 'image:2']);
    expect(Math.min(...counts)).toBe(2);
    const revisions = (await world.list(controllerRevisions)).map(({ revision }) => revision);
    expect(new Set(revisions)).toEqual(new Set([1, 2]));
  });

  test('with a surge has the new pod of a node ready before the old one goes', async () => {
    const rollingUpdate = { maxSurge: 1, maxUnavailable: 0 };
    await world.create(daemonSets, daemonSet({ updateStrategy: { type: 'RollingUpdate', rollingUpdate } }));
    await world.until(async () => placed().length === 3 && (await isComplete()));
    const counts: number[] = [];
    onTestFinished(
      world.server.feed.subscribe(pods, () => {
        counts.push(world.server.feed.list(pods).filter(({ metadata }) => !metadata?.deletionTimestamp).length);
      }),
    );
    await world.patch(daemonSets, 'd', image(2));
    await world.until(async () => (await isComplete()) && placed().length === 3);
    expect([Math.min(...counts), Math.max(...counts)]).toEqual([3, 4]);
  });

  test('with OnDelete update waits until its pods are deleted', async () => {
    await world.create(daemonSets, daemonSet({ updateStrategy: { type: 'OnDelete' } }));
    await world.until(async () => placed().length === 3 && (await isComplete()));
    const before = await world.podNames();
    await world.patch(daemonSets, 'd', image(2));
    await world.rest();
    expect(await world.podNames()).toEqual(before);
    expect((await world.get(daemonSets, 'd')).status?.updatedNumberScheduled).toBeUndefined();
  });

  test('takes its pods along when it is deleted', async () => {
    await world.create(daemonSets, daemonSet());
    await world.until(async () => placed().length === 3 && (await isComplete()));
    await world.client.resource(daemonSets).delete({ namespace: 'default', name: 'd' });
    await world.until(() => placed().length === 0);
    await world.rest();
    expect(placed()).toEqual([]);
  });
});
