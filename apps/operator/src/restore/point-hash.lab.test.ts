// SPDX-License-Identifier: Apache-2.0
import { type MemberClient, toBytes } from '@operator-parts/etcd';
import { writeRandomHistory } from '@operator-parts/etcd/testing';
import { seededRandom } from '@operator-parts/ports';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RecordingOperator } from './testing/recording-operator.ts';
import { RestoreLab } from './testing/restore-lab.ts';

let lab: RestoreLab;
let operator: RecordingOperator;

beforeAll(async () => {
  lab = await RestoreLab.start({ nodes: 1, versions: ['3.5', '3.6', '3.7'] });
  operator = new RecordingOperator(lab);
}, 240_000);
afterAll(async () => {
  await operator?.[Symbol.asyncDispose]();
  await lab?.[Symbol.asyncDispose]();
});

/** The hash of everything at a revision, and where history begins: it depends on that, too. */
async function hashAt({ maintenance }: MemberClient, revision: bigint) {
  const { hash, compactRevision } = await maintenance.hashKv(revision, { timeoutMs: 60_000 });
  return { hash, compactRevision };
}

test.concurrent.each([
  ['3.5.35', 5],
  ['3.6.16', 6],
  ['3.7.3', 7],
])(
  'a cluster of etcd %s, restored to a recorded revision, has the HashKV that the original has there, also after the same compaction',
  async (version, seed) => {
    const { clusters } = lab;
    const [name, restored] = [`original-${seed}`, `restored-${seed}`];
    await clusters.create(name, { size: 1, version });
    await clusters.settled(name);
    using member = await clusters.member(name);
    const random = seededRandom(seed);
    await writeRandomHistory(member, random, 40);
    await operator.record(name);
    const snapshotAt = await operator.recorded(name, member);
    await writeRandomHistory(member, random, 40);
    const { header } = await member.kv.put({ key: toBytes('the last one'), value: toBytes('good') });
    const goal = header.revision;
    await writeRandomHistory(member, random, 20);
    await operator.recorded(name, member);
    const pointInTime = { revision: Number(goal) };
    await lab.restore(restored, name, { pointInTime, revisionBump: 0, clusterSpec: { size: 1, version } });
    const status = await lab.succeeded(restored, 120_000);
    expect(status.source).toMatchObject({ revision: Number(goal), pointInTime: { segments: expect.any(Number) } });
    using again = await clusters.member(restored);
    expect(await hashAt(again, goal)).toEqual(await hashAt(member, goal));
    const middle = snapshotAt + (goal - snapshotAt) / 2n;
    for (const one of [member, again]) await one.kv.compact({ revision: middle, physical: true });
    const { hash, compactRevision } = await hashAt(member, goal);
    expect(compactRevision).toBe(middle);
    expect(await hashAt(again, goal)).toEqual({ hash, compactRevision });
  },
  240_000,
);
