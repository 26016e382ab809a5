// SPDX-License-Identifier: Apache-2.0

import { copyFile, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MemberClient } from '@operator-parts/etcd';
import { EtcdLab, type EtcdProcess } from '@operator-parts/etcd/testing';
import { describe, expect, test } from 'vitest';
import { copySurvivor, readLog } from './copy-survivor.ts';

/** Three members on loopback, in the order in which they were added. */
async function three(lab: EtcdLab, version: string, args: readonly string[] = []): Promise<readonly EtcdProcess[]> {
  const first = await lab.member();
  await first.start({ version, args });
  const all = [first];
  for (let count = 1; count < 3; count++) {
    const next = await lab.member();
    await expect
      .poll(
        () =>
          first
            .client()
            .cluster.memberAdd({ peerUrls: [next.peerUrl], isLearner: false })
            .then(() => true, String),
        { timeout: 60_000 },
      )
      .toBe(true);
    all.push(next);
    const join = all.map(({ name, peerUrl }) => `${name}=${peerUrl}`).join(',');
    await next.start({ version, join, args });
  }
  return all;
}

function path(lab: EtcdLab, { name }: EtcdProcess): string {
  return join(lab.directory, name);
}

/** Many clients at once, until the members are gone. Returns the acknowledged keys. */
async function acknowledged(client: MemberClient, isOver: () => boolean): Promise<ReadonlySet<string>> {
  const keys = new Set<string>();
  let count = 0;
  const write = async () => {
    while (!isOver()) {
      const key = `k${count++}`;
      try {
        await client.kv.put({ key: Buffer.from(key), value: Buffer.from('v') }, { timeoutMs: 2_000 });
        keys.add(key);
      } catch {
        return;
      }
    }
  };
  await Promise.all(Array.from({ length: 32 }, write));
  return keys;
}

async function keysOf(client: MemberClient): Promise<ReadonlySet<string>> {
  const { kvs } = await client.kv.range({ key: Buffer.from('k'), rangeEnd: Buffer.from('l'), keysOnly: true });
  return new Set(kvs.map(({ key }) => Buffer.from(key).toString()));
}

