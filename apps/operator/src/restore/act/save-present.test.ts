// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MemberClient } from '@operator-parts/etcd';
import { boltFile, FakeMember, revisionKey } from '@operator-parts/etcd/testing';
import { systemClock, VirtualClock } from '@operator-parts/ports';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type OpenedStorage, openStore } from '../../storage/open-store.ts';
import { storagePlace } from '../../storage/storage-place.ts';
import { type SaveOptions, safetyKey, savePresent } from './save-present.ts';

let directory = '';
let opened: OpenedStorage;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'save-'));
  const request = { type: 'Directory', sources: { directory: { path: 'backup.db' } }, namespace: 'ns' };
  const readSecret = () => Promise.reject(new Error('none is needed'));
  opened = await openStore({ ...request, readSecret }, { clock: systemClock, directory });
});
afterEach(async () => {
  opened.store.close();
  await rm(directory, { recursive: true, force: true });
});

function clientOf(fake: FakeMember): MemberClient {
  const login = () => ({ name: 'root', password: 'of the backup' });
  return new MemberClient({ target: { host: 'm', port: 2379 }, clock: systemClock, dial: fake.dial, login });
}

const context = { signal: new AbortController().signal, onProgress: () => undefined };

const clock = new VirtualClock();
/** Members by incarnation, the newest first. A letter names each member. */
const options = (
  incarnations: readonly (readonly (MemberClient | undefined)[])[],
  some: Partial<SaveOptions> = {},
) => ({
  incarnations: () =>
    incarnations.map((members) => new Map(members.map((member, index) => [String.fromCharCode(97 + index), member]))),
  ...{ key: 'ns/kept', isTaken: true, patience: 0, clock, ...some },
});

test('operator rule 23: members that know other credentials than the spec names fail the save: their data is not abandoned', async () => {
  const words = 'etcdserver: authentication failed, invalid user ID or password';
  using locked = clientOf(new FakeMember((call) => call.refuse(3, words)));
  using unreachable = clientOf(new FakeMember((call) => call.refuse(14, 'nobody is here')));
  const saved = savePresent(opened, options([[unreachable, locked]]), context);
  await expect(saved).rejects.toMatchObject({
    code: 'NotSaved',
    message: expect.stringContaining("members rejected the operator's credentials"),
  });
});

test('of members that cannot be reached nothing can be saved, and each is named with why', async () => {
  using unreachable = clientOf(new FakeMember((call) => call.refuse(14, 'nobody is here')));
  expect(await savePresent(opened, options([[unreachable, undefined]]), context)).toEqual({
    kind: 'skipped',
    why: expect.stringMatching(
      /^pod\/a is not reachable from the operator \(.*nobody is here.*\); pod\/b has no IP address$/,
    ),
  });
  expect(await savePresent(opened, options([]), context)).toEqual({
    kind: 'skipped',
    why: 'no member is reachable from the operator',
  });
});

/** A status: field 4 is the leader, 5 the raft index; field 1 is the header, whose field 3 is the revision. */
const statusOf = (leader: number, raftIndex: number, revision = 7) =>
  Uint8Array.of(0x0a, 2, 0x18, revision, 0x20, leader, 0x28, raftIndex);

const cutOff = {
  kind: 'skipped',
  why: expect.stringContaining('could not be written to the backup store'),
  revision: 7,
};

/** Answers with the present status, and refuses its snapshot. Has a quorum if its status names a leader, unless set otherwise. */
const memberWith = (
  status: () => Uint8Array | undefined,
  asked: string[] = [],
  name = '',
  hasQuorum: (status: Uint8Array) => boolean = ([, , , , , leader]) => leader !== 0,
) =>
  new FakeMember((call) => {
    asked.push(`${name} ${call.method}`);
    const now = status();
    if (!now) call.refuse(14, 'not up yet');
    else if (call.method === 'Auth/Authenticate') call.refuse(9, 'etcdserver: authentication is not enabled');
    else if (call.method === 'Maintenance/Status') call.reply(now);
    else if (call.method === 'KV/Range' && hasQuorum(now)) call.reply(new Uint8Array());
    else if (call.method === 'Maintenance/Snapshot' && /whole|old/.test(name)) call.reply(snapshotOf(name));
    else call.refuse(14, 'cut off');
  });

function snapshotOf(name: string): Uint8Array {
  return wholeSnapshot(name.endsWith('old') ? 6n : 30n);
}

/** One message: field 3 is the blob, which is a database with its highest revision set to this one, and its hash. */
function wholeSnapshot(revision: bigint): Uint8Array {
  const database = boltFile([{ name: 'key', entries: [[revisionKey(revision), Buffer.of(1)]] }]);
  const blob = Buffer.concat([database, createHash('sha256').update(database).digest()]);
  const length = [0, 7, 14].map((shift) => ((blob.byteLength >> shift) & 0x7f) | (shift < 14 ? 0x80 : 0));
  return Buffer.concat([Buffer.of(0x1a, ...length), blob]);
}

