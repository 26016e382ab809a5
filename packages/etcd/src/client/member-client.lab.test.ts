// SPDX-License-Identifier: Apache-2.0
import type { Socket } from 'node:net';
import { systemClock } from '@operator-parts/ports';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EtcdLab, type EtcdProcess } from '../testing/etcd-process.ts';
import { type Dialer, networkDialer } from './dialer.ts';
import type { MemberClient } from './member-client.ts';
import { prefixEnd, toBytes } from './services/kv.ts';

const text = (data: Uint8Array | undefined) => Buffer.from(data ?? []).toString();
const everything = { key: Uint8Array.of(0), rangeEnd: Uint8Array.of(0) };

let lab: EtcdLab;
let seed: EtcdProcess;
let client: MemberClient;

beforeAll(async () => {
  lab = await EtcdLab.open();
  seed = await (await lab.member()).start();
  client = seed.client();
});
afterAll(() => lab[Symbol.asyncDispose]());

describe('keys and values', () => {
  test('what is put is read, in order, and counted', async () => {
    for (const name of ['b', 'a', 'c']) await client.kv.put({ key: toBytes(`kv/${name}`), value: toBytes(`${name}!`) });
    const prefix = toBytes('kv/');
    const all = await client.kv.range({
      key: prefix,
      rangeEnd: prefixEnd(prefix),
      sortOrder: 'descend',
      sortTarget: 'key',
    });
    expect(all.kvs.map(({ key }) => text(key))).toEqual(['kv/c', 'kv/b', 'kv/a']);
    expect(text(all.kvs[0]?.value)).toBe('c!');
    const limited = await client.kv.range({ key: prefix, rangeEnd: prefixEnd(prefix), limit: 2n });
    expect([limited.kvs.length, limited.more, limited.count]).toEqual([2, true, 3n]);
  });

  test('a put can give back what was there, a delete how many there were', async () => {
    await client.kv.put({ key: toBytes('del/1'), value: toBytes('old') });
    const again = await client.kv.put({ key: toBytes('del/1'), value: toBytes('new'), prevKv: true });
    expect(text(again.prevKv?.value)).toBe('old');
    const prefix = toBytes('del/');
    const gone = await client.kv.deleteRange({ key: prefix, rangeEnd: prefixEnd(prefix), prevKv: true });
    expect([gone.deleted, gone.prevKvs.map(({ value }) => text(value))]).toEqual([1n, ['new']]);
  });

  test('a transaction compares first', async () => {
    const key = toBytes('txn');
    const create = () =>
      client.kv.txn({
        compare: [{ key, target: 'version', result: 'equal', version: 0n }],
        success: [{ put: { key, value: toBytes('first') } }],
        failure: [{ range: { key } }],
      });
    expect((await create()).succeeded).toBe(true);
    const second = await create();
    expect(second.succeeded).toBe(false);
    expect(text(second.responses[0]?.range?.kvs[0]?.value)).toBe('first');
  });

  test('history that is gone, or not there yet, has names', async () => {
    const { header } = await client.kv.put({ key: toBytes('x'), value: toBytes('1') });
    await client.kv.compact({ revision: header.revision, physical: true });
    const at = (revision: bigint) => client.kv.range({ key: toBytes('x'), revision });
    await expect(at(header.revision - 1n)).rejects.toMatchObject({ code: 'Compacted' });
    await expect(at(header.revision + 1_000n)).rejects.toMatchObject({ code: 'FutureRevision' });
  });

  test('a request beyond 1.5 MiB is refused by its name', async () => {
    const put = client.kv.put({ key: toBytes('big'), value: new Uint8Array(1_600_000) });
    await expect(put).rejects.toMatchObject({ code: 'RequestTooLarge', outcomeUnknown: false });
  });

  test('an answer of many megabytes comes whole', async () => {
    const value = new Uint8Array(1_000_000).fill(7);
    for (const index of [1, 2, 3, 4]) await client.kv.put({ key: toBytes(`mb/${index}`), value });
    const prefix = toBytes('mb/');
    const { kvs } = await client.kv.range({ key: prefix, rangeEnd: prefixEnd(prefix) });
    expect(kvs.map((kv) => kv.value.byteLength)).toEqual([1_000_000, 1_000_000, 1_000_000, 1_000_000]);
  });
});