describe.each(['3.5', '3.6', '3.7'])('a copy of the data of a survivor, etcd %s', (version) => {
  test.each([
    ['from the log alone', []],
    ['after raft snapshots', ['--snapshot-count=200']],
  ])('holds every acknowledged write and serves alone, %s', async (_how, args) => {
    await using lab = await EtcdLab.open();
    const [leader, survivor, frozen] = await three(lab, version, args);
    if (!leader || !survivor || !frozen) throw new Error('three members are needed');
    // From here on every acknowledgement needs the survivor.
    await frozen.freeze();
    let isOver = false;
    const writing = acknowledged(leader.client(), () => isOver);
    await expect.poll(async () => (await survivor.client().maintenance.status()).revision).toBeGreaterThan(1_500n);
    await Promise.all([leader.stop('SIGKILL'), survivor.stop('SIGKILL'), frozen.stop('SIGKILL')]);
    isOver = true;
    const written = await writing;
    const from = join(lab.directory, survivor.name);
    const before = await readFile(join(from, 'member', 'snap', 'db'));
    const alone = await lab.member();
    const { log, newestEntry } = await copySurvivor({ from, to: join(lab.directory, alone.name) });
    expect(log.voters).toHaveLength(3);
    expect(newestEntry).toBeGreaterThan(1_000n);
    expect(log.lastIndex >= log.state.commit).toBe(true);
    await alone.start({ version, unattended: true });
    await expect.poll(async () => (await alone.client().maintenance.status()).leader, { timeout: 60_000 }).not.toBe(0n);
    expect(newestEntry <= (await alone.client().maintenance.status()).revision).toBe(true);
    const found = await keysOf(alone.client());
    expect([...written].filter((key) => !found.has(key))).toEqual([]);
    expect(written.size).toBeGreaterThan(1_000);
    const { members } = await alone.client().cluster.memberList();
    expect(members).toHaveLength(1);
    // No flag is needed: after a restart the member is the same, and continues to serve.
    await alone.stop('SIGKILL');
    await alone.start({ version, unattended: true });
    await expect.poll(async () => (await alone.client().maintenance.status()).leader, { timeout: 60_000 }).not.toBe(0n);
    await alone.client().kv.put({ key: Buffer.from('after'), value: Buffer.from('v') });
    expect((await readFile(join(from, 'member', 'snap', 'db'))).equals(before)).toBe(true);
    expect((await readLog(from)).lastIndex).toBe(log.lastIndex);
  });

  test('serves where its database from the leader was saved, and not yet put in place', async () => {
    await using lab = await EtcdLab.open();
    const catchUp = `--${version === '3.5' ? 'experimental-' : ''}snapshot-catchup-entries=5`;
    const [leader, other, survivor] = await three(lab, version, ['--snapshot-count=20', catchUp]);
    if (!leader || !other || !survivor) throw new Error('three members are needed');
    await survivor.stop();
    const from = join(lab.directory, survivor.name);
    const folder = join(from, 'member', 'snap');
    const before = join(lab.directory, 'before');
    await copyFile(join(folder, 'db'), before);
    const client = leader.client();
    for (let count = 0; count < 80; count++)
      await client.kv.put({ key: Buffer.from(`k${count}`), value: Buffer.from('v') });
    await survivor.start();
    const { revision } = await client.maintenance.status();
    await expect.poll(async () => (await survivor.client().maintenance.status()).revision).toBe(revision);
    await Promise.all([leader, other, survivor].map((member) => member.stop('SIGKILL')));
    const received = (await readdir(folder)).filter((name) => name.endsWith('.snap')).sort();
    const index = received.at(-1)?.slice(17) ?? '';
    await rename(join(folder, 'db'), join(folder, `${index}.db`));
    await rename(before, join(folder, 'db'));
    const alone = await lab.member();
    await copySurvivor({ from, to: join(lab.directory, alone.name) });
    await alone.start({ version, unattended: true });
    await expect.poll(async () => (await alone.client().maintenance.status()).leader, { timeout: 60_000 }).not.toBe(0n);
    expect((await keysOf(alone.client())).size).toBe(80);
  });

  test('serves alone where the survivor was a learner', async () => {
    await using lab = await EtcdLab.open();
    const leader = await lab.member();
    await leader.start({ version });
    const learner = await lab.member();
    const client = leader.client();
    await client.cluster.memberAdd({ peerUrls: [learner.peerUrl], isLearner: true });
    const initial = [leader, learner].map(({ name, peerUrl }) => `${name}=${peerUrl}`).join(',');
    await learner.start({ version, join: initial });
    for (let count = 0; count < 50; count++)
      await client.kv.put({ key: Buffer.from(`k${count}`), value: Buffer.from('v') });
    const { raftIndex } = await client.maintenance.status();
    await expect.poll(async () => (await learner.client().maintenance.status()).raftIndex).toBe(raftIndex);
    await Promise.all([leader, learner].map((member) => member.stop('SIGKILL')));
    const alone = await lab.member();
    const { log } = await copySurvivor({ from: path(lab, learner), to: path(lab, alone) });
    expect(log.voters).not.toContain(log.memberId);
    await alone.start({ version, unattended: true });
    await expect.poll(async () => (await alone.client().maintenance.status()).leader, { timeout: 60_000 }).not.toBe(0n);
    expect((await keysOf(alone.client())).size).toBe(50);
    const { members } = await alone.client().cluster.memberList();
    expect(members).toMatchObject([{ id: log.memberId, isLearner: false }]);
    await alone.stop('SIGKILL');
    await alone.start({ version, unattended: true });
    await expect.poll(async () => (await alone.client().maintenance.status()).leader, { timeout: 60_000 }).not.toBe(0n);
    await alone.client().kv.put({ key: Buffer.from('after'), value: Buffer.from('v') });
  });

  test('is left out where a snapshot has all of the log, with the same facts, and made where the log has more', async () => {
    await using lab = await EtcdLab.open();
    const member = await lab.member();
    await member.start({ version });
    const client = member.client();
    for (let count = 0; count < 20; count++)
      await client.kv.put({ key: Buffer.from(`k${count}`), value: Buffer.from('v') });
    const { raftIndex, raftAppliedIndex } = await client.maintenance.status();
    expect(raftAppliedIndex).toBe(raftIndex);
    const held = Number(raftAppliedIndex);
    await member.stop();
    const from = join(lab.directory, member.name);
    const to = join(lab.directory, 'copy');
    const without = await copySurvivor({ from, to, held });
    await expect(readdir(to)).rejects.toMatchObject({ code: 'ENOENT' });
    expect(without).toEqual(await copySurvivor({ from, to, held: held - 1 }));
    expect(await readdir(join(to, 'member', 'snap'))).toContain('db');
  });

  test('is refused where the end of the log is gone, of which etcd itself says nothing', async () => {
    await using lab = await EtcdLab.open();
    const member = await lab.member();
    await member.start({ version });
    const client = member.client();
    for (let count = 0; count < 20; count++)
      await client.kv.put({ key: Buffer.from(`k${count}`), value: Buffer.alloc(600, 'v') });
    await member.stop();
    const from = join(lab.directory, member.name);
    const file = join(from, 'member', 'wal', '0000000000000000-0000000000000000.wal');
    const bytes = await readFile(file);
    // The way a disk loses data: whole sectors.
    const { offset } = (await readLog(from)).end;
    await writeFile(file, bytes.fill(0, Math.floor((offset - 3_000) / 512) * 512));
    await expect(copySurvivor({ from, to: join(lab.directory, 'copy') })).rejects.toThrow(
      /end of the write-ahead log \(WAL\) is missing|had committed entries up to/,
    );
  });
});
