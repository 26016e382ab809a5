// SPDX-License-Identifier: Apache-2.0
import type { MemberClient, MemberStatus } from '@etcd-operator/etcd';
import { isEtcdError } from '@etcd-operator/etcd';
import type { Clock } from '@etcd-operator/ports';
import type { OpenedStorage } from '../../storage/open-store.ts';
import { putSnapshot } from '../../storage/put-snapshot.ts';
import type { JobContext } from '../jobs.ts';
import type { SafetyFacts } from '../observation.ts';
import { refusals } from '../observe/observe.ts';
import { RestoreError } from '../restore-error.ts';

/** Beside the backup, under a name that says what it is and that no retention counts. */
export function safetyKey(key: string, attempt: { readonly uid: string; readonly incarnation: number }): string {
  return `${key}.before-restore-${attempt.uid.slice(0, 8)}-${attempt.incarnation}`;
}

/** Members of one incarnation, by the names of their pods; undefined for a pod that has no address yet. */
export type Incarnation = ReadonlyMap<string, MemberClient | undefined>;

export interface SaveOptions {
  /** The incarnations whose members may be asked, the newest first, as they are now. Closed by whoever calls. */
  readonly incarnations: () => readonly Incarnation[];
  readonly key: string;
  /** False to ask only how far they have come. */
  readonly isTaken: boolean;
  /** For how long members that do not answer are asked again, in milliseconds. */
  readonly patience: number;
  readonly clock: Clock;
}

/**
 * Stores a snapshot of the member that has the most, if any answers: one of the last incarnation of which one does, for that is what
 * clients have used. A member that answers a linearizable read has everything that was acknowledged; until one does, all are waited
 * for, since any of them may be ahead. A member without a quorum is read as well: what it holds is better than nothing, and what is
 * stored of it is not current, for members that do not answer may have gone on without it. If a member answers and its data cannot be stored,
 * its revision is still told. Rejects if members only say that they do not know us, as where the credentials have become those of
 * the backup.
 */
export async function savePresent(
  opened: OpenedStorage,
  options: SaveOptions,
  context: JobContext,
): Promise<SafetyFacts> {
  const found = await patientlyNewest(options, context.signal);
  const { best, silent } = found;
  if (!options.isTaken) {
    const revision = best && Number(best.status.revision);
    return { kind: 'skipped', why: 'spec.safetySnapshot is false', ...(revision !== undefined && { revision }) };
  }
  if (!best) return { kind: 'skipped', why: silent || 'no member answers' };
  return store(opened, options.key, { ...found, best }, context);
}

async function store(
  { store: blobs, place }: OpenedStorage,
  key: string,
  { best: { member, status }, isCurrent, covered }: Newest & { readonly best: Best },
  { signal, onProgress }: JobContext,
): Promise<SafetyFacts> {
  try {
    const { bytes } = await putSnapshot(blobs, key, member, {
      signal,
      onProgress: ({ bytesStored }) => onProgress(bytesStored),
    });
    // Who holds a connection may have written since: what was stored is not behind this.
    const after = await ask('', member, signal);
    const revision = 'status' in after ? after.status.revision : status.revision;
    const path = place.path.slice(0, place.path.length - place.key.length) + key;
    const stored = { path: place.type === 'Directory' ? key : path, revision: Number(revision), bytes };
    return { kind: 'kept', ...stored, isCurrent, members: covered };
  } catch (error) {
    signal.throwIfAborted();
    const why = error instanceof Error ? error.message : String(error);
    return { kind: 'skipped', why: `the present data could not be stored: ${why}`, revision: Number(status.revision) };
  }
}

interface Best {
  readonly name: string;
  readonly member: MemberClient;
  readonly status: MemberStatus;
}

