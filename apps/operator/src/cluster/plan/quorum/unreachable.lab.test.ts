// SPDX-License-Identifier: Apache-2.0
import { systemClock } from '@operator-parts/ports';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { memberIds } from '../../../testing/lose-one-pod.ts';
import { OperatorLab } from '../../../testing/operator-lab.ts';

let ground: OperatorLab;

const clusters = ['follower', 'leader', 'nobody'];

beforeAll(async () => {
  ground = await OperatorLab.start();
  for (const name of clusters) await ground.create(name, { size: 3, pod: { replaceAfter: '5s' } });
  await Promise.all(clusters.map((name) => ground.settled(name)));
});

afterAll(() => ground?.[Symbol.asyncDispose]());

const conditions = async (cluster: string) => (await ground.get(cluster)).status?.conditions ?? [];
const available = async (cluster: string) => (await conditions(cluster)).find(({ type }) => type === 'Available');
const waits = async (cluster: string) => (await ground.get(cluster)).status?.plan?.waitingFor?.join('; ') ?? '';
const words = async (cluster: string) => JSON.stringify((await ground.get(cluster)).status);
const uids = async (cluster: string) => (await ground.pods(cluster)).map(({ metadata }) => metadata?.uid ?? '').sort();

async function memberOf(cluster: string, wanted: 'Leader' | 'Follower') {
  const found = (await ground.get(cluster)).status?.memberDetails?.find(({ role }) => role === wanted);
  return { name: found?.name ?? '', id: found?.id ?? '' };
}

async function addressOf(cluster: string, name: string): Promise<string> {
  const pod = (await ground.pods(cluster)).find(({ metadata }) => metadata?.name === name);
  return pod?.status?.podIP ?? '';
}

async function areAllReady(cluster: string): Promise<boolean> {
  const pods = await ground.pods(cluster);
  return pods.every(({ status }) =>
    status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True'),
  );
}

/** Hides one voter from the operator for 30 s and watches; then the voter is reachable again. Resolves with the member count. */
async function hideForHalfAMinute(cluster: string, role: 'Leader' | 'Follower'): Promise<number> {
  await ground.until('all Ready', async () => ((await areAllReady(cluster)) ? true : undefined));
  const { name: victim } = await memberOf(cluster, role);
  const before = { ids: await memberIds(ground, cluster), uids: await uids(cluster) };
  const address = await addressOf(cluster, victim);
  ground.paths.hide(address);
  await ground.until(
    'told',
    async () => {
      const told = await waits(cluster);
      return told.includes(`${victim} is not reachable from the operator`) && told.includes('its pod is Ready')
        ? true
        : undefined;
    },
    undefined,
    () => words(cluster),
  );
  for (const end = systemClock.monotonic() + 30_000; systemClock.monotonic() < end; await systemClock.sleep(500)) {
    expect(await areAllReady(cluster)).toBe(true);
    expect(await memberIds(ground, cluster)).toEqual(before.ids);
    expect((await available(cluster))?.status).toBe('True');
  }
  expect(await waits(cluster)).toMatch(
    new RegExp(
      `${victim} is not reachable from the operator .*\\. The member is not replaced, because its pod is Ready`,
    ),
  );
  ground.paths.show(address);
  await ground.settled(cluster);
  expect(await memberIds(ground, cluster)).toEqual(before.ids);
  expect(await uids(cluster)).toEqual(before.uids);
  using member = await ground.member(cluster);
  const { members } = await member.cluster.memberList();
  return members.length;
}

describe('only the operator cannot reach members', () => {
  test.concurrent('a Ready voter that only the operator cannot reach is not replaced, and status says who cannot reach whom', async () => {
    expect(await hideForHalfAMinute('follower', 'Follower')).toBe(3);
  });

  test.concurrent('a Ready leader that only the operator cannot reach is not replaced, and status says who cannot reach whom', async () => {
    expect(await hideForHalfAMinute('leader', 'Leader')).toBe(3);
  });

  test.concurrent('while a quorum of pods is Ready, status says Unreachable, never QuorumLost, and advises no restore', async () => {
    await ground.until('all Ready', async () => ((await areAllReady('nobody')) ? true : undefined));
    const before = { ids: await memberIds(ground, 'nobody'), uids: await uids('nobody') };
    const addresses = (await ground.pods('nobody')).map(({ status }) => status?.podIP ?? '');
    // If one member answers, the operator knows that clients are served; if none answers, it does not.
    ground.paths.hide(...addresses.slice(1));
    await ground.until(
      'told of two',
      async () => {
        const found = await available('nobody');
        expect(found?.reason).not.toBe('QuorumLost');
        return found?.reason === 'Unreachable' && found.status === 'True' ? true : undefined;
      },
      undefined,
      () => words('nobody'),
    );
    ground.paths.hide(...addresses);
    await ground.until(
      'told',
      async () => ((await available('nobody'))?.status === 'Unknown' ? true : undefined),
      undefined,
      () => words('nobody'),
    );
    for (const end = systemClock.monotonic() + 10_000; systemClock.monotonic() < end; await systemClock.sleep(200)) {
      expect(await available('nobody')).toMatchObject({ status: 'Unknown', reason: 'Unreachable' });
      const all = await words('nobody');
      expect(all).not.toContain('QuorumLost');
      expect(all.replaceAll('Do not restore a backup', '')).not.toMatch(/restore/i);
    }
    const told = (await available('nobody'))?.message ?? '';
    for (const { metadata } of await ground.pods('nobody')) expect(told).toContain(`pod/${metadata?.name}`);
    ground.paths.show(...addresses);
    await ground.settled('nobody');
    expect(await memberIds(ground, 'nobody')).toEqual(before.ids);
    expect(await uids('nobody')).toEqual(before.uids);
    // Now the members really stop, and the status must report a lost quorum.
    const faults = await Promise.all(
      (await ground.pods('nobody')).map(({ metadata }) =>
        ground.lab.faults.pod.freeze({ namespace: 'default', name: metadata?.name ?? '' }),
      ),
    );
    await ground.until(
      'told that quorum is lost',
      async () => ((await available('nobody'))?.reason === 'QuorumLost' ? true : undefined),
      undefined,
      () => words('nobody'),
    );
    await Promise.all(faults.map((fault) => fault.heal()));
    await ground.settled('nobody');
    expect(await memberIds(ground, 'nobody')).toEqual(before.ids);
  });
});

describe('members that are really dead', () => {
  test.concurrent.for([
    ['follower', 'Follower'],
    ['leader', 'Leader'],
  ] as const)(
    'a %s whose process stands still, with all its connections open, is replaced after spec.pod.replaceAfter',
    async ([cluster, role]) => {
      await ground.put(cluster, 'a', '1');
      const victim = await memberOf(cluster, role);
      const start = systemClock.monotonic();
      const frozen = await ground.lab.faults.pod.freeze({ namespace: 'default', name: victim.name });
      await ground.until(
        'replaced',
        async () => ((await memberIds(ground, cluster)).includes(victim.id) ? undefined : true),
        60_000,
        () => words(cluster),
      );
      const took = systemClock.monotonic() - start;
      // Its readiness takes some seconds to fail: three probes in a row.
      expect(took).toBeGreaterThan(5_000);
      expect(took).toBeLessThan(40_000);
      await frozen.heal().catch(() => undefined);
      await ground.settled(cluster);
      expect(await memberIds(ground, cluster)).toHaveLength(3);
      expect(await ground.read(cluster, 'a')).toBe('1');
    },
  );
});
