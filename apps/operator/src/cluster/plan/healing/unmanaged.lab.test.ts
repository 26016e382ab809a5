// SPDX-License-Identifier: Apache-2.0
import type { Fault } from '@operator-parts/kube-lab';
import { systemClock } from '@operator-parts/ports';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OperatorLab } from '../../../testing/operator-lab.ts';
import { addUnmanagedLearner, type UnmanagedMember } from '../../../testing/unmanaged-member.ts';
import { startWriter, type Writer } from '../../../testing/writer.ts';

interface Watched {
  readonly unmanaged: UnmanagedMember;
  readonly writer: Writer;
  /** Voters that were listed before they had started, and so were part of the quorum without answering. */
  readonly unstartedVoters: Set<string>;
}

const versions = { '3.6': '3.6.16', '3.5': '3.5.35' } as const;
const cases = [
  { version: '3.6', cluster: 'new' },
  { version: '3.5', cluster: 'old' },
] as const;

let ground: OperatorLab;
let cordons: readonly Fault[];
const watched = new Map<string, Watched>();
const end = new AbortController();
/** Writes to an unchanged cluster, to measure how long writes take on this machine at this time. */
let calm: Writer | undefined;

beforeAll(async () => {
  ground = await OperatorLab.start({ nodes: 3, versions: ['3.6', '3.5'] });
  await ground.create('calm', { size: 1 });
  await ground.settled('calm');
  calm = await startWriter(ground, 'calm');
  await Promise.all(
    cases.flatMap(({ version, cluster }) => [
      prepare(`${cluster}-learner`, versions[version], false),
      prepare(`${cluster}-voter`, versions[version], true),
    ]),
  );
  cordons = await Promise.all(ground.lab.nodes.map(({ name }) => ground.lab.faults.node.cordon(name)));
});

afterAll(async () => {
  end.abort();
  await calm?.stop();
  await Promise.all([...watched.values()].map(({ writer }) => writer.stop()));
  await ground?.[Symbol.asyncDispose]();
});

/** A cluster of one with an unmanaged member beside it. The test writes to it and watches its members all the time. */
async function prepare(cluster: string, version: string, isVoter: boolean): Promise<void> {
  await ground.create(cluster, { size: 1, version });
  await ground.settled(cluster);
  const unmanaged = await addUnmanagedLearner(ground, cluster, `site-${cluster}`);
  if (isVoter) {
    using member = await ground.member(cluster);
    await ground.until('promoted', () =>
      member.cluster.memberPromote(unmanaged.id).then(
        () => true,
        () => undefined,
      ),
    );
  }
  const unstartedVoters = new Set<string>();
  watched.set(cluster, { unmanaged, writer: await startWriter(ground, cluster), unstartedVoters });
  void watchVoters(cluster, unstartedVoters);
}

async function watchVoters(cluster: string, unstarted: Set<string>): Promise<void> {
  using member = await ground.member(cluster);
  while (!end.signal.aborted) {
    const { members } = await member.cluster.memberList({ linearizable: false }).catch(() => ({ members: [] }));
    for (const { name, isLearner, peerUrls } of members) if (!name && !isLearner) unstarted.add(peerUrls.join());
    await systemClock.sleep(50);
  }
}

function of(cluster: string): Watched {
  const found = watched.get(cluster);
  if (!found) throw new Error(`nothing was prepared for ${cluster}`);
  return found;
}

async function listed(cluster: string) {
  using member = await ground.member(cluster);
  const { members } = await member.cluster.memberList();
  const { unmanaged } = of(cluster);
  return {
    voters: members.filter(({ isLearner }) => !isLearner).length,
    ownLearners: members.filter(({ isLearner, id }) => isLearner && id !== unmanaged.id).length,
    size: members.length,
  };
}

const words = async (cluster: string) => JSON.stringify((await ground.get(cluster)).status);

async function told(cluster: string, what: string): Promise<void> {
  await ground.until(
    `told: ${what}`,
    async () => ((await words(cluster)).includes(what) ? true : undefined),
    undefined,
    () => words(cluster),
  );
}

/** Waits until the member list is as wanted. */
async function reaches(cluster: string, isThere: (now: Awaited<ReturnType<typeof listed>>) => boolean) {
  return ground.until(
    'the wanted members',
    async () => {
      const now = await listed(cluster).catch(() => undefined);
      return now && isThere(now) ? now : undefined;
    },
    undefined,
    async () => `${JSON.stringify(await listed(cluster))} ${await words(cluster)}`,
  );
}

