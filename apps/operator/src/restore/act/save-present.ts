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
 * clients have used. Members that know a leader are a quorum; without one, all are waited for, since any of them may be ahead.
 * A member without a quorum is read as well: what it holds is better than nothing. If a member answers and its data cannot be stored,
 * its revision is still told. Rejects if members only say that they do not know us, as where the credentials have become those of
 * the backup.
 */
export async function savePresent(
  opened: OpenedStorage,
  options: SaveOptions,
  context: JobContext,
): Promise<SafetyFacts> {
  const { best, silent } = await patientlyNewest(options, context.signal);
  if (!options.isTaken) {
    const revision = best && Number(best.status.revision);
    return { kind: 'skipped', why: 'spec.safetySnapshot is false', ...(revision !== undefined && { revision }) };
  }
  if (!best) return { kind: 'skipped', why: silent || 'no member answers' };
  return store(opened, options.key, best, context);
}

async function store(
  { store: blobs, place }: OpenedStorage,
  key: string,
  { member, status }: Best,
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
    return { kind: 'kept', path: place.type === 'Directory' ? key : path, revision: Number(revision), bytes };
  } catch (error) {
    signal.throwIfAborted();
    const why = error instanceof Error ? error.message : String(error);
    return { kind: 'skipped', why: `the present data could not be stored: ${why}`, revision: Number(status.revision) };
  }
}

interface Best {
  readonly member: MemberClient;
  readonly status: MemberStatus;
}

interface Newest {
  readonly best: Best | undefined;
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
    const found = await newestOf(incarnations(), signal);
    if (found.isCertain || clock.monotonic() - began >= patience) return found;
    await clock.sleep(askAgainAfter, signal);
  }
}

async function newestOf(incarnations: readonly Incarnation[], signal: AbortSignal): Promise<Newest> {
  let nobody: Newest = { best: undefined, isCertain: false, silent: '' };
  for (const [index, members] of incarnations.entries()) {
    const found = await newest(members, signal);
    if (found.best) return found;
    if (index === 0) nobody = found;
  }
  return nobody;
}

async function newest(members: Incarnation, signal: AbortSignal): Promise<Newest> {
  const answers = await Promise.all([...members].map(([name, member]) => ask(name, member, signal)));
  const voters = answers.flatMap((answer) => ('status' in answer && !answer.status.isLearner ? [answer] : []));
  const [best] = voters.sort((a, b) => Number(b.status.raftIndex - a.status.raftIndex));
  const refusal = answers.flatMap((answer) => ('refused' in answer ? [answer.refused] : []))[0];
  if (!best && refusal !== undefined) {
    const message = `the present data could not be saved: the members do not let the operator in: ${refusal}`;
    throw new RestoreError('NotSaved', message);
  }
  const silent = answers.flatMap((answer) => ('silent' in answer ? [answer.silent] : []));
  const hasLeader = voters.some(({ status }) => status.leader !== 0n);
  return { best, isCertain: hasLeader || (best !== undefined && silent.length === 0), silent: silent.join('; ') };
}

type Answer = Best | { readonly refused: string } | { readonly silent: string };

async function ask(name: string, member: MemberClient | undefined, signal: AbortSignal): Promise<Answer> {
  if (!member) return { silent: `pod/${name} has no address` };
  try {
    return { member, status: await member.maintenance.status({ signal }) };
  } catch (error) {
    signal.throwIfAborted();
    if (isEtcdError(error, ...refusals)) return { refused: error.message };
    if (isEtcdError(error)) return { silent: `pod/${name} is not reachable from the operator (${error.message})` };
    throw error;
  }
}
