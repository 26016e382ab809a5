// SPDX-License-Identifier: Apache-2.0
import { parseId } from '@operator-parts/etcd';
import { isKubeError, podDisruptionBudgets, pods } from '@operator-parts/kube';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { annotations, clearedInitialCluster, labels } from '../../../api/names.ts';
import { OperatorLab } from '../../../testing/operator-lab.ts';

let ground: OperatorLab;

beforeAll(async () => {
  ground = await OperatorLab.start();
  await ground.create('edited', { size: 3 });
  await ground.settled('edited');
});

afterAll(() => ground?.[Symbol.asyncDispose]());

const podsOfLab = () => ground.lab.client().resource(pods);
const details = async () => (await ground.get('edited')).status?.memberDetails ?? [];
const firstPod = async () => (await ground.pods('edited'))[0]?.metadata?.name ?? '';
const read = (name: string) => podsOfLab().get({ namespace: 'default', name });
const patch = (name: string, metadata: object) =>
  podsOfLab().patch({ namespace: 'default', name }, { type: 'merge', patch: { metadata } });

describe('what people edit', () => {
  test('operator rule 28: a voter that is given its bootstrap configuration by hand loses it again', async () => {
    const name = await firstPod();
    await patch(name, { annotations: { [annotations.initialCluster]: `${name}=http://${name}:2380` } });
    await ground.until('cleared', async () => {
      const found = (await read(name)).metadata?.annotations?.[annotations.initialCluster];
      return found === clearedInitialCluster ? true : undefined;
    });
    expect((await read(name)).metadata?.annotations?.[annotations.initialClusterState]).toBe('existing');
  });

  test('operator rule 16: the mark of a voter and the disruption budget come back', async () => {
    const name = await firstPod();
    await patch(name, { labels: { [labels.voter]: null } });
    const budgets = ground.lab.client().resource(podDisruptionBudgets);
    await budgets.delete({ namespace: 'default', name: 'edited' });
    const minAvailable = await ground.until('both back', async () => {
      const isMarked = (await read(name)).metadata?.labels?.[labels.voter] === 'true';
      const budget = await budgets.get({ namespace: 'default', name: 'edited' }).catch((error: unknown) => {
        if (isKubeError(error, 'NotFound')) return undefined;
        throw error;
      });
      return isMarked ? budget?.spec?.minAvailable : undefined;
    });
    expect(minAvailable).toBe(2);
  });

  test('fault 22: a member that is removed by hand is made good by a fresh one', async () => {
    // The victim must not be the member that is asked to remove it, because that one would stop before it answers.
    const asked = await firstPod();
    const victim = (await details()).find(({ role, name }) => role === 'Follower' && name !== asked);
    using member = await ground.member('edited');
    // etcd refuses removals for 5 s after members start.
    await ground.until('removed', () =>
      member.cluster.memberRemove(parseId(victim?.id ?? '') ?? 0n).then(
        () => true,
        () => undefined,
      ),
    );
    await ground.until('another member', async () => {
      const ids = (await details()).map(({ id }) => id);
      return ids.length === 3 && !ids.includes(victim?.id) ? true : undefined;
    });
    expect((await ground.settled('edited')).status?.readySize).toBe(3);
  });

  test('a member whose address is changed keeps its pod and its data, and gets its address back', async () => {
    using member = await ground.member('edited');
    const { members } = await member.cluster.memberList();
    const [moved] = members;
    const before = (await ground.pods('edited')).map(({ metadata }) => metadata?.uid ?? '').sort();
    await ground.until('moved', () =>
      member.cluster.memberUpdate(moved?.id ?? 0n, ['http://10.9.8.7:2380']).catch(() => undefined),
    );
    await ground.until('its own address', async () => {
      const list = await member.cluster.memberList().catch(() => undefined);
      const found = list?.members.find(({ id }) => id === moved?.id);
      return found?.peerUrls.join() === moved?.peerUrls.join() ? true : undefined;
    });
    expect((await ground.settled('edited')).status?.readySize).toBe(3);
    expect((await ground.pods('edited')).map(({ metadata }) => metadata?.uid ?? '').sort()).toEqual(before);
  });

  test('fault 22, operator rule 29: a member that a user adds is reported and left alone, and the others are managed', async () => {
    using member = await ground.member('edited');
    const { members } = await ground.until('accepted', () =>
      member.cluster.memberAdd({ peerUrls: ['http://unmanaged.example:2380'], isLearner: true }).catch(() => undefined),
    );
    const added = members.find(({ peerUrls }) => peerUrls.includes('http://unmanaged.example:2380'));
    await ground.until('reported', async () =>
      JSON.stringify((await ground.get('edited')).status).includes('unmanaged.example') ? true : undefined,
    );
    expect((await ground.get('edited')).status?.readySize).toBe(3);
    await member.cluster.memberRemove(added?.id ?? 0n);
    await ground.settled('edited');
  });

  test('safety rules 9 and 12: a budget of another owner under our name is left alone, is reported, and delays nothing else', async () => {
    const budget = { namespace: 'default', name: 'shared' };
    const selector = { matchLabels: { app: 'web' } };
    const budgets = ground.lab.client().resource(podDisruptionBudgets);
    const before = await budgets.create({ metadata: budget, spec: { maxUnavailable: 1, selector } });
    await ground.create('shared', { size: 3 });
    const ready = await ground.until('three members, and word of the budget', async () => {
      const { readySize, plan } = (await ground.get('shared')).status ?? {};
      const isTold = plan?.waitingFor?.join().includes('belongs to another owner');
      return readySize === 3 && isTold ? readySize : undefined;
    });
    expect(ready).toBe(3);
    expect((await budgets.get(budget)).spec).toEqual(before.spec);
  });
});
