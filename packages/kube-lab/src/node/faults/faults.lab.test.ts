// SPDX-License-Identifier: Apache-2.0

import { ensurePart } from '@etcd-operator/tools';
import { type Pod, pods } from '@operator-parts/kube';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { etcdImages } from '../../images/etcd-images.ts';
import { createImageTable } from '../../images/image-table.ts';
import { type Lab, startLab } from '../../lab.ts';
import { canWrite, createEtcd } from '../testing/etcd-pods.ts';

let lab: Lab;
const members = ['etcd-0', 'etcd-1', 'etcd-2'];
const key = (name: string) => ({ namespace: 'default', name });
const pod = (name: string): Promise<Pod> => lab.client().resource(pods).get(key(name));
const soon = { timeout: 60_000, interval: 100 };

beforeAll(async () => {
  lab = await startLab({
    nodes: 3,
    timeFactor: 20,
    images: createImageTable([etcdImages([await ensurePart('etcd@3.6')])]),
  });
  await createEtcd(
    lab.client(),
    members,
    lab.nodes.map(({ name }) => name),
  );
});

afterAll(() => lab?.stop());

async function healthy(): Promise<void> {
  for (const name of members) await expect.poll(() => canWrite(lab, name), soon).toBe(true);
}

test('a minority that is cut off has no leader, and has one again when it is healed', async () => {
  await healthy();
  const fault = await lab.faults.network.isolate({ pod: key('etcd-2') });
  await expect.poll(() => canWrite(lab, 'etcd-2'), soon).toBe(false);
  await expect.poll(() => canWrite(lab, 'etcd-0'), soon).toBe(true);
  await fault.heal();
  await healthy();
});

test('a node that is cut off from the others keeps its kubelet', async () => {
  await using _fault = await lab.faults.network.partition(
    [{ node: 'node-1' }],
    [{ node: 'node-2' }, { node: 'node-3' }],
  );
  await expect.poll(() => canWrite(lab, 'etcd-0'), soon).toBe(false);
  await expect.poll(() => canWrite(lab, 'etcd-1'), soon).toBe(true);
  const ready = async () => (await pod('etcd-0')).status?.containerStatuses?.[0]?.ready;
  await expect.poll(ready, soon).toBe(false);
});

test('a cut in one direction is enough to lose a follower or a leader', async () => {
  await healthy();
  const fault = await lab.faults.network.cut({ pod: key('etcd-1') }, { pod: key('etcd-0') }, { oneWay: true });
  const other = await lab.faults.network.cut({ pod: key('etcd-1') }, { pod: key('etcd-2') }, { oneWay: true });
  await expect.poll(() => canWrite(lab, 'etcd-1'), soon).toBe(false);
  await other.heal();
  await fault.heal();
  await healthy();
});

test('a frozen pod answers nothing and goes on when it is thawed', async () => {
  const fault = await lab.faults.pod.freeze(key('etcd-0'));
  expect(await canWrite(lab, 'etcd-0')).toBe(false);
  await expect.poll(() => canWrite(lab, 'etcd-1'), soon).toBe(true);
  await fault.heal();
  await healthy();
  expect((await pod('etcd-0')).status?.containerStatuses?.[0]?.restartCount).toBe(0);
});

test('a member that runs out of memory is OOMKilled and restarted', async () => {
  await lab.faults.pod.outOfMemory(key('etcd-1'));
  await expect.poll(async () => (await pod('etcd-1')).status?.containerStatuses?.[0]?.restartCount, soon).toBe(1);
  const { lastState } = (await pod('etcd-1')).status?.containerStatuses?.[0] ?? {};
  expect(lastState?.terminated).toMatchObject({ exitCode: 137, reason: 'OOMKilled' });
  await healthy();
});

test('a node that reboots restarts its pods, with another address and the same data', async () => {
  const before = await pod('etcd-2');
  await lab.faults.node.reboot('node-3');
  await expect.poll(async () => (await pod('etcd-2')).status?.containerStatuses?.[0]?.restartCount, soon).toBe(1);
  await healthy();
  const after = await pod('etcd-2');
  expect(after.metadata?.uid).toBe(before.metadata?.uid);
  expect(after.status?.podIP).not.toBe(before.status?.podIP);
  expect(after.status?.containerStatuses?.[0]?.lastState?.terminated).toMatchObject({
    exitCode: 255,
    reason: 'Unknown',
  });
});

test('a disk that is blanked makes a member that cannot come back', async () => {
  await lab.faults.disk.blank(key('etcd-0'), 'data');
  await lab.faults.pod.signal(key('etcd-0'), 'SIGKILL');
  await expect
    .poll(async () => (await pod('etcd-0')).status?.containerStatuses?.[0]?.restartCount, soon)
    .toBeGreaterThan(0);
  await expect.poll(() => canWrite(lab, 'etcd-2'), soon).toBe(true);
  expect(await lab.faults.disk.corrupt(key('etcd-1'), 'data', 'member/snap/db')).toEqual(['data/member/snap/db']);
});

test('a kubelet that is cut off writes nothing until it is back', async () => {
  const fault = lab.faults.node.disconnectKubelet('node-3');
  await lab.faults.pod.signal(key('etcd-2'), 'SIGKILL');
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect((await pod('etcd-2')).status?.containerStatuses?.[0]?.restartCount).toBe(1);
  await fault.heal();
  await expect.poll(async () => (await pod('etcd-2')).status?.containerStatuses?.[0]?.restartCount, soon).toBe(2);
});

test('a node that is lost takes its processes along', async () => {
  await lab.faults.node.lose('node-2');
  expect(await canWrite(lab, 'etcd-1')).toBe(false);
  expect((await pod('etcd-1')).status?.phase).toBe('Running');
});