/** Two more members are requested, and none is added while the unmanaged learner exists. */
async function staysBlocked(cluster: string): Promise<void> {
  await ground.change(cluster, { size: 3 });
  await told(cluster, 'No member can join because of unmanaged learner');
  await systemClock.sleep(2_000);
  expect(await listed(cluster)).toEqual({ voters: 1, ownLearners: 0, size: 2 });
}

describe('size 3 while no node has room', () => {
  test.concurrent.for(cases)(
    '$version: beside a running unmanaged learner nobody is added, and back to size 1 works',
    async ({ cluster }) => {
      const name = `${cluster}-learner`;
      await staysBlocked(name);
      await ground.change(name, { size: 1 });
      await ground.until('nothing to wait for', async () => {
        const { metadata, status } = await ground.get(name);
        const isSeen = status?.observedGeneration === metadata?.generation;
        return isSeen && (status?.plan?.waitingFor?.length ?? 0) === 0 ? true : undefined;
      });
      expect(await listed(name)).toEqual({ voters: 1, ownLearners: 0, size: 2 });
    },
  );

  test.concurrent.for(cases)(
    '$version: beside a running unmanaged voter ours is added as a learner, and back to size 1 works',
    async ({ cluster }) => {
      const name = `${cluster}-voter`;
      await ground.change(name, { size: 3 });
      await reaches(name, ({ ownLearners }) => ownLearners === 1);
      await systemClock.sleep(2_000);
      expect(await listed(name)).toMatchObject({ voters: 2 });
      await ground.change(name, { size: 1 });
      expect(await reaches(name, ({ size }) => size === 2)).toEqual({ voters: 2, ownLearners: 0, size: 2 });
    },
  );
});

describe('size 3 with room', () => {
  beforeAll(() => Promise.all(cordons.map((cordon) => cordon.heal())));

  test.concurrent.for(cases)(
    '$version: the cluster grows once the unmanaged learner is removed, and not before',
    async ({ cluster }) => {
      const name = `${cluster}-learner`;
      await staysBlocked(name);
      {
        using member = await ground.member(name);
        await member.cluster.memberRemove(of(name).unmanaged.id);
      }
      await ground.settled(name);
      expect(await listed(name)).toEqual({ voters: 3, ownLearners: 0, size: 3 });
    },
  );

  test.concurrent.for(cases)(
    '$version: beside a running unmanaged voter ours join as learners and become voters',
    async ({ cluster }) => {
      const name = `${cluster}-voter`;
      await ground.change(name, { size: 3 });
      expect(await reaches(name, ({ voters, size }) => voters === 4 && size === 4)).toEqual({
        voters: 4,
        ownLearners: 0,
        size: 4,
      });
    },
  );
});

describe('a member that is lost', () => {
  test.concurrent.for(cases)(
    '$version: beside a running unmanaged voter its successor joins as a learner, too',
    async ({ cluster }) => {
      const name = `${cluster}-voter`;
      const written = of(name).writer.pod;
      const details = (await ground.get(name)).status?.memberDetails ?? [];
      const own = (await ground.pods(name)).map(({ metadata }) => metadata?.name ?? '');
      const victim = own.find((pod) => pod !== written) ?? '';
      const id = details.find((member) => member.name === victim)?.id ?? '';
      await ground.deletePod(victim, 0);
      await ground.until('gone', async () => {
        const left = (await ground.get(name)).status?.memberDetails ?? [];
        return left.some((member) => member.id === id) ? undefined : true;
      });
      expect(await reaches(name, ({ voters, size }) => voters === 4 && size === 4)).toEqual({
        voters: 4,
        ownLearners: 0,
        size: 4,
      });
    },
  );
});

describe('all the time', () => {
  test.for(cases)('$version: no voter was listed before it had started, and writes went on', async ({ cluster }) => {
    const { longestGap: usual = 0 } = (await calm?.stop()) ?? {};
    for (const kind of ['learner', 'voter']) {
      const { unstartedVoters, writer } = of(`${cluster}-${kind}`);
      const { longestGap, writes } = await writer.stop();
      expect([...unstartedVoters]).toEqual([]);
      expect(writes).toBeGreaterThan(50);
      // While a voter that never started counts for the quorum, writes would wait forever.
      expect(longestGap).toBeLessThan(5_000 + usual);
    }
  });
});
