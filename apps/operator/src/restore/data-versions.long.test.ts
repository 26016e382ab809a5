// SPDX-License-Identifier: Apache-2.0
import { writeRandomHistory } from '@operator-parts/etcd/testing';
import { seededRandom, systemClock } from '@operator-parts/ports';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RecordingOperator } from './testing/recording-operator.ts';
import { RestoreLab } from './testing/restore-lab.ts';

let lab: RestoreLab;
let operator: RecordingOperator;

beforeAll(async () => {
  lab = await RestoreLab.start({ nodes: 3, versions: ['3.5', '3.6', '3.7'] });
  operator = new RecordingOperator(lab);
}, 240_000);
afterAll(async () => {
  await operator?.[Symbol.asyncDispose]();
  await lab?.[Symbol.asyncDispose]();
});

describe.each([
  ['3.5.35', 5],
  ['3.7.3', 7],
])('a cluster of three members of etcd %s', (version, seed) => {
  const name = `data-${seed}`;
  let good: Awaited<ReturnType<RestoreLab['contents']>>;
  let goodTime = 0;

  beforeAll(async () => {
    const { clusters } = lab;
    await clusters.create(name, { size: 3, version });
    await clusters.settled(name, 120_000);
    await lab.fill(name, 1_000);
    await operator.record(name, { prove: { everyNth: 1 } });
    using member = await clusters.member(name);
    await operator.recorded(name, member);
    await writeRandomHistory(member, seededRandom(seed), 100);
    good = await lab.contents(name);
    await operator.recorded(name, member);
    goodTime = systemClock.now();
    await systemClock.sleep(5);
    await member.kv.deleteRange({ key: Buffer.from('a'), rangeEnd: Buffer.from('l') });
    await operator.recorded(name, member);
  }, 300_000);

  test('has a backup that is proven with that version', async () => {
    const { keys } = await operator.proven(name, version);
    expect(keys).toBeGreaterThan(900);
  }, 240_000);

  test('is copied from its members, without a store', async () => {
    const copy = `copy-${seed}`;
    const before = await lab.contents(name);
    const spec = { source: { cluster: name }, clusterSpec: { size: 1, version } };
    await lab.create(copy, { etcdCluster: { name: copy }, ...spec });
    await lab.succeeded(copy, 120_000);
    expect((await lab.contents(copy)).keys).toEqual(before.keys);
  }, 240_000);

  test('is restored as of the time before a bad change', async () => {
    await lab.restore(name, name, { pointInTime: { time: new Date(goodTime).toISOString() } });
    await lab.succeeded(name, 240_000);
    expect((await lab.contents(name)).keys).toEqual(good.keys);
    const { status } = await lab.clusters.settled(name, 120_000);
    expect(status).toMatchObject({ currentVersion: version, incarnation: 2, readySize: 3 });
  }, 480_000);
});

test('a backup of etcd 3.5 is proven with 3.6 after the upgrade: that is the version that it will be needed for', async () => {
  const { clusters } = lab;
  const name = 'upgraded';
  await clusters.create(name, { size: 1, version: '3.5.35' });
  await clusters.settled(name, 120_000);
  await lab.fill(name, 100);
  await operator.record(name, { prove: { schedule: '* * * * *' } });
  const old = await operator.proven(name, '3.5.35');
  await clusters.change(name, { version: '3.6.16' });
  await clusters.until('3.6', async () => {
    const { status } = await clusters.get(name);
    return status?.currentVersion === '3.6.16' ? true : undefined;
  });
  const proven = await operator.proven(name, '3.6.16');
  expect(proven).toMatchObject({ path: old.path, sha256: old.sha256, hash: old.hash, etcdRevision: old.etcdRevision });
}, 480_000);