test('what is stored of a member that answers a linearizable read is current, also if another one has a longer log', async () => {
  using leading = clientOf(memberWith(() => statusOf(1, 3), [], 'leading, whole'));
  using cut = clientOf(
    memberWith(
      () => statusOf(1, 9),
      [],
      'cut off, whole',
      () => false,
    ),
  );
  const saved = await savePresent(opened, options([[cut, leading]]), context);
  expect(saved).toMatchObject({ kind: 'kept', isCurrent: true, members: ['b'], revision: 7 });
});

test('the revision that is told is not below what clients have seen, or, where they go on writing, what the snapshot has', async () => {
  let asked = 0;
  // The member is at revision 7 first, and at 99 after its snapshot, of revision 30, was taken.
  using member = clientOf(memberWith(() => statusOf(1, 3, asked++ < 3 ? 7 : 99), [], 'whole'));
  expect(await savePresent(opened, options([[member]]), context)).toMatchObject({ kind: 'kept', revision: 99 });
  asked = 0;
  const serving = savePresent(opened, options([[member]], { servesOn: true }), context);
  expect(await serving).toMatchObject({ kind: 'kept', revision: 30 });
});

test('what is stored of a member without a quorum is not current, and does not stand for other members: their logs may go on beyond what they know to be committed', async () => {
  using alone = clientOf(memberWith(() => statusOf(0, 9), [], 'alone, whole'));
  using behind = clientOf(memberWith(() => statusOf(0, 8)));
  using ahead = clientOf(memberWith(() => statusOf(0, 8, 20)));
  using led = clientOf(
    memberWith(
      () => statusOf(1, 8),
      [],
      '',
      () => false,
    ),
  );
  using unreachable = clientOf(memberWith(() => undefined));
  const saved = savePresent(opened, options([[alone, behind, ahead, led, unreachable]]), context);
  expect(await saved).toMatchObject({ kind: 'kept', isCurrent: false, members: ['a'] });
});

test('a member that names a leader which it does not reach is asked again, and others with it', async () => {
  const asked: string[] = [];
  let isBack = false;
  using early = clientOf(
    memberWith(
      () => statusOf(1, 9),
      asked,
      'early, whole',
      () => isBack,
    ),
  );
  using unreachable = clientOf(memberWith(() => undefined));
  const saved = savePresent(opened, options([[early, unreachable]], { patience: 15_000 }), context);
  await expect.poll(() => asked).toContain('early, whole KV/Range');
  isBack = true;
  for (let second = 0; second < 5; second++) await clock.advance(1_000);
  expect(await saved).toMatchObject({ kind: 'kept', isCurrent: true });
});

test('without a leader the save waits for all members: the one that starts last may have the most', async () => {
  const asked: string[] = [];
  let isUp = false;
  using early = clientOf(memberWith(() => statusOf(0, 3), asked, 'early'));
  using late = clientOf(memberWith(() => (isUp ? statusOf(0, 9) : undefined), asked, 'late'));
  const saved = savePresent(opened, options([[early, late]], { patience: 15_000 }), context);
  await expect.poll(() => asked.filter((call) => call === 'late Maintenance/Status').length).toBe(0);
  await expect.poll(() => asked).toContain('early Maintenance/Status');
  isUp = true;
  for (let second = 0; second < 5; second++) await clock.advance(1_000);
  expect(await saved).toMatchObject(cutOff);
  expect(asked.filter((call) => call.endsWith('Snapshot'))).toEqual(['late Maintenance/Snapshot']);
});

test('a member that has a quorum is not kept waiting for others', async () => {
  const asked: string[] = [];
  using leading = clientOf(memberWith(() => statusOf(1, 3), asked, 'leading'));
  using unreachable = clientOf(memberWith(() => undefined));
  const saved = savePresent(opened, options([[leading, unreachable]], { patience: 15_000 }), context);
  expect(await saved).toMatchObject(cutOff);
  expect(asked).toContain('leading Maintenance/Snapshot');
});

test('where none is wanted, only how far the members have come is asked', async () => {
  const asked: string[] = [];
  using member = clientOf(memberWith(() => statusOf(1, 3, 42), asked, 'm'));
  expect(await savePresent(opened, options([[member]], { isTaken: false }), context)).toEqual({
    kind: 'skipped',
    why: 'spec.safetySnapshot is false',
    revision: 42,
  });
  expect(asked.filter((call) => call.endsWith('Snapshot'))).toEqual([]);
});

test('what is saved is of the last incarnation of which a member answers, however much the previous ones have done', async () => {
  const asked: string[] = [];
  const answers = (incarnation: string, raftIndex: number) =>
    new FakeMember((call) => {
      asked.push(`${incarnation} ${call.method}`);
      if (call.method === 'Auth/Authenticate') call.refuse(9, 'etcdserver: authentication is not enabled');
      else if (call.method === 'Maintenance/Status') call.reply(Uint8Array.of(0x28, raftIndex));
      else call.refuse(14, 'cut off');
    });
  using before = clientOf(answers('before', 100));
  using last = clientOf(answers('last', 3));
  const saved = savePresent(opened, options([[last], [before]]), context);
  expect(await saved).toMatchObject({ kind: 'skipped', revision: 0 });
  expect(asked.filter((call) => call.endsWith('Snapshot'))).toEqual(['last Maintenance/Snapshot']);
});

