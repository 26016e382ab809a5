// SPDX-License-Identifier: Apache-2.0
import { cp, open, readdir, readFile, rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { LogError, type MemberClient } from '@operator-parts/etcd';
import { EtcdLab, type EtcdProcess } from '@operator-parts/etcd/testing';
import { systemClock } from '@operator-parts/ports';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { copySurvivor, readLog } from './copy-survivor.ts';

type Change = (directory: string) => Promise<void>;

const wal = (directory: string) => join(directory, 'member', 'wal');
const snap = (directory: string) => join(directory, 'member', 'snap');

async function logFiles(directory: string): Promise<readonly string[]> {
  const names = (await readdir(wal(directory))).filter((name) => name.endsWith('.wal')).sort();
  return names.map((name) => join(wal(directory), name));
}

/** The last file of the log, and where its records end. */
async function end(directory: string): Promise<{ readonly file: string; readonly offset: number }> {
  return { file: (await logFiles(directory)).at(-1) ?? '', offset: (await readLog(directory)).end.offset };
}

/** Where the records of the last file begin. */
async function starts(directory: string): Promise<readonly number[]> {
  const { file, offset } = await end(directory);
  const bytes = await readFile(file);
  const found: number[] = [];
  for (let at = 0; at < offset; ) {
    found.push(at);
    const mark = bytes.readUInt8(at + 7);
    at += 8 + bytes.readUInt32LE(at) + (mark & 0x80 ? mark & 0x07 : 0);
  }
  return found;
}

async function overwrite(file: string, offset: number, change: (found: Buffer) => Buffer, length: number) {
  await using handle = await open(file, 'r+');
  const { buffer } = await handle.read(Buffer.alloc(length), 0, length, offset);
  await handle.write(change(buffer), 0, length, offset);
}

const flip = (file: string, offset: number) => overwrite(file, offset, (found) => Buffer.of((found[0] ?? 0) ^ 0xff), 1);
const zero = (file: string, offset: number, length: number) =>
  overwrite(file, offset, (found) => found.fill(0), length);

/** What may become of it. Never less than what was acknowledged, unless that is said. */
const all = /^complete$/;
const refused = /^refused: /;
const said =
  /^complete, said to be torn$|^torn, \d+ missing$|^refused: the end of the write-ahead log \(WAL\) is missing/;

type Case = readonly [what: string, change: Change, outcome: RegExp];

const ofTheEnd: readonly Case[] = [
  [
    'the log is cut within a record',
    async (directory) => truncate((await end(directory)).file, ((await starts(directory)).at(-60) ?? 0) + 21),
    said,
  ],
  [
    'the log is cut between two records',
    async (directory) => truncate((await end(directory)).file, (await starts(directory)).at(-60)),
    said,
  ],
  [
    'the log is cut right after its last record',
    async (directory) => {
      const { file, offset } = await end(directory);
      await truncate(file, offset);
    },
    said,
  ],
  [
    'the end of the log was not written, from a sector on',
    async (directory) => {
      const { file, offset } = await end(directory);
      const begun = await starts(directory);
      const sectors = Array.from({ length: 60 }, (_, count) => (Math.floor(offset / 512) - 20 - count) * 512);
      // Where a record begins with the sector, nothing in the log shows it.
      const from = sectors.find((sector) => !begun.includes(sector)) ?? 0;
      await zero(file, from, offset - from);
    },
    said,
  ],
  [
    'the last record is incomplete',
    async (directory) => {
      const { file, offset } = await end(directory);
      await truncate(file, offset - 5);
    },
    said,
  ],
];

const within: readonly Case[] = [
  [
    'a byte of the log is changed',
    async (directory) => flip((await end(directory)).file, ((await starts(directory)).at(300) ?? 0) + 40),
    refused,
  ],
  [
    'a byte of the last record is changed',
    async (directory) => flip((await end(directory)).file, ((await starts(directory)).at(-1) ?? 0) + 10),
    refused,
  ],
  [
    'a sector of the log was not written',
    async (directory) => {
      const { file, offset } = await end(directory);
      await zero(file, Math.floor(offset / 1_024) * 512, 512);
    },
    said,
  ],
  ['the folder of the log is gone', (directory) => rm(wal(directory), { recursive: true }), refused],
  ['the database is gone', (directory) => rm(join(snap(directory), 'db')), all],
  ['most of the database is gone', (directory) => truncate(join(snap(directory), 'db'), 65_536), refused],
  [
    'the first pages of the database were not written',
    (directory) => zero(join(snap(directory), 'db'), 0, 8_192),
    refused,
  ],
];

const ofFiles: readonly Case[] = [
  ['the first file of the log is gone', async (directory) => rm((await logFiles(directory))[0] ?? ''), refused],
  ['the last file of the log is gone', async (directory) => rm((await logFiles(directory)).at(-1) ?? ''), said],
  ['nothing is wrong', () => Promise.resolve(), all],
];

const ofSnapshots: readonly Case[] = [
  [
    'the raft snapshots are gone',
    async (directory) => {
      for (const name of await readdir(snap(directory)))
        if (name.endsWith('.snap')) await rm(join(snap(directory), name));
    },
    all,
  ],
  [
    'a raft snapshot is damaged',
    async (directory) => {
      const names = (await readdir(snap(directory))).filter((name) => name.endsWith('.snap')).sort();
      await flip(join(snap(directory), names.at(-1) ?? ''), 40);
    },
    all,
  ],
  ['the database is gone', (directory) => rm(join(snap(directory), 'db')), refused],
  ['nothing is wrong', () => Promise.resolve(), all],
];

/** In the order in which they are made: with one file of the log, with two, and with raft snapshots. */
const kinds = {
  young: { count: 600, bytes: 600, args: [], cases: [...ofTheEnd, ...within] },
  long: { count: 80, bytes: 1024 * 1024, args: [], cases: ofFiles },
  old: { count: 600, bytes: 600, args: ['--snapshot-count=100'], cases: [...ofTheEnd, ...ofSnapshots] },
};

async function acknowledged(
  client: MemberClient,
  name: string,
  count: number,
  bytes: number,
): Promise<readonly string[]> {
  const keys = Array.from({ length: count }, (_, index) => `k${name}${index}`);
  const value = Buffer.alloc(bytes, 'v');
  const write = async (from: number) => {
    for (let at = from; at < keys.length; at += 8) await client.kv.put({ key: Buffer.from(keys[at] ?? ''), value });
  };
  await Promise.all(Array.from({ length: 8 }, (_, from) => write(from)));
  return keys;
}

/** False if it ends by itself, as in a pod that is restarted again and again. */
async function serves(member: EtcdProcess): Promise<boolean> {
  let hasEnded = false;
  const ended = member.ended().then(() => {
    hasEnded = true;
  });
  const hasLeader = async () => (await member.client().maintenance.status({ timeoutMs: 1_000 })).leader !== 0n;
  while (!hasEnded) {
    if (await hasLeader().catch(() => false)) return true;
    await Promise.race([ended, systemClock.sleep(50)]);
  }
  return false;
}

async function keysOf(client: MemberClient): Promise<ReadonlySet<string>> {
  const { kvs } = await client.kv.range({ key: Buffer.from('k'), rangeEnd: Buffer.from('l'), keysOnly: true });
  return new Set(kvs.map(({ key }) => Buffer.from(key).toString()));
}

describe.each(['3.5', '3.6', '3.7'])(
  'the data of a member that was killed after its last write, etcd %s',
  (version) => {
    let lab: EtcdLab;
    const made = new Map<string, { readonly directory: string; readonly keys: readonly string[] }>();
    beforeAll(async () => {
      lab = await EtcdLab.open();
      for (const [kind, { count, bytes, args }] of Object.entries(kinds)) {
        const member = await lab.member();
        await member.start({ version, args });
        const before = await acknowledged(member.client(), 'a', count / 2, bytes);
        // etcd reserves the room in its log again.
        await member.stop();
        await member.start();
        const keys = [...before, ...(await acknowledged(member.client(), 'b', count / 2, bytes))];
        await member.stop('SIGKILL');
        made.set(kind, { directory: join(lab.directory, member.name), keys });
      }
    }, 300_000);
    afterAll(() => lab?.[Symbol.asyncDispose]());

    /** What becomes of it: all of it serves, or what is wrong with it is said. */
    async function outcomeOf(kind: string, change: Change): Promise<string> {
      const { directory, keys } = made.get(kind) ?? { directory: '', keys: [] };
      const damaged = join(lab.directory, 'damaged');
      await rm(damaged, { recursive: true, force: true });
      await cp(directory, damaged, { recursive: true });
      await change(damaged);
      const alone = await lab.member();
      try {
        const { log } = await copySurvivor({ from: damaged, to: join(lab.directory, alone.name) });
        await alone.start({ version, unattended: true });
        return await resultOf(alone, keys, log.end.isTorn);
      } catch (error) {
        if (error instanceof LogError) return `refused: ${error.message}`;
        throw error;
      } finally {
        await alone.stop('SIGKILL');
      }
    }

    const cases = Object.entries(kinds).flatMap(([kind, { cases: of }]) => of.map((one) => [kind, ...one] as const));
    test.each(cases)(
      '%s: is complete, or its loss is said, where %s',
      async (kind, _what, change, outcome) => {
        expect(await outcomeOf(kind, change)).toMatch(outcome);
      },
      60_000,
    );
  },
);

async function resultOf(member: EtcdProcess, keys: readonly string[], isTorn: boolean): Promise<string> {
  if (!(await serves(member))) return 'etcd does not serve';
  const found = await keysOf(member.client());
  const missing = keys.filter((key) => !found.has(key)).length;
  if (missing === 0) return isTorn ? 'complete, said to be torn' : 'complete';
  return `${isTorn ? 'torn' : 'nothing is said'}, ${missing} missing`;
}
