// SPDX-License-Identifier: Apache-2.0
import { readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { type MemberClient, prefixEnd } from '@operator-parts/etcd';
import { labEtcd, WatchingClient, writeRandomHistory } from '@operator-parts/etcd/testing';
import { secrets } from '@operator-parts/kube';
import { seededRandom, systemClock, systemRandom } from '@operator-parts/ports';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RecordingOperator } from './testing/recording-operator.ts';
import { RestoreLab } from './testing/restore-lab.ts';

const name = 'point';
const namespace = 'default';
const encryption = { secret: 'backup-key' };

/** With an encrypted backup: no data is kept on a disk, and the data to deliver is built a second time. */
describe('a restore to a point in time, from an encrypted backup whose changes are recorded', () => {
  let lab: RestoreLab;
  let operator: RecordingOperator | undefined;
  /** The data of the cluster before the bad deployment. */
  let good: Awaited<ReturnType<RestoreLab['contents']>>;
  let goodTime = 0;
  let lastRevision = 0n;

  beforeAll(async () => {
    lab = await RestoreLab.start({ nodes: 1 });
    const { clusters } = lab;
    const client = clusters.lab.client();
    const recording = new RecordingOperator(lab);
    operator = recording;
    const recorded = (member: MemberClient) => recording.recorded(name, member);
    const data = { key: Buffer.from(Buffer.from(systemRandom.bytes(32)).toString('base64')).toString('base64') };
    await client.resource(secrets).create({ metadata: { name: encryption.secret, namespace }, data });
    await clusters.create(name, { size: 1, version: labEtcd.version });
    await clusters.settled(name);
    await lab.fill(name, 100);
    await recording.record(name, { encryption });
    using member = await clusters.member(name);
    const random = seededRandom(24);
    await recorded(member);
    await writeRandomHistory(member, random, 60);
    await recorded(member);
    await writeRandomHistory(member, random, 60);
    await member.kv.put({ key: Buffer.from('a/kept'), value: Buffer.from('good') });
    good = await lab.contents(name);
    await recorded(member);
    goodTime = systemClock.now();
    await systemClock.sleep(5);
    // The bad deployment.
    await member.kv.deleteRange({ key: Buffer.from('a'), rangeEnd: Buffer.from('c') });
    await member.kv.put({ key: Buffer.from('key-7'), value: Buffer.from('broken') });
    lastRevision = await recorded(member);
  }, 240_000);
  afterAll(async () => {
    await operator?.[Symbol.asyncDispose]();
    await lab?.[Symbol.asyncDispose]();
  });

  test('that cannot be reached changes nothing, and says what there is', async () => {
    const folder = lab.file(`${name}.changes`);
    const [cluster = ''] = await readdir(folder);
    const [first = '', second] = (await readdir(join(folder, cluster))).toSorted();
    expect(second).toBeDefined();
    await rename(join(folder, cluster, first), join(lab.directory, 'elsewhere'));
    const pointInTime = { revision: Number(good.revision) };
    await lab.restore('gap', name, { cluster: name, pointInTime, encryption });
    const { reason, phase } = await lab.ended('gap');
    expect(phase).toBe('Failed');
    expect(reason).toMatch(/^revision \d+ cannot be restored: the changes between revisions \d+ and \d+ are missing/);
    await rename(join(lab.directory, 'elsewhere'), join(folder, cluster, first));
    expect((await lab.clusters.settled(name)).status).toMatchObject({ incarnation: 1, readySize: 1 });
  });

  test('of some keys brings back these alone, while the cluster serves on', async () => {
    using member = await lab.clusters.member(name);
    const keysOf = async (prefix: string) => {
      const { kvs } = await member.kv.range({ key: Buffer.from(prefix), rangeEnd: prefixEnd(Buffer.from(prefix)) });
      return kvs.map(({ key }) => Buffer.from(key).toString('base64'));
    };
    expect(await keysOf('a/')).toEqual([]);
    const pointInTime = { revision: Number(good.revision) };
    await lab.restore('keys', name, { cluster: name, prefixes: ['a/'], pointInTime, encryption });
    const status = await lab.succeeded('keys');
    expect(status).toMatchObject({ source: { revision: Number(good.revision) }, safetySnapshot: { current: true } });
    const wanted = good.keys.map((one) => one.split('=')[0] ?? '');
    const isMeant = (key: string) => Buffer.from(key, 'base64').toString().startsWith('a/');
    const found = await keysOf('a/');
    expect(found.length).toBeGreaterThan(0);
    for (const key of found)
      expect(wanted.some((one) => one.replaceAll('=', '') === key.replaceAll('=', ''))).toBe(true);
    expect(found).toHaveLength(wanted.filter((one) => isMeant(one)).length);
    expect(await lab.clusters.read(name, 'key-7')).toBe('broken');
    expect((await lab.clusters.get(name)).status).toMatchObject({ incarnation: 1 });
  });

  test('brings back everything as it was then, and watchers are told', async () => {
    const { clusters } = lab;
    using watching = new WatchingClient(() => clusters.member(name), 'key-7', lastRevision + 1n);
    await lab.restore(name, name, { pointInTime: { time: new Date(goodTime).toISOString() }, encryption });
    const status = await lab.succeeded(name, 120_000);
    expect(status.source).toMatchObject({
      verified: 'Manifest',
      revision: Number(good.revision),
      pointInTime: { snapshot: expect.stringMatching(/^point_v\d+_/) },
    });
    expect(status.source?.pointInTime?.segments).toBeGreaterThan(1);
    const found = await lab.contents(name);
    expect(found.keys).toEqual(good.keys);
    expect(found.revision).toBeGreaterThan(lastRevision);
    expect((await clusters.settled(name)).status).toMatchObject({ incarnation: 2, readySize: 1 });
    await clusters.until('the watcher is told', async () => (watching.seen.includes('compacted') ? true : undefined));
    expect(watching.seen).toEqual(['compacted']);
    await clusters.put(name, 'afterwards', 'x');
  }, 240_000);

  test('leaves a cluster whose backups are proven, although the tool of etcd has added an entry for the raised revision', async () => {
    const prove = { everyNth: 1 };
    await operator?.record('after', { clusterRef: { name }, directory: { path: 'after' }, prove });
    const proven = await operator?.proven('after', labEtcd.version);
    expect(proven?.keys).toBe(good.keys.filter((line) => !line.startsWith('lease ')).length + 1);
  }, 240_000);
});