test('what was stored for one generation, or before others wrote on, is not replaced by what is stored afterwards', () => {
  const attempts = [{}, { generation: 1, round: 1 }, { generation: 2, round: 1 }, { generation: 2, round: 2 }];
  const keys = attempts.map((attempt) => safetyKey('b.db', { uid: '0123456789', incarnation: 2, ...attempt }));
  const numbers = ['2', '2-1', '2-2', '2-2-2'];
  expect(keys).toEqual(numbers.map((number) => `b.db.before-restore-01234567-${number}`));
});

test('the path of what is kept can stand in an EtcdRestore as it is, also of a directory', async () => {
  using member = clientOf(memberWith(() => statusOf(1, 3), [], 'whole'));
  const key = safetyKey(opened.place.key, { uid: '0123456789', incarnation: 2 });
  const saved = await savePresent(opened, options([[member]], { key }), context);
  expect(saved).toMatchObject({ kind: 'kept', path: 'backup.db.before-restore-01234567-2' });
  const path = saved.kind === 'kept' ? saved.path : '';
  expect(storagePlace('Directory', { directory: { path } }, 'ns').key).toBe(key);
  expect((await opened.store.stat(key)).bytes).toBeGreaterThan(0);
});

test('what is stored and older than what the member had is no safety snapshot, and is removed', async () => {
  using member = clientOf(memberWith(() => statusOf(1, 3, 7), [], 'old'));
  const saved = await savePresent(opened, options([[member]]), context);
  expect(saved).toEqual({ kind: 'skipped', why: expect.stringContaining('has revision 6'), revision: 7 });
  expect(await readdir(join(directory, 'ns')).catch(() => [])).toEqual([]);
});

test('a member that was to join, and has received nothing, stands in the way of no restore', async () => {
  using lone = clientOf(memberWith(() => statusOf(0, 9), [], 'alone, whole'));
  using unreachable = clientOf(memberWith(() => undefined));
  const saved = (isEmpty: boolean) =>
    savePresent(opened, options([[lone, unreachable]], { isEmpty: async () => isEmpty }), context);
  expect(await saved(false)).toMatchObject({ kind: 'kept', isCurrent: false, members: ['a'] });
  expect(await saved(true)).toMatchObject({ kind: 'kept', isCurrent: false, members: ['a', 'b'] });
});

/** Lets work continue until the promise is settled. */
async function settled<T>(saved: Promise<T>): Promise<T> {
  let isOver = false;
  const ended = saved.finally(() => {
    isOver = true;
  });
  ended.catch(() => undefined);
  while (!isOver) {
    await clock.advance(500);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return ended;
}

/** Lets this much time pass before each retry. */
const waiting = (milliseconds: number, troubles: string[]) => ({
  ...context,
  onTrouble: (why: string) => {
    troubles.push(why);
    setImmediate(() => void clock.advance(milliseconds));
  },
});

test('a member that ends while its snapshot is read is no reason to go on without one: it is taken again, and that is told', async () => {
  const troubles: string[] = [];
  let attempts = 0;
  const fake = new FakeMember((call) => {
    if (call.method === 'Auth/Authenticate') call.refuse(9, 'etcdserver: authentication is not enabled');
    else if (call.method === 'Maintenance/Status') call.reply(statusOf(1, 3));
    else if (call.method === 'KV/Range') call.reply(new Uint8Array());
    else if (++attempts < 3) call.refuse(14, 'cut off');
    else call.reply(wholeSnapshot(30n));
  });
  using member = clientOf(fake);
  const saved = await savePresent(opened, options([[member]], { storePatience: 30_000 }), waiting(2_000, troubles));
  expect(saved).toMatchObject({ kind: 'kept', isCurrent: true });
  expect(troubles).toEqual([expect.stringContaining('cut off'), expect.stringContaining('cut off')]);
});

test('what cannot be stored for as long as that is left out, with the revision of the member', async () => {
  using member = clientOf(memberWith(() => statusOf(1, 3)));
  const troubles: string[] = [];
  const saved = await savePresent(opened, options([[member]], { storePatience: 30_000 }), waiting(10_000, troubles));
  expect(saved).toEqual(cutOff);
  expect(troubles).toHaveLength(3);
});

test('members that do not let the operator in for a moment are asked again', async () => {
  const words = 'etcdserver: authentication failed, invalid user ID or password';
  let refused = 0;
  const fake = new FakeMember((call) => {
    if (refused < 3) {
      refused++;
      call.refuse(3, words);
    } else if (call.method === 'Auth/Authenticate') call.refuse(9, 'etcdserver: authentication is not enabled');
    else if (call.method === 'Maintenance/Status') call.reply(statusOf(1, 3));
    else call.reply(call.method === 'KV/Range' ? new Uint8Array() : wholeSnapshot(30n));
  });
  using member = clientOf(fake);
  const saved = await settled(savePresent(opened, options([[member]], { patience: 1e9 }), context));
  expect(saved).toMatchObject({ kind: 'kept' });
  expect(refused).toBe(3);
});
