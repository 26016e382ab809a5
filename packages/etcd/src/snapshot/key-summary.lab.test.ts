// SPDX-License-Identifier: Apache-2.0

import { systemClock } from '@operator-parts/ports';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MemberClient } from '../client/member-client.ts';
import { EtcdLab } from '../testing/index.ts';
import { startRestored } from '../testing/offline-replay.ts';
import { summarizeKeys } from './key-summary.ts';

async function snapshotOf(member: MemberClient): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of member.maintenance.snapshot()) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}

const someSteps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ put: fc.integer({ min: 0, max: 9 }), size: fc.constantFrom(1, 100, 9_000) }) },
    { weight: 3, arbitrary: fc.record({ remove: fc.integer({ min: 0, max: 9 }) }) },
    { weight: 1, arbitrary: fc.record({ removeFrom: fc.integer({ min: 0, max: 9 }) }) },
    { weight: 1, arbitrary: fc.record({ compact: fc.integer({ min: 0, max: 5 }) }) },
  ),
  { minLength: 1, maxLength: 25 },
);

type Step = typeof someSteps extends fc.Arbitrary<(infer S)[]> ? S : never;
const key = (number: number) => Buffer.from(`key-${number}`);

async function apply({ kv, maintenance }: MemberClient, step: Step): Promise<void> {
  if ('put' in step) await kv.put({ key: key(step.put), value: Buffer.alloc(step.size, 'v') });
  else if ('remove' in step) await kv.deleteRange({ key: key(step.remove) });
  else if ('removeFrom' in step) await kv.deleteRange({ key: key(step.removeFrom), rangeEnd: Buffer.from('l') });
  else {
    const { revision } = await maintenance.status();
    // It may have been compacted further before.
    await kv.compact({ revision: revision - BigInt(step.compact) }).catch(() => undefined);
  }
}

/** Compares the summary of a snapshot with what the member answers. */
async function expectSummarized(member: MemberClient): Promise<void> {
  const file = await snapshotOf(member);
  const found = await summarizeKeys({
    readAt: async (offset, length) => file.subarray(offset, offset + length),
    bytes: file.byteLength,
  });
  const { hash, compactRevision } = await member.maintenance.hashKv(0n);
  const { revision } = await member.maintenance.status();
  const { count } = await member.kv.range({ key: Buffer.from([0]), rangeEnd: Buffer.from([0]), countOnly: true });
  expect(found).toEqual({
    revision: Number(revision),
    // etcd reports -1 before the first compaction.
    compactRevision: Math.max(0, Number(compactRevision)),
    keys: Number(count),
    hash,
  });
}

describe('what a database holds, by reading all of it', () => {
  test('is what etcd says of it, whatever was written, deleted and compacted', { timeout: 60_000 }, async () => {
    await using lab = await EtcdLab.open();
    const started = await (await lab.member()).start();
    using member = new MemberClient({ target: { host: '127.0.0.1', port: started.clientPort }, clock: systemClock });
    await fc.assert(
      fc.asyncProperty(someSteps, async (steps) => {
        for (const step of steps) await apply(member, step);
        await expectSummarized(member);
      }),
      { numRuns: 25, seed: 1 },
    );
  });

  test.each(['3.5', '3.6', '3.7'])(
    'is what etcd %s says of it also after restores that raised the revision',
    async (version) => {
      await using lab = await EtcdLab.open();
      let member = (await (await lab.member()).start({ version })).client();
      for (let round = 0; round < 2; round += 1) {
        for (let number = 0; number < 20; number += 1) await member.kv.put({ key: key(number), value: key(round) });
        await member.kv.deleteRange({ key: key(round) });
        member = (await startRestored(lab, await snapshotOf(member), version, 1_000_000_000)).client();
        await expectSummarized(member);
        const { header } = await member.kv.put({ key: key(0), value: Buffer.from('later') });
        await expectSummarized(member);
        await member.kv.compact({ revision: header.revision, physical: true });
        await expectSummarized(member);
      }
    },
    60_000,
  );
});
