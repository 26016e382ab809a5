// SPDX-License-Identifier: Apache-2.0
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { persistentVolumeClaims } from '@operator-parts/kube';
import { systemClock } from '@operator-parts/ports';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OperatorLab } from '../../testing/operator-lab.ts';
import { listedMembers } from './testing/listed-members.ts';

let ground: OperatorLab;

beforeAll(async () => {
  ground = await OperatorLab.start({ nodes: 4, versions: ['3.6', '3.7'] });
});

afterAll(() => ground?.[Symbol.asyncDispose]());

const persistentVolumeClaimSpec = {
  accessModes: ['ReadWriteOnce'],
  resources: { requests: { storage: '128Mi' } },
} as const;
const key = (name: string | undefined) => ({ namespace: 'default', name: name ?? '' });
const words = async (cluster: string) => JSON.stringify((await ground.get(cluster)).status);
const follower = async (cluster: string) => {
  const found = (await ground.get(cluster)).status?.memberDetails?.find(({ role }) => role === 'Follower');
  return { name: found?.name ?? '', id: found?.id ?? '' };
};

/** Waits until this member is no longer listed and the cluster is healthy, with three voters again. */
async function isReplaced(cluster: string, id: string): Promise<void> {
  await ground.until(
    'replaced',
    async () => ((await listedMembers(ground, cluster)).ids.includes(id) ? undefined : true),
    undefined,
    () => words(cluster),
  );
  await ground.settled(cluster);
  expect((await listedMembers(ground, cluster)).voters).toHaveLength(3);
}

describe('volumes', () => {
  test('fault 27: pod and volume of a member are deleted: a fresh one takes its place', async () => {
    await ground.create('stored', { size: 3, pod: { replaceAfter: '5s', persistentVolumeClaimSpec } });
    await ground.settled('stored');
    await ground.put('stored', 'a', '1');
    const { name, id } = await follower('stored');
    await ground.lab.client().resource(persistentVolumeClaims).delete(key(name));
    await ground.deletePod(name, 0);
    await isReplaced('stored', id);
    expect(await ground.read('stored', 'a')).toBe('1');
  });

  test('fault 28: a member finds the volume of another cluster: it is replaced, and no data of the other is served', async () => {
    await ground.create('other', { size: 1, pod: { persistentVolumeClaimSpec } });
    await ground.settled('other');
    await ground.put('other', 'a', '2');
    const { name, id } = await follower('stored');
    const [theirs] = await ground.pods('other');
    const its = key(theirs?.metadata?.name);
    // The peers must not hear the process that runs on the member's volume: while they hear it, the member is not replaced.
    const cut = await ground.lab.faults.network.isolate({ pod: its });
    await ground.lab.faults.disk.swap(key(name), its, 'etcd-data');
    for (const pod of [its, key(name)]) await ground.lab.faults.pod.signal(pod, 'SIGKILL', 'etcd');
    await isReplaced('stored', id);
    expect(await ground.read('stored', 'a')).toBe('1');
    await cut.heal();
    await ground.delete('other');
  });

  test('fault 29: a member whose database is damaged is replaced, and one that was killed for lack of memory is not', async () => {
    await ground.create('tight', { size: 3, pod: { replaceAfter: '5s', persistentVolumeClaimSpec } });
    await ground.settled('tight');
    const kept = await follower('tight');
    await ground.lab.faults.pod.outOfMemory(key(kept.name), 'etcd');
    const { name, id } = await follower('stored');
    const frozen = await ground.lab.faults.pod.freeze(key(name));
    const file = join(ground.lab.faults.disk.path(key(name), 'etcd-data'), 'data/member/snap/db');
    await writeFile(file, Buffer.alloc(65_536, 'x'));
    await ground.lab.faults.pod.signal(key(name), 'SIGKILL', 'etcd');
    await frozen.heal();
    await isReplaced('stored', id);
    expect(await ground.read('stored', 'a')).toBe('1');
    await ground.settled('tight');
    expect((await listedMembers(ground, 'tight')).ids).toContain(kept.id);
  });
});

describe('nodes', () => {
  test('fault 33: a pod is deleted by force while its node hears nothing, and its process goes on: it stays a member until it ends, and goes before another joins', async () => {
    await ground.create('ghost', { size: 3, pod: { antiAffinity: true, replaceAfter: '5s' } });
    await ground.settled('ghost');
    await ground.put('ghost', 'a', '1');
    const before = await listedMembers(ground, 'ghost');
    const { name, id } = await follower('ghost');
    const pod = (await ground.pods('ghost')).find(({ metadata }) => metadata?.name === name);
    const disconnected = ground.lab.faults.node.disconnectKubelet(pod?.spec?.nodeName ?? '');
    const first = ground.log.length;
    await ground.deletePod(name, 0);
    // Its peers still hear it: a replacement now would be one voter too many.
    for (const end = systemClock.monotonic() + 8_000; systemClock.monotonic() < end; await systemClock.sleep(500)) {
      expect(await listedMembers(ground, 'ghost')).toEqual(before);
    }
    await disconnected.heal();
    await ground.until(
      'removed',
      async () => ((await listedMembers(ground, 'ghost')).ids.includes(id) ? undefined : true),
      undefined,
      () => words('ghost'),
    );
    await ground.settled('ghost');
    const steps = ground.log
      .slice(first)
      .flatMap(({ message, fields }) => (message === 'step' ? [String(fields['do'])] : []))
      .filter((step) => step === 'removeMember' || step === 'joinMember');
    // etcd may refuse the removal for some seconds after the member has ended.
    expect([...new Set(steps)]).toEqual(['removeMember', 'joinMember']);
    const { ids, voters } = await listedMembers(ground, 'ghost');
    expect(ids).not.toContain(id);
    expect(voters).toHaveLength(3);
    expect(await ground.read('ghost', 'a')).toBe('1');
  });

  test('fault 35: an upgrade waits while the node of another voter is cordoned', async () => {
    // Only an operator with cluster-wide permissions may read nodes.
    await ground.stopOperator();
    ground.startOperator({ clusterWide: true });
    const { metadata } = await ground.get('ghost');
    expect(metadata?.name).toBe('ghost');
    const [pod] = await ground.pods('ghost');
    const cordon = await ground.lab.faults.node.cordon(pod?.spec?.nodeName ?? '');
    await ground.change('ghost', { version: '3.7.3' });
    await ground.until(
      'told',
      async () => (/cordoned|unschedulable/i.test(await words('ghost')) ? true : undefined),
      undefined,
      () => words('ghost'),
    );
    await systemClock.sleep(3_000);
    const versions = async () => (await ground.get('ghost')).status?.memberDetails?.map(({ version }) => version);
    expect((await versions())?.filter((version) => version === '3.7.3').length).toBeLessThanOrEqual(1);
    expect(await versions()).toContain('3.6.16');
    await cordon.heal();
    await ground.settled('ghost');
    expect(await versions()).toEqual(['3.7.3', '3.7.3', '3.7.3']);
  });
});
