// SPDX-License-Identifier: Apache-2.0
import type { MemberClient, MemberStatus } from '@operator-parts/etcd';
import { isEtcdError } from '@operator-parts/etcd';
import type { Clock } from '@operator-parts/ports';
import { attemptTo } from '../../storage/attempt.ts';
import type { OpenedStorage } from '../../storage/open-store.ts';
import { pathBeside } from '../../storage/storage-place.ts';
import { storeSnapshot } from '../../storage/store-snapshot.ts';
import type { JobContext } from '../jobs.ts';
import type { SafetyFacts } from '../observation.ts';
import { refusals } from '../observe/refusals.ts';
import { describeFailure, RestoreError } from '../restore-error.ts';

/** The key of a safety snapshot, next to the backup. The name says what the object is. Retention does not count it. */
export function safetyKey(key: string, attempt: SafetyAttempt): string {
  const { uid, incarnation, generation, round = 1 } = attempt;
  const numbers = [incarnation, ...(generation === undefined ? [] : [generation]), ...(round > 1 ? [round] : [])];
  return `${key}.before-restore-${uid.slice(0, 8)}-${numbers.join('-')}`;
}

/**
 * What identifies one safety snapshot. If the incarnation continues, a later attempt must not replace the safety snapshot of an earlier
 * attempt, because the cluster may already contain data that the earlier attempt has written.
 */
export interface SafetyAttempt {
  readonly uid: string;
  readonly incarnation: number;
  readonly generation?: number | undefined;
  /** @default 1 */
  readonly round?: number | undefined;
}

/** Members of one incarnation, by pod name; undefined for a pod that has no address yet. */
export type Incarnation = ReadonlyMap<string, MemberClient | undefined>;

export interface SaveOptions {
  /** The current incarnations whose members may be asked, the newest first. The caller closes the clients. */
  readonly incarnations: () => readonly Incarnation[];
  /** True if the member in this pod has certainly never received data. @default always false */
  readonly isEmpty?: (pod: string, signal: AbortSignal) => Promise<boolean>;
  readonly key: string;
  /** True to store a snapshot; false to ask the members only for their revisions. */
  readonly isTaken: boolean;
  /**
   * True if clients continue to write: the reported revision is then that of the snapshot, and the snapshot does not contain later writes.
   * False: clients cannot have seen a revision above the reported one. @default false
   */
  readonly servesOn?: boolean;
  /** For how long members that do not answer are asked again, in milliseconds. */
  readonly patience: number;
  /** For how long storing is retried after the first failure that may be temporary, in milliseconds. @default 0 */
  readonly storePatience?: number;
  readonly clock: Clock;
}

/**
 * Stores a snapshot of the member that has the most data, if any member answers. Only members of the newest incarnation in which a member
 * answers are considered, because clients have used that incarnation. A member that answers a linearizable read has every acknowledged
 * write. Until a member does so, the operator waits for all members, because any member may have more data. If no member has a quorum, a
 * snapshot is stored nevertheless, because its data is better than none. This snapshot does not count as current, because members that do
 * not answer may have continued without the member. If a member answers and its data cannot be stored, its revision is still returned.
 * Rejects if every member that answers refuses the operator's credentials, for example because the credentials were restored with the
 * backup.
 */
export async function savePresent(
  opened: OpenedStorage,
  options: SaveOptions,
  context: JobContext,
): Promise<SafetyFacts> {
  const { clock, isTaken, key, servesOn = false, storePatience = 0 } = options;
  let failingSince: number | undefined;
  for (;;) {
    const found = await patientlyNewest(options, context.signal);
    const { best, unreachable } = found;
    if (!isTaken) {
      const revision = best && Number(best.status.revision);
      return { kind: 'skipped', why: 'spec.safetySnapshot is false', ...(revision !== undefined && { revision }) };
    }
    if (!best) return { kind: 'skipped', why: unreachable || 'no member is reachable from the operator' };
    const stored = await store(opened, { key, servesOn }, { ...found, best }, { ...context, clock });
    if (!('passes' in stored)) return stored;
    const { passes, ...skipped } = stored;
    failingSince ??= clock.monotonic();
    if (!passes || clock.monotonic() - failingSince >= storePatience) return skipped;
    context.onTrouble?.(skipped.why);
    await clock.sleep(storeAgainAfter, context.signal);
  }
}

