// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { readSnapshotFacts } from '@operator-parts/etcd';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { put } from '../../changes/testing/changes.ts';
import { MemoryStore } from '../../storage/testing/memory-store.ts';
import { verifyPoint } from '../point-in-time/verify-point.ts';
import { AgentScene } from '../testing/agent-scene.ts';
import { databaseFile } from '../testing/database-file.ts';
import { RecordedSeries } from '../testing/recorded-series.ts';
import { deliverPoint } from './deliver-point.ts';

const place = { type: 'S3', bucket: 'b', key: 'etcd', path: 'b/etcd' } as const;
const context = { signal: AbortSignal.timeout(300_000), onProgress: () => undefined };

let database: Buffer;
let revision: bigint;
beforeAll(async () => {
  database = await databaseFile();
  revision = (await readSnapshotFacts(async (at, length) => database.subarray(at, at + length))).revision;
}, 120_000);

let scene: AgentScene;
beforeEach(async () => {
  scene = await AgentScene.open();
});
afterEach(() => scene[Symbol.asyncDispose]());

async function series() {
  const store = new MemoryStore();
  const recorded = new RecordedSeries(store, place.key, 'abc');
  await recorded.snapshot(database, revision, 0);
  const next = [1n, 2n, 3n].map((more) => put(revision + more));
  const segment = await recorded.segment(next);
  return { opened: { store, place, keys: undefined }, goal: revision + 2n, segment, next };
}

describe('the data of a point in time that was not kept', () => {
  test('is made again for the new member, and is what was verified', async () => {
    const { opened, goal } = await series();
    const source = await verifyPoint(opened, { revision: goal }, async () => undefined, context);
    expect(await deliverPoint(opened, { source, agent: scene.address(), kept: undefined }, context)).toEqual(source);
    await scene.received;
    const received = await readFile(scene.file);
    expect(createHash('sha256').update(received).digest('hex')).toBe(source.sha256);
  });

  test('is refused if what is stored was changed since', async () => {
    const { opened, goal, segment, next } = await series();
    const source = await verifyPoint(opened, { revision: goal }, async () => undefined, context);
    await opened.store.delete(segment);
    const other = new RecordedSeries(opened.store, place.key, 'abc');
    await other.snapshot(database, revision, 0);
    await other.segment(next.map((one) => put(one.revision, one.at, 'x')));
    const sending = deliverPoint(opened, { source, agent: scene.address(), kept: undefined }, context);
    await expect(sending).rejects.toThrow('the backup changed after it was verified');
  });
});
