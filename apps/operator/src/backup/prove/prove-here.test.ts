// SPDX-License-Identifier: Apache-2.0
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { boltFile, FakeMember, messages, revisionKey } from '@operator-parts/etcd/testing';
import { settle, VirtualClock } from '@operator-parts/ports';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readWords } from './proof-report.ts';
import { proveHere } from './prove-here.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'prove-here-'));
  // A protobuf message with only field 1, the key, of one byte.
  const entry = Buffer.from([0x0a, 1, 0x61]);
  await writeFile(
    join(directory, 'db'),
    boltFile([
      { name: 'key', entries: [[revisionKey(7n), entry]] },
      { name: 'meta', entries: [] },
    ]),
  );
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const status = messages.statusResponse.encode({ version: '3.6.16', leader: 1n });

async function wordsOf(member: FakeMember) {
  const clock = new VirtualClock();
  const reportFile = join(directory, 'report');
  const { signal } = new AbortController();
  let isOver = false;
  const place = { file: join(directory, 'db'), loginDirectory: '', reportFile, clock, signal, dial: member.dial };
  const proof = proveHere(place).finally(() => {
    isOver = true;
  });
  // The file is read from the real disk, which the virtual clock does not control.
  for (let looks = 0; looks < 10_000 && !isOver; looks++) {
    await settle();
    await clock.advance(250);
  }
  await proof;
  return readWords(await readFile(reportFile, 'utf8'));
}

test('an etcd that is slow once, after it has a leader, is asked again: a busy node says nothing about a backup', async () => {
  let lists = 0;
  const member = new FakeMember((call) => {
    if (call.method === 'Maintenance/Status') return call.reply(status);
    if (call.method === 'Cluster/MemberList' && ++lists === 1) return call.refuse(14, 'etcdserver: request timed out');
    if (call.method === 'Cluster/MemberList') return call.reply(messages.membersResponse.encode({}));
    return call.refuse(15, 'etcdserver: corrupt cluster');
  });
  // A temporary error is retried, and a permanent error is reported.
  expect(await wordsOf(member)).toEqual({ kind: 'notServing', why: expect.stringContaining('corrupt cluster') });
  expect(lists).toBe(2);
});