/** A member may stop while its snapshot is read, or the store may fail: another attempt may choose another member. */
const storeAgainAfter = 2_000;

type Unstored = Extract<SafetyFacts, { kind: 'skipped' }> & { readonly passes: boolean };

async function store(
  { store: blobs, place, keys }: OpenedStorage,
  { key, servesOn }: { readonly key: string; readonly servesOn: boolean },
  { best: { member, status }, isCurrent, covered }: Newest & { readonly best: Best },
  { signal, onProgress, clock }: JobContext & { readonly clock: Clock },
): Promise<SafetyFacts | Unstored> {
  let left = '';
  const onLeft = () => {
    left = `. Object ${pathBeside(place, key)} may still be in the backup store`;
  };
  try {
    // Only this restore and incarnation use this key. If the object of a failed attempt cannot be removed, the next attempt replaces it.
    const attempt = { clock, signal, isOwnName: true, onLeft };
    const onBytes = (_read: number, stored: number) => onProgress(stored);
    const { bytes, facts } = await attemptTo(blobs, key, attempt, (own) =>
      storeSnapshot(blobs, key, { client: member, status }, { signal, onBytes, own, keys }),
    );
    const revision = servesOn ? facts.revision : await revisionAfter(member, status, signal);
    const stored = { path: pathBeside(place, key), revision: Number(revision), bytes };
    return { kind: 'kept', ...stored, isCurrent, members: covered };
  } catch (error) {
    signal.throwIfAborted();
    const { why, passes } = describeFailure(error);
    return {
      kind: 'skipped',
      why: `the snapshot could not be written to the backup store: ${why}${left}`,
      revision: Number(status.revision),
      passes,
    };
  }
}

/**
 * The member's revision after the snapshot. Clients that are still connected may have written meanwhile, and the reported revision must not
 * be below what they have seen.
 */
async function revisionAfter(member: MemberClient, before: MemberStatus, signal: AbortSignal): Promise<bigint> {
  const after = await ask('', member, signal);
  return 'status' in after ? after.status.revision : before.revision;
}

interface Best {
  readonly name: string;
  readonly member: MemberClient;
  readonly status: MemberStatus;
}

export interface Newest {
  readonly best: Best | undefined;
  /** True if `best` has shown that no other member has more acknowledged writes. */
  readonly isCurrent: boolean;
  /**
   * Members that certainly have no more data than `best`: `best` itself, and members without data. Other members are not listed, whatever
   * revision they report: a member reports only what it knows to be committed, and its log may have more entries.
   */
  readonly covered: readonly string[];
  /** False if a member that has not answered yet might have more data. */
  readonly isCertain: boolean;
  /** True if a member names a leader. A member that has lost its leader still names that leader until its election timeout. */
  readonly hasLeader: boolean;
  /** Why members do not answer, as text; empty if all answer. */
  readonly unreachable: string;
  /** The errors of members that reject the operator, if no other member answers. */
  readonly refused?: string | undefined;
}

const askAgainAfter = 1_000;

async function patientlyNewest(options: SaveOptions, signal: AbortSignal): Promise<Newest> {
  const { clock, patience, incarnations } = options;
  const began = clock.monotonic();
  for (;;) {
    const found = await newestOf(incarnations(), options, signal);
    const isOver = clock.monotonic() - began >= patience;
    if (isOver && found.refused !== undefined) throw lockedOut(found.refused);
    if (found.isCertain || isOver) return found;
    await clock.sleep(askAgainAfter, signal);
  }
}

