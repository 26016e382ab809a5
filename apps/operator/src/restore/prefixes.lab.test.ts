// SPDX-License-Identifier: Apache-2.0
import { readdir, readFile } from 'node:fs/promises';
import { partVersion } from '@etcd-operator/tools';
import type { Login, MemberClient } from '@operator-parts/etcd';
import { prefixEnd, SnapshotKeys } from '@operator-parts/etcd';
import { writeRandomHistory } from '@operator-parts/etcd/testing';
import { secrets } from '@operator-parts/kube';
import { seededRandom, systemClock } from '@operator-parts/ports';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { noSpill } from './prefixes/testing/memory-etcd.ts';
import { RestoreLab } from './testing/restore-lab.ts';

const patiently = { timeoutMs: 60_000 };

describe('keys of prefixes are restored into a cluster that serves on', () => {
  let lab: RestoreLab;
  beforeAll(async () => {
    lab = await RestoreLab.start({ nodes: 1, versions: ['3.5', '3.6', '3.7'] });
  });
  afterAll(async () => {
    await lab?.[Symbol.asyncDispose]();
  });

  /** Every key with its value. */
  async function contents(member: MemberClient, prefix = '') {
    const key = prefix === '' ? Uint8Array.of(0) : Buffer.from(prefix);
    const { kvs } = await member.kv.range({ key, rangeEnd: prefixEnd(Buffer.from(prefix)) }, patiently);
    return kvs.map((kv) => `${Buffer.from(kv.key).toString('hex')}=${Buffer.from(kv.value).toString('hex')}`);
  }

  /** The expected counts of a comparison of the two. */
  function expectedCounts(now: readonly string[], then: readonly string[]) {
    const keysOf = (all: readonly string[]) => all.map((one) => one.split('=')[0]);
    const [keysNow, keysThen] = [keysOf(now), keysOf(then)];
    return {
      puts: then.filter((one) => !now.includes(one)).length,
      deletes: keysNow.filter((key) => !keysThen.includes(key)).length,
      unchanged: then.filter((one) => now.includes(one)).length,
      creates: keysThen.filter((key) => !keysNow.includes(key)).length,
    };
  }

  /** Writes keys outside the prefixes until it is stopped, and knows which values must exist then. */
  function otherClient(member: MemberClient) {
    const expected = new Map<string, string>();
    let isStopped = false;
    onTestFinished(() => {
      isStopped = true;
    });
    const running = (async () => {
      for (let count = 0; !isStopped; count++) {
        const key = `other/${count % 50}`;
        const value = String(count);
        await member.kv.put({ key: Buffer.from(key), value: Buffer.from(value) }, patiently);
        expected.set(key, value);
        await systemClock.sleep(2);
      }
    })();
    return async () => {
      isStopped = true;
      await running;
      const kept = [...expected].map(([key, value]) =>
        [key, value].map((text) => Buffer.from(text).toString('hex')).join('='),
      );
      expect([...(await contents(member, 'other/'))].sort()).toEqual(kept.sort());
    };
  }

  const put = (member: MemberClient, key: string, value: string) =>
    member.kv.put({ key: Buffer.from(key), value: Buffer.from(value) }, patiently);

  async function cluster(name: string, minor: '3.5' | '3.6' | '3.7' = '3.6') {
    await lab.clusters.create(name, { size: 1, version: partVersion(`etcd@${minor}`) });
    await lab.clusters.settled(name);
    return lab.clusters.member(name);
  }

  test.each(['3.5', '3.6', '3.7'] as const)(
    'of random histories on etcd %s: counted first, then written, while another client writes other keys',
    async (minor) => {
      const name = `random-${minor.slice(2)}`;
      using member = await cluster(name, minor);
      const random = seededRandom(Number(minor.slice(2)));
      await writeRandomHistory(member, random, 80);
      await put(member, 'a/kept', 'x');
      const wanted = ['a/', 'b/', 'b/1'];
      const good = await Promise.all([contents(member, 'a/'), contents(member, 'b/')]);
      await lab.snapshot(name, `${name}.db`);
      await writeRandomHistory(member, random, 80);
      await put(member, 'a/added', 'y');
      const stop = otherClient(member);
      const aside = await Promise.all([
        contents(member, 'ab'),
        member.kv.range({ key: Buffer.of(0xff), rangeEnd: Buffer.of(0) }, patiently),
      ]);
      const before = await Promise.all([contents(member, 'a/'), contents(member, 'b/')]);

      await lab.restore(name, `${name}.db`, { prefixes: wanted, dryRun: true });
      const counted = await lab.succeeded(name);
      expect(counted.prefixes).toMatchObject({ dryRun: true, compared: wanted, revision: expect.any(Number) });
      expect(counted.safetySnapshot).toBeUndefined();
      expect(await Promise.all([contents(member, 'a/'), contents(member, 'b/')])).toEqual(before);
      const { puts = 0, deletes = 0, unchanged = 0, creates = 0 } = counted.prefixes ?? {};
      expect({ puts, deletes, unchanged, creates }).toEqual(expectedCounts(before.flat(), good.flat()));
      expect(puts).toBeGreaterThan(0);
      expect(deletes).toBeGreaterThan(0);

      await lab.change(name, { dryRun: false });
      const status = await lab.clusters.until(`${name} is written`, async () => {
        const { status } = await lab.get(name);
        return status?.prefixes?.writtenRevision === undefined ? undefined : status;
      });
      expect(status).toMatchObject({ phase: 'Succeeded', prefixes: { dryRun: false, puts, deletes, unchanged } });
      expect(await Promise.all([contents(member, 'a/'), contents(member, 'b/')])).toEqual(good);
      expect(
        await Promise.all([
          contents(member, 'ab'),
          member.kv.range({ key: Buffer.of(0xff), rangeEnd: Buffer.of(0) }, patiently),
        ]).then(([one, other]) => [one, other.kvs]),
      ).toEqual([aside[0], aside[1].kvs]);
      await stop();
      const { status: after } = await lab.clusters.get(name);
      expect(after).toMatchObject({ incarnation: 1, readySize: 1 });
      // The safety snapshot is a backup like any other.
      expect(status.safetySnapshot).toMatchObject({ current: true });
      await lab.restore(`${name}-undo`, status.safetySnapshot?.path ?? '', { cluster: name, prefixes: ['a/'] });
      await lab.succeeded(`${name}-undo`);
      expect(await contents(member, 'a/')).toEqual(before[0]);
      expect(await readdir(`${lab.directory}/scratch`)).toEqual([]);
    },
    120_000,
  );

  test('a key that a client has changed since the dry run is named, and nothing is written, unless that is asked for', async () => {
    const name = 'random-6';
    using member = await lab.clusters.member(name);
    for (const key of ['c/1', 'c/2', 'c/3']) await put(member, key, 'good');
    await lab.snapshot(name, 'conflict.db');
    await member.kv.deleteRange({ key: Buffer.from('c/1') }, patiently);
    await put(member, 'c/2', 'bad');
    await lab.restore('conflict', 'conflict.db', { cluster: name, prefixes: ['c/'], dryRun: true });
    expect((await lab.succeeded('conflict')).prefixes).toMatchObject({ puts: 2, creates: 1, deletes: 0, unchanged: 1 });
    const { header } = await put(member, 'c/2', 'mine');
    await member.kv.compact({ revision: header.revision, physical: true }, patiently);
    await lab.change('conflict', { dryRun: false });
    const refused = await lab.clusters.until('it is refused', async () => {
      const { status } = await lab.get('conflict');
      return status?.phase === 'Failed' ? status : undefined;
    });
    expect(refused.reason).toContain(
      `key c/2 was changed in the cluster at revision ${header.revision}, after the comparison at revision`,
    );
    expect(refused.reason).toContain('Nothing is written');
    expect(refused.prefixes).toMatchObject({ dryRun: true });
    expect(await contents(member, 'c/')).toHaveLength(2);
    await lab.change('conflict', { onConflict: 'Overwrite' });
    await lab.clusters.until('it is written', async () =>
      (await lab.get('conflict')).status?.succeeded ? true : undefined,
    );
    expect(await lab.clusters.read(name, 'c/2')).toBe('good');
    expect(await contents(member, 'c/')).toHaveLength(3);
  });

  test('a cluster with an alarm NOSPACE is waited for, and the keys are written when it is gone', async () => {
    const name = 'random-7';
    using member = await lab.clusters.member(name);
    await put(member, 'd/1', 'good');
    await lab.snapshot(name, 'alarm.db');
    await put(member, 'd/1', 'bad');
    const { memberId } = await member.maintenance.status(patiently);
    await member.maintenance.raiseAlarm(memberId, 'nospace', patiently);
    await lab.restore('alarm', 'alarm.db', { cluster: name, prefixes: ['d/'] });
    const reason = async () => (await lab.get('alarm')).status?.reason;
    await expect.poll(reason, { timeout: 60_000 }).toMatch(/no space left \(alarm NOSPACE\).*trying again/);
    expect((await lab.get('alarm')).status?.phase).toBe('Writing');
    expect(await lab.clusters.read(name, 'd/1')).toBe('bad');
    await member.maintenance.disarmAlarm(memberId, 'nospace', patiently);
    await lab.succeeded('alarm');
    expect(await lab.clusters.read(name, 'd/1')).toBe('good');
  });

  test('an operator that ends between two transactions is followed by one that writes the rest; with authentication', async () => {
    const login: Login = { name: 'root', password: 'correct horse' };
    const encode = (text: string) => Buffer.from(text).toString('base64');
    const data = { username: encode(login.name), password: encode(login.password) };
    await lab.clusters.lab
      .client()
      .resource(secrets)
      .create({ metadata: { name: 'login', namespace: 'default' }, data });
    const name = 'killed';
    using member = await cluster(name);
    const many = 4_000;
    for (let from = 0; from < many; from += 100) {
      const success = Array.from({ length: 100 }, (_, index) => ({
        put: {
          key: Buffer.from(`k/${String(from + index).padStart(5, '0')}`),
          value: Buffer.from(`good ${from + index}`),
        },
      }));
      await member.kv.txn({ success }, patiently);
    }
    await put(member, 'l/1', 'outside');
    const good = await contents(member, 'k/');
    await lab.snapshot(name, 'killed.db');
    await member.kv.deleteRange({ key: Buffer.from('k/'), rangeEnd: Buffer.from('k/02') }, patiently);
    await put(member, 'k/extra', 'x');
    await member.auth.userAdd(login.name, login.password);
    await member.auth.roleAdd('root');
    await member.auth.userGrantRole('root', 'root');
    await member.auth.enable();
    await lab.clusters.change(name, { auth: { secret: 'login' } });
    using user = await lab.clusters.member(name, login);
    const range = { key: Buffer.from('k/'), rangeEnd: Buffer.from('k/1') };
    const present = async () => Number((await user.kv.range({ ...range, countOnly: true }, patiently)).count);
    expect(await present()).toBe(many / 2);
    const ending = (async () => {
      for await (const _first of user.watch({ ...range, startRevision: 0n })) return lab.stopOperator();
    })();
    await lab.restore('resumed', 'killed.db', { cluster: name, prefixes: ['k/'] });
    await ending;
    const reached = await present();
    expect(reached).toBeGreaterThan(many / 2);
    expect(reached).toBeLessThan(many);
    lab.startOperator();
    const status = await lab.succeeded('resumed');
    // The counts are those from before the first key was written.
    expect(status.prefixes).toMatchObject({ puts: 2_000, creates: 2_000, deletes: 1, unchanged: 2_000 });
    expect(await contents(user, 'k/')).toEqual(good);
    const { kvs } = await user.kv.range({ key: Buffer.from('k/'), rangeEnd: Buffer.from('k/02') }, patiently);
    // No key is written twice.
    expect(new Set(kvs.map(({ version }) => version))).toEqual(new Set([1n]));
    expect(await contents(user, 'l/')).toHaveLength(1);
  });

  test('with Overwrite, all that is overwritten is in a safety snapshot that the status names, also what clients wrote after the first one', async () => {
    const name = 'overwritten';
    using member = await cluster(name);
    using busy = await lab.clusters.member(name);
    const keys = Array.from({ length: 2_000 }, (_, index) => `k/${String(index).padStart(5, '0')}`);
    for (let from = 0; from < keys.length; from += 100) {
      const some = keys.slice(from, from + 100);
      const success = some.map((key) => ({ put: { key: Buffer.from(key), value: Buffer.from('good') } }));
      await member.kv.txn({ success }, patiently);
    }
    await lab.snapshot(name, 'overwritten.db');
    await member.kv.deleteRange({ key: Buffer.from('k/'), rangeEnd: Buffer.from('k/01') }, patiently);
    await put(member, 'k/01999', 'first');
    const stop = otherClient(busy);
    const range = { key: Buffer.from('k/'), rangeEnd: Buffer.from('k/1') };
    const ending = (async () => {
      for await (const _first of member.watch({ ...range, startRevision: 0n })) return lab.stopOperator();
    })();
    await lab.restore(name, 'overwritten.db', { prefixes: ['k/'], onConflict: 'Overwrite' });
    await ending;
    await put(member, 'k/01999', 'second');
    await put(member, 'k/99999', 'third');
    lab.startOperator();
    const { safetySnapshot } = await lab.succeeded(name);
    await stop();
    expect(await contents(member, 'k/')).toHaveLength(keys.length);
    expect(await lab.clusters.read(name, 'k/01999')).toBe('good');
    expect(safetySnapshot).toMatchObject({ round: 2, current: true, earlier: [{ revision: expect.any(Number) }] });
    const saved = [...(safetySnapshot?.earlier ?? []), safetySnapshot];
    const found = await Promise.all(saved.map((one) => savedKeys(one?.path ?? '')));
    // The reported revision is that of the stored snapshot, not one that other clients have reached meanwhile.
    expect(found.map(({ revision }) => revision)).toEqual(saved.map((one) => one?.revision));
    expect(found.map(({ at }) => at('k/01999'))).toEqual(['first', 'second']);
    expect(found.map(({ at }) => at('k/99999'))).toEqual([undefined, 'third']);
  });

  async function savedKeys(path: string) {
    const bytes = await readFile(lab.file(path));
    const readAt = async (offset: number, length: number) => bytes.subarray(offset, offset + length);
    const keys = await SnapshotKeys.open({ readAt, bytes: bytes.byteLength });
    const values = new Map<string, string>();
    for await (const { key, value } of keys.at({ prefixes: [Buffer.from('k/')] }, noSpill))
      values.set(Buffer.from(key).toString(), Buffer.from(await value()).toString());
    return { revision: Number(keys.revision), at: (key: string) => values.get(key) };
  }
});
