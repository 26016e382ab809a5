// SPDX-License-Identifier: Apache-2.0

import { hasFinalizer } from '@operator-parts/controller-runtime';
import { prefixEnd, toBytes } from '@operator-parts/etcd';
import type { EtcdProcess } from '@operator-parts/etcd/testing';
import { writeRandomHistory } from '@operator-parts/etcd/testing';
import { seededRandom, systemClock, systemRandom } from '@operator-parts/ports';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EtcdBackupStatus } from '../../api/etcd-backup.ts';
import { secretKeys } from '../../storage/encryption/secret-keys.ts';
import { BackupLab } from '../../testing/backup-lab.ts';
import { ownFinalizer } from '../act/finalizers.ts';
import { readHistory, readRecorded } from '../testing/recorded.ts';

let ground: BackupLab;

beforeAll(async () => {
  ground = await BackupLab.start();
});

afterAll(() => ground?.[Symbol.asyncDispose]());

const continuous = { backupPolicy: { backupIntervalInSecond: 3_600 }, continuous: {} };

const put = async (member: EtcdProcess, key: string, value = key): Promise<void> => {
  using client = member.client({ timeoutMs: 60_000 });
  await client.kv.put({ key: toBytes(key), value: toBytes(value) });
};

async function revisionOf(member: EtcdProcess): Promise<bigint> {
  using client = member.client({ timeoutMs: 60_000 });
  return (await client.kv.range({ key: toBytes('x'), countOnly: true })).header.revision;
}

/** Waits until everything up to a revision is reported as stored. */
const storedUpTo = (name: string, revision: bigint, milliseconds?: number) =>
  ground.status(name, ({ recoveryPoint }) => BigInt(recoveryPoint?.revision ?? 0) >= revision, milliseconds);

const recording = ({ conditions }: EtcdBackupStatus) => conditions?.find(({ type }) => type === 'Recording');