async function newestOf(
  incarnations: readonly Incarnation[],
  { isTaken, isEmpty }: Pick<SaveOptions, 'isTaken' | 'isEmpty'>,
  signal: AbortSignal,
): Promise<Newest> {
  let nobody: Newest = {
    best: undefined,
    isCurrent: false,
    covered: [],
    isCertain: false,
    hasLeader: false,
    unreachable: '',
  };
  for (const [index, members] of incarnations.entries()) {
    const found = await newest(members, isTaken ? proofPatience : undefined, signal, isEmpty);
    if (found.best || found.refused !== undefined) return found;
    if (index === 0) nobody = found;
  }
  return nobody;
}

/**
 * How long a member may take for a linearizable read: longer than an election, because the read is answered once there is a leader.
 */
const proofPatience = 2_500;

/**
 * Of the members that answer, the one that has the most data.
 *
 * @param proofMs for how long each member may take to answer a linearizable read, in milliseconds; undefined: no such reads are sent
 */
export async function newest(
  members: Incarnation,
  proofMs: number | undefined,
  signal: AbortSignal,
  isEmpty: NonNullable<SaveOptions['isEmpty']> = async () => false,
): Promise<Newest> {
  const answers = await Promise.all([...members].map(([name, member]) => ask(name, member, signal)));
  const voters = answers.flatMap((answer) => ('status' in answer && !answer.status.isLearner ? [answer] : []));
  voters.sort((a, b) => Number(b.status.raftIndex - a.status.raftIndex));
  // A leader that was cut off may have the longest log, so a member with a quorum comes first.
  const proofs =
    proofMs === undefined ? [] : await Promise.all(voters.map((voter) => hasQuorum(voter, proofMs, signal)));
  const current = voters.find((_voter, index) => proofs[index]);
  const best = current ?? voters[0];
  const refusal = answers.flatMap((answer) => ('refused' in answer ? [answer.refused] : []))[0];
  const unanswered = answers.flatMap((answer) => ('unreachable' in answer ? [answer] : []));
  const proven = await Promise.all(unanswered.map(({ name }) => isEmpty(name, signal)));
  const empty = unanswered.filter((_answer, index) => proven[index]);
  const unreachable = unanswered.filter((answer) => !empty.includes(answer)).map((answer) => answer.unreachable);
  const hasLeader = voters.some(({ status }) => status.leader !== 0n);
  return {
    best,
    isCurrent: current !== undefined,
    covered: best ? [best, ...empty].map(({ name }) => name) : [],
    // A member that names an unreachable leader will soon name no leader, or reach a new leader.
    isCertain: current !== undefined || (best !== undefined && unreachable.length === 0 && !hasLeader),
    hasLeader,
    unreachable: unreachable.join('; '),
    ...(!best && { refused: refusal }),
  };
}

/** The error for running members that all reject the operator's credentials. */
export function lockedOut(refusal: string): RestoreError {
  const message = `the data of the cluster could not be saved, because its members rejected the operator's credentials: ${refusal}`;
  return new RestoreError('NotSaved', message);
}

/**
 * True if the member answers a linearizable read. A member does so only after a quorum has confirmed, and the member has applied,
 * everything that was committed before.
 */
async function hasQuorum({ member }: Best, timeoutMs: number, signal: AbortSignal): Promise<boolean> {
  try {
    await member.kv.range({ key: Uint8Array.of(0), countOnly: true }, { timeoutMs, signal });
    return true;
  } catch (error) {
    signal.throwIfAborted();
    if (isEtcdError(error)) return false;
    throw error;
  }
}

type Answer = Best | { readonly refused: string } | { readonly name: string; readonly unreachable: string };

async function ask(name: string, member: MemberClient | undefined, signal: AbortSignal): Promise<Answer> {
  if (!member) return { name, unreachable: `pod/${name} has no IP address` };
  try {
    return { name, member, status: await member.maintenance.status({ signal }) };
  } catch (error) {
    signal.throwIfAborted();
    if (isEtcdError(error, ...refusals)) return { refused: error.message };
    if (isEtcdError(error))
      return { name, unreachable: `pod/${name} is not reachable from the operator (${error.message})` };
    throw error;
  }
}
