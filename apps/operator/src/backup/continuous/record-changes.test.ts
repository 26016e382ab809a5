// SPDX-License-Identifier: Apache-2.0
import type { MemberClient, WatchBatch } from '@operator-parts/etcd';
import { settle, silentLogger, VirtualClock } from '@operator-parts/ports';
import { describe, expect, test } from 'vitest';
import type { RevisionChanges } from '../../changes/revision-changes.ts';
import { put } from '../../changes/testing/changes.ts';
import { MemoryStore } from '../../storage/testing/memory-store.ts';
import { recordChanges, UnrecordedError } from './record-changes.ts';

const header = { clusterId: 0xabcn, memberId: 1n, revision: 9n, raftTerm: 1n };
const owner = { clusterId: 'abc', backup: { namespace: 'default', name: 'b', uid: 'u' } };

/** A member whose watch delivers these revisions and then nothing more. */
function memberWith(revisions: readonly RevisionChanges[]): MemberClient {
  const scripted = {
    watchBatches: async function* ({ signal }: { signal: AbortSignal }): AsyncGenerator<WatchBatch> {
      const events = revisions.flatMap((one) => one.events).map((event) => ({ ...event, prevKv: undefined }));
      yield { header, events, isComplete: true };
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    },
    kv: { range: async () => ({ header }) },
    lease: { timeToLive: async () => ({ grantedTtl: 0n }) },
  };
  return scripted as unknown as MemberClient;
}

/**
 * Records from after revision 7, whose recorded changes are `last`. Resolves with what is stored, or with the error that ended recording.
 */
async function record(last: RevisionChanges, revisions: readonly RevisionChanges[]) {
  const [clock, store, stop] = [new VirtualClock(), new MemoryStore(), new AbortController()];
  const before = { kind: 'segment', history: 'ab'.repeat(32) } as const;
  const place = { store, base: 'dir/b', keys: undefined, owner };
  const ports = { clock, log: silentLogger, client: memberWith(revisions), place, onPoint: () => undefined };
  const tidy = async () => undefined;
  const ended = recordChanges({ revision: 7n, before, last }, { ...ports, tidy }, stop.signal).catch((error) => error);
  await settle();
  await clock.advance(3_000);
  await settle();
  stop.abort(new Error('the test has ended'));
  return { why: await ended, stored: store.keys.length };
}

describe('recording after a segment', () => {
  test('goes on where the last recorded revision is what it was', async () => {
    const { why, stored } = await record(put(7n), [put(7n), put(8n), put(9n)]);
    expect([String(why), stored]).toEqual(['Error: the test has ended', 1]);
  });

  test('goes on where the last recorded revision is compacted, or half of it', async () => {
    expect(await record(put(7n), [put(8n), put(9n)])).toMatchObject({ stored: 1 });
    const { revision, at, events } = put(7n);
    const removed = events.map(({ kv }) => ({ type: 'delete' as const, kv: { ...kv, key: Buffer.from('gone') } }));
    const both = { revision, at, events: [...removed, ...events] };
    expect(await record(both, [put(7n), put(8n), put(9n)])).toMatchObject({ stored: 1 });
  });

  test('ends where that revision is another one now: the cluster has lost writes, and gone on beyond it', async () => {
    const { why, stored } = await record(put(7n), [put(7n, 0, 'other'), put(8n), put(9n)]);
    expect(why).toBeInstanceOf(UnrecordedError);
    expect(why).toMatchObject({ revision: 8n, message: expect.stringContaining('has lost writes') });
    expect(stored).toBe(0);
  });
});