interface Newest {
  readonly best: Best | undefined;
  /** True if it has shown that nobody has more that was acknowledged. */
  readonly isCurrent: boolean;
  /** Members that are known to have no more than it: itself, and others that have no leader either and are not ahead. */
  readonly covered: readonly string[];
  /** True if nobody who is waited for could have more. */
  readonly isCertain: boolean;
  /** Why members do not answer, in words; empty if all do. */
  readonly silent: string;
}

const askAgainAfter = 1_000;

async function patientlyNewest(options: SaveOptions, signal: AbortSignal): Promise<Newest> {
  const { clock, patience, incarnations } = options;
  const began = clock.monotonic();
  for (;;) {
    const found = await newestOf(incarnations(), options.isTaken, signal);
    if (found.isCertain || clock.monotonic() - began >= patience) return found;
    await clock.sleep(askAgainAfter, signal);
  }
}

async function newestOf(incarnations: readonly Incarnation[], isProven: boolean, signal: AbortSignal): Promise<Newest> {
  let nobody: Newest = { best: undefined, isCurrent: false, covered: [], isCertain: false, silent: '' };
  for (const [index, members] of incarnations.entries()) {
    const found = await newest(members, isProven, signal);
    if (found.best) return found;
    if (index === 0) nobody = found;
  }
  return nobody;
}

async function newest(members: Incarnation, isProven: boolean, signal: AbortSignal): Promise<Newest> {
  const answers = await Promise.all([...members].map(([name, member]) => ask(name, member, signal)));
  const voters = answers.flatMap((answer) => ('status' in answer && !answer.status.isLearner ? [answer] : []));
  voters.sort((a, b) => Number(b.status.raftIndex - a.status.raftIndex));
  // The log of one that was cut off as the leader may be the longest: who has a quorum goes first.
  const proofs = isProven ? await Promise.all(voters.map((voter) => hasQuorum(voter, signal))) : [];
  const current = voters.find((_voter, index) => proofs[index]);
  const best = current ?? voters[0];
  const refusal = answers.flatMap((answer) => ('refused' in answer ? [answer.refused] : []))[0];
  if (!best && refusal !== undefined) {
    const message = `the present data could not be saved: the members do not let the operator in: ${refusal}`;
    throw new RestoreError('NotSaved', message);
  }
  const silent = answers.flatMap((answer) => ('silent' in answer ? [answer.silent] : []));
  const hasLeader = voters.some(({ status }) => status.leader !== 0n);
  return {
    best,
    isCurrent: current !== undefined,
    covered: best ? voters.filter((voter) => isCovered(voter, best)).map(({ name }) => name) : [],
    // One that names a leader which it does not reach will name none, or reach another one.
    isCertain: current !== undefined || (best !== undefined && silent.length === 0 && !hasLeader),
    silent: silent.join('; '),
  };
}

/** One that knows a leader may have more at any moment. */
function isCovered({ name, status }: Best, best: Best): boolean {
  const isBehind = status.raftIndex <= best.status.raftIndex && status.revision <= best.status.revision;
  return name === best.name || (status.leader === 0n && isBehind);
}

/** A linearizable read: answered by a member only when a quorum has confirmed, and it has applied, all that was committed before. */
async function hasQuorum({ member }: Best, signal: AbortSignal): Promise<boolean> {
  try {
    await member.kv.range({ key: Uint8Array.of(0), countOnly: true }, { signal });
    return true;
  } catch (error) {
    signal.throwIfAborted();
    if (isEtcdError(error)) return false;
    throw error;
  }
}

type Answer = Best | { readonly refused: string } | { readonly silent: string };

async function ask(name: string, member: MemberClient | undefined, signal: AbortSignal): Promise<Answer> {
  if (!member) return { silent: `pod/${name} has no address` };
  try {
    return { name, member, status: await member.maintenance.status({ signal }) };
  } catch (error) {
    signal.throwIfAborted();
    if (isEtcdError(error, ...refusals)) return { refused: error.message };
    if (isEtcdError(error)) return { silent: `pod/${name} is not reachable from the operator (${error.message})` };
    throw error;
  }
}