describe('leases', () => {
  test('a key lives as long as its lease', async () => {
    const { id, ttl } = await client.lease.grant(30);
    expect(ttl).toBe(30n);
    await client.kv.put({ key: toBytes('leased'), value: toBytes('1'), lease: id });
    expect((await client.lease.keepAliveOnce(id)).ttl).toBe(30n);
    const { keys, grantedTtl } = await client.lease.timeToLive(id, { keys: true });
    expect([keys.map(text), grantedTtl]).toEqual([['leased'], 30n]);
    await client.lease.revoke(id);
    expect((await client.kv.range({ key: toBytes('leased') })).count).toBe(0n);
    await expect(client.lease.keepAliveOnce(id)).rejects.toMatchObject({ code: 'LeaseNotFound' });
    await expect(client.lease.revoke(id)).rejects.toMatchObject({ code: 'LeaseNotFound' });
    expect((await client.lease.timeToLive(id)).ttl).toBe(-1n);
  });
});

describe('watches', () => {
  test('report changes from a revision on', async () => {
    const { header } = await client.kv.put({ key: toBytes('w'), value: toBytes('1') });
    await client.kv.deleteRange({ key: toBytes('w') });
    const seen: string[] = [];
    for await (const event of client.watch({ key: toBytes('w'), startRevision: header.revision, prevKv: true })) {
      seen.push(`${event.type} ${text(event.kv.value)} ${text(event.prevKv?.value)}`.trim());
      if (seen.length === 2) break;
    }
    expect(seen).toEqual(['put 1', 'delete  1']);
  });

  test('have large answers cut into fragments, of which the last one says that a revision is whole', async () => {
    const keys = Array.from({ length: 2_500 }, (_, index) => toBytes(`cut/${index}/${'x'.repeat(1_200)}`));
    for (let from = 0; from < keys.length; from += 100) {
      const success = keys.slice(from, from + 100).map((key) => ({ put: { key, value: key } }));
      await client.kv.txn({ success }, { timeoutMs: 60_000 });
    }
    const range = { key: toBytes('cut/'), rangeEnd: toBytes('cut0') };
    const { header } = await client.kv.deleteRange(range, { timeoutMs: 60_000 });
    const seen: { readonly events: number; readonly isComplete: boolean }[] = [];
    for await (const batch of client.watchBatches({ ...range, startRevision: header.revision, fragment: true })) {
      expect(batch.events.every(({ kv }) => kv.modRevision === header.revision)).toBe(true);
      seen.push({ events: batch.events.length, isComplete: batch.isComplete });
      if (batch.isComplete) break;
    }
    expect(seen.length).toBeGreaterThan(1);
    expect(seen.reduce((sum, { events }) => sum + events, 0)).toBe(2_500);
    expect(seen.map(({ isComplete }) => isComplete)).toEqual(seen.map((_, index) => index === seen.length - 1));
  });

  test('wait for later changes, and can be aborted', async () => {
    const controller = new AbortController();
    const started = Promise.withResolvers<bigint>();
    const events = client
      .watch({ key: toBytes('later'), signal: controller.signal, onStarted: started.resolve })
      [Symbol.asyncIterator]();
    const first = events.next();
    await started.promise;
    await client.kv.put({ key: toBytes('later'), value: toBytes('now') });
    expect(text((await first).value?.kv.value)).toBe('now');
    const second = events.next();
    controller.abort();
    await expect(second).rejects.toMatchObject({ code: 'Aborted' });
  });
});

