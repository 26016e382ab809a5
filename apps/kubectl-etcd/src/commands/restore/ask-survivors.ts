// SPDX-License-Identifier: Apache-2.0
import { isEtcdError, type MemberClient, type MemberStatus } from '@operator-parts/etcd';
import type { SurvivorAnswer } from '../../render/recovery.ts';

/** A hash reads the whole database. */
const hashTimeoutMs = 20_000;

/**
 * Asks members without a quorum what they have. Their hashes are of one revision, the smallest that any of them has reached; a member that has
 * compacted more or less than the others has another hash of the same data, so then none is reported.
 */
export async function askSurvivors(
  members: ReadonlyMap<string, MemberClient>,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, SurvivorAnswer>> {
  const asked = await Promise.all(
    [...members].map(async ([name, member]) => {
      const status = await answerOf(() => member.maintenance.status({ signal }), signal);
      return status ? [{ name, member, status }] : [];
    }),
  );
  const found = asked.flat();
  const revision = BigInt(Math.min(...found.map(({ status }) => Number(status.revision)), Number.MAX_SAFE_INTEGER));
  const hashes = await Promise.all(
    found.map(({ member }) =>
      answerOf(() => member.maintenance.hashKv(revision, { signal, timeoutMs: hashTimeoutMs }), signal),
    ),
  );
  const isComparable = new Set(hashes.map((hash) => hash?.compactRevision)).size === 1;
  return new Map(
    found.map(({ name, status }, at) => {
      const { hash } = (isComparable && hashes[at]) || {};
      return [name, { ...factsOf(status), ...(hash !== undefined && { hash, hashRevision: Number(revision) }) }];
    }),
  );
}

function factsOf({ raftTerm, raftIndex, raftAppliedIndex, revision, leader }: MemberStatus): SurvivorAnswer {
  const applied = raftAppliedIndex !== undefined && { applied: Number(raftAppliedIndex) };
  const hasLeader = leader !== 0n;
  return { term: Number(raftTerm), committed: Number(raftIndex), ...applied, revision: Number(revision), hasLeader };
}

async function answerOf<T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    signal.throwIfAborted();
    if (isEtcdError(error)) return undefined;
    throw error;
  }
}