describe('a continuous backup', () => {
  const key = Buffer.from(systemRandom.bytes(32)).toString('base64');

  test('stores every change within 5 s, encrypted as the backup is, with the leases that keys hang on', async () => {
    const member = await ground.etcd();
    await ground.secret('changes-key', { key });
    const encryption = { secret: 'changes-key' };
    await put(member, 'before');
    await ground.create('stored', ground.toS3('stored', [member], { ...continuous, encryption }));
    await storedUpTo('stored', 2n);
    using client = member.client({ timeoutMs: 60_000 });
    const { id } = await client.lease.grant(777);
    await client.kv.put({ key: toBytes('leased'), value: toBytes('v'), lease: id });
    const last = await revisionOf(member);
    const written = systemClock.monotonic();
    const segment = await ground.until('a segment', async () => (await ground.keys('stored.changes/'))[0]);
    expect(systemClock.monotonic() - written).toBeLessThan(5_000);
    expect((await ground.read(segment)).subarray(0, 8).toString()).toBe('ETCDENC1');
    const status = await storedUpTo('stored', last);
    expect(recording(status)).toMatchObject({ status: 'True', reason: 'ChangesRecorded' });
    const { headers, revisions } = await readRecorded(ground, 'stored', secretKeys('k', key));
    expect(headers[0]?.leases).toEqual(new Map([[id, 777]]));
    expect(headers[0]?.before).toMatchObject({ kind: 'snapshot', revision: 2n });
    expect(revisions).toEqual(await readHistory(member, 3n, last));
    await expect(readRecorded(ground, 'stored')).rejects.toMatchObject({ code: 'NoKey' });
  });

  test('has a range deletion of 3,000 keys in one revision, and a random history as etcd has it', async () => {
    const member = await ground.etcd();
    using client = member.client({ timeoutMs: 60_000 });
    const { kv } = client;
    for (let from = 0; from < 3_000; from += 100) {
      const puts = Array.from({ length: 100 }, (_, index) => toBytes(`many/${from + index}/${'x'.repeat(900)}`));
      await kv.txn({ success: puts.map((name) => ({ put: { key: name, value: name } })) });
    }
    await ground.create('range', ground.toS3('range', [member], continuous));
    await ground.status('range', ({ recoveryPoint }) => recoveryPoint !== undefined);
    const first = (await revisionOf(member)) + 1n;
    await kv.deleteRange({ key: toBytes('many/'), rangeEnd: prefixEnd(toBytes('many/')) });
    await writeRandomHistory(client, seededRandom(24), 300);
    const last = await revisionOf(member);
    await storedUpTo('range', last);
    const { revisions, isChained } = await readRecorded(ground, 'range');
    expect(revisions[0]?.events.length).toBe(3_000);
    expect(revisions).toEqual(await readHistory(member, first, last));
    expect(isChained).toBe(true);
  });

  test('goes on where it was when another operator takes over: no gap, nothing twice', async () => {
    const member = await ground.etcd();
    await ground.create('taken', ground.toS3('taken', [member], continuous));
    await ground.status('taken', ({ recoveryPoint }) => recoveryPoint !== undefined);
    let isStopped = false;
    const writing = (async () => {
      using client = member.client({ timeoutMs: 60_000 });
      for (let count = 0; !isStopped; count += 1) {
        await client.kv.put({ key: toBytes(`k${count % 50}`), value: toBytes(`${count}`) });
        await systemClock.sleep(5);
      }
    })();
    await storedUpTo('taken', (await revisionOf(member)) + 1n);
    await ground.stopOperator();
    ground.startOperator();
    await storedUpTo('taken', (await revisionOf(member)) + 1n);
    isStopped = true;
    await writing;
    const last = await revisionOf(member);
    await storedUpTo('taken', last);
    const { revisions, isChained } = await readRecorded(ground, 'taken');
    expect(revisions).toEqual(await readHistory(member, 2n, last));
    expect(isChained).toBe(true);
  });

  test('says that compaction has made a gap, and closes it by a new full backup at once', async () => {
    const member = await ground.etcd();
    await ground.create('gap', ground.toS3('gap', [member], continuous));
    await ground.status('gap', ({ recoveryPoint }) => recoveryPoint !== undefined);
    await put(member, 'recorded');
    await storedUpTo('gap', 2n);
    const { lastBackup } = (await ground.get('gap')).status ?? {};
    await ground.stopOperator();
    for (let count = 0; count < 20; count += 1) await put(member, `lost${count}`);
    using client = member.client({ timeoutMs: 60_000 });
    await client.kv.compact({ revision: await revisionOf(member) });
    await put(member, 'after');
    ground.startOperator();
    const reported = await ground.status('gap', (status) => status.lastBackup?.path !== lastBackup?.path, 20_000);
    expect(reported.lastBackup?.path).toContain('gap_v');
    await put(member, 'recorded again');
    const last = await revisionOf(member);
    const status = await storedUpTo('gap', last);
    expect(recording(status)).toMatchObject({ status: 'True', reason: 'ChangesRecorded' });
    const told = (await ground.events('gap')).filter(({ reason }) => reason === 'ChangesMissing');
    const messages = told.map(({ message }) => message).join('\n');
    expect(messages).toMatch(/^The continuous backup cannot record changes: .* The operator makes a new full backup/m);
    expect(messages).toMatch(/^Changes after revision 2 up to \d+ were not recorded/m);
    const { headers, revisions } = await readRecorded(ground, 'gap');
    const from = headers.at(-1)?.from ?? 0n;
    expect(headers.at(-1)?.before).toMatchObject({ kind: 'snapshot', revision: from - 1n });
    expect(revisions.slice(-Number(last - from + 1n))).toEqual(await readHistory(member, from, last));
  });

  test('whose deletionPolicy is Delete takes what was recorded with it', async () => {
    expect((await ground.keys('gap')).some((key) => key.startsWith('gap.changes/'))).toBe(true);
    await ground.change('gap', { deletionPolicy: 'Delete' });
    await ground.until('the finalizer', async () =>
      hasFinalizer(await ground.get('gap'), ownFinalizer) ? true : undefined,
    );
    await ground.delete('gap');
    await ground.until('gone', () => ground.isGone('gap'));
    expect(await ground.keys('gap')).toEqual([]);
  });
});
