// SPDX-License-Identifier: Apache-2.0
import { EtcdError, type MemberClient, type MemberStatus } from '@operator-parts/etcd';
import { VirtualClock } from '@operator-parts/ports';
import { beforeEach, describe, expect, test } from 'vitest';
import { DataHashes } from './data-hashes.ts';

const { signal } = new AbortController();
let clock: VirtualClock;
let asked: string[];
let hashes: DataHashes;

beforeEach(() => {
  clock = new VirtualClock(0);
  asked = [];
  hashes = new DataHashes(clock);
});

interface Voter {
  readonly revision: number;
  readonly errors?: readonly string[];
  readonly isLearner?: boolean;
  /** The number of the member that answers HashKV at the address of this voter; 0 if no member answers there. @default the number of this voter */
  readonly answersAs?: number;
}

/** Compares the members `m1`, `m2`, ... with these revisions. */
function compare(...members: readonly Voter[]) {
  const statuses = new Map<string, MemberStatus>();
  const clients = new Map<string, MemberClient>();
  for (const [index, { revision, errors = [], isLearner = false, answersAs = index + 1 }] of members.entries()) {
    const name = `m${index + 1}`;
    const status: Partial<MemberStatus> = {
      memberId: BigInt(index + 1),
      revision: BigInt(revision),
      errors,
      isLearner,
    };
    statuses.set(name, status as MemberStatus);
    const hashKv = async (at: bigint) => {
      asked.push(`${name}@${at}`);
      if (answersAs === 0) throw new EtcdError('Unavailable', 'gone');
      return { header: { memberId: BigInt(answersAs) }, hash: 7, compactRevision: 3n };
    };
    clients.set(name, { maintenance: { hashKv } } as unknown as MemberClient);
  }
  return hashes.compare(clients, statuses, signal);
}

const alarmed = { revision: 10, errors: ['memberID:5 alarm:CORRUPT '] };

describe('the hash of the data of all voters', () => {
  test('is not asked for without CORRUPT: it reads the whole database', async () => {
    expect((await compare({ revision: 10 }, { revision: 10, errors: ['alarm:NOSPACE '] })).size).toBe(0);
    expect(asked).toEqual([]);
  });

  test('is asked for at the smallest revision that any voter has; a learner has no say', async () => {
    const found = await compare(alarmed, { revision: 8 }, { revision: 2, isLearner: true });
    expect(asked).toEqual(['m1@8', 'm2@8']);
    expect(found.get('m1')).toEqual({ hash: 7, revision: 8, compactRevision: 3, reached: 10 });
    expect([...found.keys()]).toEqual(['m1', 'm2']);
  });

  test('is absent for a voter that does not report it, and for one at whose address another member answers', async () => {
    const found = await compare(alarmed, { revision: 10, answersAs: 0 }, { revision: 10, answersAs: 9 });
    expect([...found.keys()]).toEqual(['m1']);
  });

  test('is good for half a minute, as long as nothing was written', async () => {
    await compare(alarmed, { revision: 10 });
    await clock.advance(20_000);
    expect((await compare(alarmed, { revision: 10 })).size).toBe(2);
    expect(asked).toHaveLength(2);
    await compare(alarmed, { revision: 11 });
    expect(asked).toEqual(['m1@10', 'm2@10', 'm2@10']);
    await clock.advance(20_000);
    await compare(alarmed, { revision: 11 });
    expect(asked.slice(3)).toEqual(['m1@10']);
  });
});
