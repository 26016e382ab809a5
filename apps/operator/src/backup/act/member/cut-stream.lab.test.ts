// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { seededRandom } from '@operator-parts/ports';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { manifestPath, parseManifest } from '../../../storage/manifest.ts';
import { BackupLab } from '../../../testing/backup-lab.ts';
import { CuttingProxy } from '../../testing/cutting-proxy.ts';
import { fillMember, isWhole } from '../../testing/kill-sweep.ts';

let ground: BackupLab;

beforeAll(async () => {
  ground = await BackupLab.start();
});

afterAll(() => ground?.[Symbol.asyncDispose]());

const patience = 180_000;

test('fault 48: a stream that is cut at 99 % is no backup: what was there stays, nothing is left behind, the next try makes it', async () => {
  const member = await ground.etcd();
  await fillMember(member, 20, seededRandom(99));
  await ground.create('before', ground.toS3('before', [member]));
  const { etcdRevision: earlier = 0 } = await ground.succeeded('before', patience);
  const before = await ground.read('before');
  // Without a manifest, like an object of another operator: a backup with a manifest would not be replaced at all.
  await ground.write('cut', before);
  await member.client().kv.put({ key: Buffer.from('later'), value: Buffer.from('value') });

  await using proxy = await CuttingProxy.start(member.clientPort);
  proxy.cutAfter = Math.floor(before.byteLength * 0.99);
  const etcdEndpoints = [`http://127.0.0.1:${proxy.port}`];
  await ground.create('cut', { ...ground.toS3('cut', [member]), etcdEndpoints });
  const failed = await ground.status('cut', ({ attempts }) => (attempts ?? 0) > 0, patience);
  expect(proxy.cuts).toBeGreaterThan(0);
  expect(failed).toMatchObject({ succeeded: false, Reason: expect.stringContaining('lost before the response') });
  expect(failed.conditions).toContainEqual(
    expect.objectContaining({ type: 'Succeeded', status: 'False', reason: 'EtcdUnavailable' }),
  );
  expect((await ground.read('cut')).equals(before)).toBe(true);
  expect(await ground.keys('cut')).toEqual(['cut']);

  proxy.cutAfter = undefined;
  const { etcdRevision } = await ground.succeeded('cut', patience);
  expect(etcdRevision).toBe(earlier + 1);
  expect(await isWhole(ground, 'cut')).toBe(true);
  const sha256 = createHash('sha256').update(await ground.read('cut'));
  expect(parseManifest(await ground.read(manifestPath('cut')))?.sha256).toBe(sha256.digest('hex'));
  expect(await ground.s3.unfinished()).toEqual([]);
}, 300_000);
