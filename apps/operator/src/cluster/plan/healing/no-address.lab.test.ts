// SPDX-License-Identifier: Apache-2.0
import { metricsPort } from '@operator-parts/etcd';
import { type PersistentVolumeClaimSpec, type Pod, pods } from '@operator-parts/kube';
import { systemClock } from '@operator-parts/ports';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { memberIds } from '../../../testing/lose-one-pod.ts';
import { OperatorLab } from '../../../testing/operator-lab.ts';

let ground: OperatorLab;

const persistentVolumeClaimSpec: PersistentVolumeClaimSpec = {
  storageClassName: 'local',
  accessModes: ['ReadWriteOnce'],
  resources: { requests: { storage: '128Mi' } },
};

beforeAll(async () => {
  ground = await OperatorLab.start({ nodes: 4 });
  for (const name of ['waiting', 'ending'])
    await ground.create(name, { size: 3, pod: { replaceAfter: '5s', persistentVolumeClaimSpec } });
  await Promise.all(['waiting', 'ending'].map((name) => ground.settled(name)));
});

afterAll(() => ground?.[Symbol.asyncDispose]());

const words = async (cluster: string) => JSON.stringify((await ground.get(cluster)).status);
const named = async (cluster: string, name: string) =>
  (await ground.pods(cluster)).find(({ metadata }) => metadata?.name === name);

/** Deletes a member's pod while the node to which its volume is bound is cordoned, so that the next pod has no address. */
async function strand(cluster: string): Promise<{ readonly name: string; readonly pod: Pod }> {
  const victim = (await ground.get(cluster)).status?.memberDetails?.find(({ role }) => role === 'Follower');
  const name = victim?.name ?? '';
  const before = await named(cluster, name);
  await ground.lab.faults.node.cordon(before?.spec?.nodeName ?? '');
  await ground.deletePod(name, 0);
  const pod = await ground.until('a pod that finds no node', async () => {
    const found = await named(cluster, name);
    return found && found.metadata?.uid !== before?.metadata?.uid ? found : undefined;
  });
  return { name, pod };
}

async function replaced(cluster: string, before: readonly string[], milliseconds: number): Promise<number> {
  const start = systemClock.monotonic();
  await ground.until(
    'a member replaced',
    async () => {
      const ids = await memberIds(ground, cluster);
      return ids.length === 3 && ids.join() !== before.join() ? true : undefined;
    },
    milliseconds,
    () => words(cluster),
  );
  return systemClock.monotonic() - start;
}

describe('a voter whose pod has no address', () => {
  test.concurrent('is replaced after spec.pod.replaceAfter, and is not asked for four times a second meanwhile', async () => {
    const before = await memberIds(ground, 'waiting');
    const { pod } = await strand('waiting');
    expect(pod.status?.podIP).toBeUndefined();
    // The observation of a cluster in trouble reads the metrics of each answering member over a separate connection.
    const own = (await ground.pods('waiting')).map(({ status }) => `${status?.podIP}:${metricsPort}`);
    await systemClock.sleep(3_000);
    const first = ground.paths.dials.length;
    await systemClock.sleep(20_000);
    const looks = ground.paths.dials.slice(first).filter((target) => own.includes(target)).length / 2;
    expect(looks).toBeGreaterThan(0);
    expect(looks).toBeLessThan(20);
    await replaced('waiting', before, 40_000);
    await ground.settled('waiting');
    expect((await memberIds(ground, 'waiting')).filter((id) => before.includes(id))).toHaveLength(2);
  });

  test.concurrent('is replaced after spec.pod.replaceAfter, too, if that pod is Terminating and never had one', async () => {
    const before = await memberIds(ground, 'ending');
    const { name, pod } = await strand('ending');
    const own = ground.lab.client().resource(pods);
    const key = { namespace: 'default', name };
    await own.patch(key, { type: 'merge', patch: { metadata: { finalizers: ['example.com/stays'] } } });
    await ground.deletePod(name, 0);
    const stuck = await named('ending', name);
    expect(stuck?.metadata).toMatchObject({ uid: pod.metadata?.uid, deletionTimestamp: expect.any(String) });
    expect(stuck?.status?.podIP).toBeUndefined();
    const took = await replaced('ending', before, 40_000);
    expect(took).toBeGreaterThan(3_000);
    await own.patch(key, { type: 'merge', patch: { metadata: { finalizers: null } } });
    await ground.settled('ending');
    expect((await memberIds(ground, 'ending')).filter((id) => before.includes(id))).toHaveLength(2);
  });
});
