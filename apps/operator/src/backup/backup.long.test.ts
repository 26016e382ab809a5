// SPDX-License-Identifier: Apache-2.0
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { seededRandom } from '@etcd-operator/ports';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BackupLab } from '../testing/backup-lab.ts';
import { BackupOperatorProcess } from '../testing/backup-operator-process.ts';
import { etcdTool, snapshotStatus } from '../testing/etcd-tools.ts';
import { fillMember, isWhole, killSweep } from './testing/kill-sweep.ts';

let ground: BackupLab;
const mebibyte = 1024 * 1024;

beforeAll(async () => {
  ground = await BackupLab.start();
});

afterAll(() => ground?.[Symbol.asyncDispose]());

describe('[85] [86] backups of any size', () => {
  test.each([
    ['3.4', 1],
    ['3.5', 1],
    ['3.6', 1],
    ['3.7', 1],
    ['3.6', 100],
    ['3.6', 1024],
  ])(
    'etcd %s with %s MiB: what etcd’s own tool saves and accepts, in at most 150 MB of memory',
    async (minor, size) => {
      await ground.stopOperator();
      const member = await ground.etcd({ version: minor, args: ['--quota-backend-bytes=8589934592'] });
      await fillMember(member, size, seededRandom(size));
      const operator = new BackupOperatorProcess(ground.lab.kubeconfigPath);
      try {
        const name = `size-${size}-${minor.replace('.', '-')}`;
        const policy = { backupPolicy: { timeoutInSecond: 1_800 } };
        await ground.create(name, ground.toS3(name, [member], policy));
        const { etcdRevision } = await ground.succeeded(name, 1_800_000);
        expect(await operator.peakMemory()).toBeLessThan(150 * mebibyte);
        const [ours, theirs] = [join(ground.etcds.directory, 'ours'), join(ground.etcds.directory, 'theirs')];
        const store = await ground.bucket();
        await pipeline(store.get(name), createWriteStream(ours));
        store.close();
        const endpoint = `--endpoints=http://127.0.0.1:${member.clientPort}`;
        await etcdTool(minor, [endpoint, 'snapshot', 'save', theirs], 'etcdctl');
        const [a, b] = [await snapshotStatus(minor, ours), await snapshotStatus(minor, theirs)];
        expect(a).toMatchObject({ revision: etcdRevision, hash: b.hash, totalKey: b.totalKey });
      } finally {
        await operator.kill();
        await member.stop();
        ground.startOperator();
      }
    },
  );

  test('[85] fault 48: killed at twenty random moments, there is a whole backup or none', async () => {
    const moments = 20;
    const random = seededRandom(20);
    const member = await ground.etcd();
    await fillMember(member, 64, random);
    await ground.stopOperator();
    await killSweep(ground, member, { key: 'long-killed', moments, longestMs: 700, random });
    ground.startOperator();
    for (let moment = 0; moment < moments; moment++) {
      await ground.succeeded(`kill-${moment}`, 120_000);
      expect(await isWhole(ground, `long-killed-${moment}`)).toBe(true);
    }
    await ground.until('no unfinished upload is left', async () =>
      (await ground.s3.unfinished()).length === 0 ? true : undefined,
    );
  });
});
