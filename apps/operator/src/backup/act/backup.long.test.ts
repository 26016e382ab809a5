// SPDX-License-Identifier: Apache-2.0
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { TestAuthority } from '@etcd-operator/tools';
import { seededRandom } from '@operator-parts/ports';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BackupLab } from '../../testing/backup-lab.ts';
import {
  BackupOperatorProcess,
  type ProgramStart,
  shippedBackupOperator,
} from '../../testing/backup-operator-process.ts';
import { etcdTool, snapshotStatus } from '../../testing/etcd-tools.ts';
import { fillMember, isWhole, killSweep } from '../testing/kill-sweep.ts';
import { restoredKeys } from '../testing/restored-keys.ts';
import { secureMember } from '../testing/secure-member.ts';

let ground: BackupLab;
let shipped: ProgramStart;
let authority: TestAuthority;
const clientTLSSecret = 'etcd-client-tls';
const mebibyte = 1024 * 1024;

beforeAll(async () => {
  ground = await BackupLab.start();
  shipped = await shippedBackupOperator(ground.etcds.directory);
  authority = await TestAuthority.create('lab');
  const { cert, key } = await authority.issue({ usages: ['clientAuth'] });
  await ground.secret(clientTLSSecret, { 'tls.crt': cert, 'tls.key': key, 'ca.crt': authority.ca });
});

afterAll(() => ground?.[Symbol.asyncDispose]());

describe('[85] [86] backups of any size', () => {
  test.each([
    ['3.4', 0, 'over TLS'],
    ['3.4', 1, 'without TLS'],
    ['3.5', 1, 'over TLS'],
    ['3.6', 1, 'without TLS'],
    ['3.7', 1, 'over TLS'],
    ['3.7', 100, 'without TLS'],
    ['3.6', 100, 'over TLS'],
    ['3.6', 1024, 'without TLS'],
  ])(
    'etcd %s with %s MiB %s: what etcd’s own tool saves, accepts and restores, in at most 150 MB of memory',
    async (minor, size, way) => {
      await ground.stopOperator();
      const isSecure = way === 'over TLS';
      const start = { version: minor, args: ['--quota-backend-bytes=8589934592'] };
      const plain = async () => ({ member: await ground.etcd(start), flags: [] });
      const { member, flags } = isSecure ? await secureMember(ground, authority, start) : await plain();
      const endpoint = `${isSecure ? 'https' : 'http'}://127.0.0.1:${member.clientPort}`;
      await fillMember(member, size, seededRandom(size));
      const operator = new BackupOperatorProcess(ground.lab.kubeconfigPath, shipped);
      try {
        const name = `size-${size}-${minor.replace('.', '-')}`;
        const spec = ground.toS3(name, [member], { backupPolicy: { timeoutInSecond: 1_800 } });
        const secured = { etcdEndpoints: [endpoint], clientTLSSecret };
        await ground.create(name, { ...spec, ...(isSecure && secured) });
        const { etcdRevision } = await ground.succeeded(name, 1_800_000);
        expect(operator.peakMemory()).toBeLessThan(150 * mebibyte);
        const [ours, theirs] = [join(ground.etcds.directory, 'ours'), join(ground.etcds.directory, 'theirs')];
        const store = await ground.bucket();
        await pipeline(store.get(name), createWriteStream(ours));
        store.close();
        await etcdTool(minor, [`--endpoints=${endpoint}`, ...flags, 'snapshot', 'save', theirs], 'etcdctl');
        const [a, b] = [await snapshotStatus(minor, ours), await snapshotStatus(minor, theirs)];
        // For a store that was never written to, the tool reports revision 0 and the server reports 1. Our code reports the same as the
        // server.
        const revision = size === 0 ? 0 : etcdRevision;
        expect(a).toMatchObject({ revision, hash: b.hash, totalKey: b.totalKey });
        await member.stop();
        const names = Array.from({ length: size }, (_, index) => `big-${index}`);
        expect(new Set(await restoredKeys(ground.etcds, minor, ours))).toEqual(new Set(names));
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