describe('maintenance', () => {
  test('status tells what 3.6 knows', async () => {
    await expect.poll(async () => (await client.maintenance.status()).storageVersion).toBe('3.6.0');
    const status = await client.maintenance.status();
    expect(status).toMatchObject({
      version: '3.6.16',
      isLearner: false,
      errors: [],
      storageVersion: '3.6.0',
      downgrade: undefined,
    });
    expect(status.leader).toBe(status.memberId);
    expect(status.dbSizeQuota).toBe(2 * 1024 ** 3);
    expect(status.dbSizeInUse).toBeLessThanOrEqual(status.dbSize);
    expect(status.raftAppliedIndex).toBeGreaterThan(0n);
  });

  test('hashes, defragmentation, and a downgrade that is asked about and not begun', async () => {
    const { revision } = await client.maintenance.status();
    const hash = await client.maintenance.hashKv(revision);
    expect(await client.maintenance.hashKv(revision)).toMatchObject({ hash: hash.hash, hashRevision: revision });
    await client.maintenance.defragment({ timeoutMs: 20_000 });
    expect((await client.maintenance.hashKv(revision)).hash).toBe(hash.hash);
    expect((await client.maintenance.hash()).hash).toBeGreaterThan(0);
    expect(await client.maintenance.downgradeValidate('3.5')).toMatch(/^3\.6/);
    await expect(client.maintenance.downgradeValidate('3.4')).rejects.toMatchObject({ code: 'InvalidDowngradeTarget' });
    expect(await client.maintenance.downgradeCancel()).toMatch(/^3\.6/);
  });

  test('a started downgrade is in the status, and can be cancelled', async () => {
    await client.maintenance.downgradeEnable('3.5');
    expect((await client.maintenance.status()).downgrade).toEqual({ targetVersion: '3.5.0' });
    await expect(client.maintenance.downgradeEnable('3.5')).rejects.toMatchObject({ code: 'DowngradeInProgress' });
    await client.maintenance.downgradeCancel();
    expect((await client.maintenance.status()).downgrade).toBeUndefined();
  });

  test('a write that gets NoSpace has an unknown outcome; disarming ends it', async () => {
    const { memberId } = await client.maintenance.status();
    expect(await client.maintenance.alarms()).toEqual([]);
    await client.maintenance.raiseAlarm(memberId, 'nospace');
    expect(await client.maintenance.alarms()).toEqual([{ memberId, alarm: 'nospace' }]);
    const put = () => client.kv.put({ key: toBytes('alarm'), value: toBytes('1') });
    await expect(put()).rejects.toMatchObject({ code: 'NoSpace', outcomeUnknown: true });
    await client.maintenance.disarmAlarm(memberId, 'nospace');
    expect((await put()).header.revision).toBeGreaterThan(0n);
  });

  test('a member that refuses to lead elsewhere says so', async () => {
    const move = client.maintenance.moveLeader(12_345n);
    await expect(move).rejects.toMatchObject({ code: 'BadLeaderTransferee' });
  });
});

describe('snapshots hold back when their reader does', () => {
  test('what is not taken is not sent beyond the window, and leaving ends it', async () => {
    for (let index = 0; index < 24; index++) {
      await client.kv.put({ key: toBytes(`fill/${index}`), value: new Uint8Array(1_000_000) });
    }
    const sockets: Socket[] = [];
    const dial: Dialer = async (target, signal) => {
      const socket = await networkDialer(target, signal);
      sockets.push(socket as Socket);
      return socket;
    };
    const reader = seed.client({ dial }).maintenance.snapshot()[Symbol.asyncIterator]();
    expect((await reader.next()).done).toBe(false);
    const [socket] = sockets;
    await expect.poll(() => socket?.bytesRead).toBeGreaterThan(1024 * 1024);
    await systemClock.sleep(700);
    expect(socket?.bytesRead).toBeLessThan(10 * 1024 * 1024);
    await reader.return?.();
    await expect.poll(() => socket?.destroyed).toBe(true);
    await client.kv.deleteRange(everything);
  });
});

describe('members in trouble', () => {
  test('one that is frozen costs the time limit, and is found again when it goes on', async () => {
    await client.maintenance.status();
    await seed.freeze();
    try {
      const put = client.kv.put({ key: toBytes('f'), value: toBytes('1') }, { timeoutMs: 300 });
      await expect(put).rejects.toMatchObject({ code: 'Timeout', outcomeUnknown: true });
    } finally {
      seed.thaw();
    }
    expect((await client.maintenance.status()).version).toBe('3.6.16');
  });

  test('one that is killed and started again is found by the same client', async () => {
    await client.kv.put({ key: toBytes('durable'), value: toBytes('yes') });
    await seed.stop('SIGKILL');
    await expect(client.maintenance.status()).rejects.toMatchObject({ code: 'Unavailable' });
    await seed.start();
    expect(text((await client.kv.range({ key: toBytes('durable') })).kvs[0]?.value)).toBe('yes');
  });

  test('the peer port is not taken for a client port', async () => {
    const wrong = seed.client({ target: { host: '127.0.0.1', port: seed.peerPort } });
    await expect(wrong.maintenance.status({ timeoutMs: 1_000 })).rejects.toMatchObject({
      code: expect.stringMatching(/Unavailable|BadResponse|Timeout/),
    });
  });
});
