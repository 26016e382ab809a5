// SPDX-License-Identifier: Apache-2.0
import { events, type Pod } from '@operator-parts/kube';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { annotations } from '../../../api/names.ts';
import { OperatorLab } from '../../../testing/operator-lab.ts';

let ground: OperatorLab;

beforeAll(async () => {
  ground = await OperatorLab.start();
});

afterAll(() => ground?.[Symbol.asyncDispose]());

const uids = (pods: readonly Pod[]) => pods.map(({ metadata }) => metadata?.uid ?? '').sort();
const memberIds = async (cluster: string) =>
  (await ground.get(cluster)).status?.memberDetails?.map(({ id }) => id ?? '').sort() ?? [];

describe('the operator is restarted', () => {
  test('[51] it goes on, and recreates no pod', async () => {
    await ground.create('kept', { size: 3, pod: { ClusterDomain: '.cluster.local' } });
    await ground.settled('kept');
    const before = await ground.pods('kept');
    await ground.stopOperator();
    ground.startOperator();
    // Only a working operator changes this label, so the label shows that it has reconciled.
    await ground.change('kept', { pod: { ClusterDomain: '.cluster.local', labels: { seen: 'yes' } } });
    await ground.until(
      'label',
      async () =>
        (await ground.pods('kept')).every(({ metadata }) => metadata?.labels?.['seen'] === 'yes') || undefined,
    );
    const after = await ground.settled('kept');
    expect(uids(await ground.pods('kept'))).toEqual(uids(before));
    expect(after.status?.phase).toBe('Running');
  });

  test('[51] a member that is lost meanwhile waits for it, and is replaced then (C-33)', async () => {
    await ground.put('kept', 'a', '1');
    const before = await memberIds('kept');
    await ground.stopOperator();
    const [victim] = await ground.pods('kept');
    await ground.deletePod(victim?.metadata?.name ?? '', 0);
    await ground.until('two pods', async () => ((await ground.pods('kept')).length === 2 ? true : undefined));
    ground.startOperator();
    await ground.until('another member', async () =>
      (await memberIds('kept')).join() === before.join() ? undefined : true,
    );
    await ground.settled('kept');
    expect(await ground.read('kept', 'a')).toBe('1');
  });

  test('[40] the cluster domain is kept: what joins later is told the names that etcd knows', async () => {
    await ground.stopOperator();
    ground.startOperator();
    await ground.change('kept', { size: 4 });
    await ground.settled('kept');
    using member = await ground.member('kept');
    const { members } = await member.cluster.memberList();
    for (const { peerUrls } of members) {
      expect(peerUrls.join()).toMatch(/^http:\/\/kept-[^.]+\.kept\.default\.svc\.cluster\.local:2380$/);
    }
    const pods = await ground.pods('kept');
    for (const { spec } of pods) expect(spec?.containers[0]?.command?.join()).toContain('.svc.cluster.local:2380');
    expect(pods.map(({ metadata }) => metadata?.annotations?.[annotations.clusterId]).every(Boolean)).toBe(true);
  });

  test("[71] what was done is told by events on the object, in CoreOS's words", async () => {
    const recorded = await ground.until('events', async () => {
      const { items } = await ground.lab.client().resource(events).list({ namespace: 'default' });
      const ours = items.filter(({ involvedObject }) => involvedObject.name === 'kept');
      const reasons = new Set(ours.map(({ reason }) => reason));
      return ['New Member Added', 'Replacing Dead Member', 'Member Removed'].every((reason) => reasons.has(reason))
        ? ours
        : undefined;
    });
    const { metadata } = await ground.get('kept');
    for (const { involvedObject } of recorded) {
      expect(involvedObject).toMatchObject({ kind: 'EtcdCluster', namespace: 'default', uid: metadata?.uid });
    }
    const added = recorded.find(({ reason }) => reason === 'New Member Added');
    expect(added?.message).toMatch(/^New member kept-[a-z0-9]{10} added to cluster$/);
  });
});

describe('a member without a leader', () => {
  test('[37] is not ready, and its process is left alone', async () => {
    await ground.create('lonely', { size: 3 });
    await ground.settled('lonely');
    const [first, second, third] = await ground.pods('lonely');
    await ground.change('lonely', { paused: true });
    for (const pod of [first, second]) await ground.deletePod(pod?.metadata?.name ?? '', 0);
    const survivor = await ground.until('not ready', async () => {
      const pod = (await ground.pods('lonely')).find(({ metadata }) => metadata?.uid === third?.metadata?.uid);
      const ready = pod?.status?.conditions?.find(({ type }) => type === 'Ready');
      return ready?.status === 'False' ? pod : undefined;
    });
    expect(survivor.status?.phase).toBe('Running');
    expect(survivor.status?.containerStatuses?.[0]?.restartCount).toBe(0);
  });
});
