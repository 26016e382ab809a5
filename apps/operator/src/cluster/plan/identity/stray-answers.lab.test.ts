// SPDX-License-Identifier: Apache-2.0
import { formatId } from '@operator-parts/etcd';
import { systemClock } from '@operator-parts/ports';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { annotations } from '../../../api/names.ts';
import { memberIds } from '../../../testing/lose-one-pod.ts';
import { OperatorLab } from '../../../testing/operator-lab.ts';

let ground: OperatorLab;

const sizes = { one: 3, two: 3, alone: 1 } as const;
const clusters = ['one', 'two', 'alone'] as const;

beforeAll(async () => {
  ground = await OperatorLab.start();
  for (const name of clusters) await ground.create(name, { size: sizes[name], pod: { replaceAfter: '5s' } });
  await Promise.all(clusters.map((name) => ground.settled(name)));
});

afterAll(() => ground?.[Symbol.asyncDispose]());

const byText = (a: string, b: string) => a.localeCompare(b);
const words = async (cluster: string) => JSON.stringify((await ground.get(cluster)).status);

async function addressOf(cluster: string, role: 'Leader' | 'Follower'): Promise<string> {
  const name = (await ground.get(cluster)).status?.memberDetails?.find((member) => member.role === role)?.name;
  const pod = (await ground.pods(cluster)).find(({ metadata }) => metadata?.name === name);
  return pod?.status?.podIP ?? '';
}

/** Everything that identifies a cluster and its members. */
async function identities(cluster: string) {
  const { status, metadata } = await ground.get(cluster);
  const pods = await ground.pods(cluster);
  return {
    members: await memberIds(ground, cluster),
    clusterId: status?.clusterID,
    annotation: metadata?.annotations,
    pods: pods
      .map(({ metadata: pod }) => ({
        uid: pod?.uid ?? '',
        clusterId: pod?.annotations?.[annotations.clusterId] ?? '',
        memberId: pod?.annotations?.[annotations.memberId] ?? '',
      }))
      .sort((a, b) => byText(a.uid, b.uid)),
  };
}

/** What etcd itself reports, read without the operator. */
async function asked(cluster: string) {
  // While members elect a leader, on a busy machine, no member returns the list.
  const { members, header } = await ground.until('a list of members', async () => {
    using member = await ground.member(cluster);
    return await member.cluster.memberList().catch(() => undefined);
  });
  return { clusterId: formatId(header.clusterId), members: members.map(({ id }) => formatId(id)).toSorted(byText) };
}

async function staysAs(
  before: Awaited<ReturnType<typeof identities>>,
  cluster: string,
  milliseconds: number,
): Promise<void> {
  const really = await asked(cluster);
  for (
    const end = systemClock.monotonic() + milliseconds;
    systemClock.monotonic() < end;
    await systemClock.sleep(250)
  ) {
    expect(await asked(cluster)).toEqual(really);
    expect(await identities(cluster)).toEqual(before);
  }
}

/** Makes an address lead to another member for 10 s, which is longer than the operator waits for a member. */
async function leadAstray(cluster: string, address: string, other: string) {
  const before = await identities(cluster);
  ground.paths.lead(address, other);
  await ground.until(
    'noticed',
    async () => ((await ground.get(cluster)).status?.plan?.waitingFor?.length ? true : undefined),
    undefined,
    () => words(cluster),
  );
  await staysAs(before, cluster, 10_000);
  ground.paths.show(address);
  await ground.settled(cluster);
  return { before, after: await identities(cluster) };
}

describe('an address that leads to a member of another cluster for 10 s', () => {
  test.concurrent('of a voter: no member is removed, nothing is recorded, and the cluster is available when it is over', async () => {
    const { before, after } = await leadAstray(
      'one',
      await addressOf('one', 'Follower'),
      await addressOf('two', 'Follower'),
    );
    expect(after).toEqual(before);
  });

  test.concurrent('of the leader: no member is removed, nothing is recorded, and the cluster is available when it is over', async () => {
    const { before, after } = await leadAstray(
      'two',
      await addressOf('two', 'Leader'),
      await addressOf('one', 'Leader'),
    );
    expect(after).toEqual(before);
  });

  test.concurrent('of every member: no member is removed, nothing is recorded, and the cluster is available when it is over', async () => {
    const { before, after } = await leadAstray(
      'alone',
      await addressOf('alone', 'Leader'),
      await addressOf('one', 'Leader'),
    );
    expect(after).toEqual(before);
  });
});

describe('an address that leads to a member of another cluster while members come up', () => {
  /** Makes every new address lead to another member for 3 s from its first use. */
  async function leadNewcomersAstray(): Promise<void> {
    const known = [...new Set(ground.paths.dials.map((target) => target.split(':')[0] ?? ''))];
    const show = ground.paths.leadNewcomers(known, await addressOf('one', 'Leader'));
    const first = ground.paths.dials.length;
    await ground.until('a newcomer asked for', async () =>
      ground.paths.dials.slice(first).some((target) => !known.includes(target.split(':')[0] ?? '')) ? true : undefined,
    );
    await systemClock.sleep(3_000);
    show();
  }

  /** Everything that is recorded about the identity. */
  async function recorded(cluster: string) {
    await ground.settled(cluster);
    const { clusterId, members, pods } = await identities(cluster);
    const clusterIds = [...new Set([clusterId, ...pods.map((pod) => pod.clusterId)])];
    return { clusterIds, members, noted: pods.map(({ memberId }) => memberId).toSorted(byText) };
  }

  async function really(cluster: string) {
    const { clusterId, members } = await asked(cluster);
    return { clusterIds: [clusterId], members, noted: members };
  }

  test('the first member: the identity of its own cluster is recorded', async () => {
    const astray = leadNewcomersAstray();
    await ground.create('fresh', { size: 1 });
    await astray;
    expect(await recorded('fresh')).toEqual(await really('fresh'));
  });

  test('those who join: each is recorded as the member that it is', async () => {
    const astray = leadNewcomersAstray();
    await ground.change('fresh', { size: 3 });
    await astray;
    expect(await recorded('fresh')).toEqual(await really('fresh'));
  });
});
