// SPDX-License-Identifier: Apache-2.0
import type { MemberClient, MemberStatus } from '@etcd-operator/etcd';
import { isEtcdError } from '@etcd-operator/etcd';
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

/**
 * Stores a snapshot of the member that has the most, if any answers: one of the last life of which one does, for that is what
 * clients have used; of those before, pods may be left from a restore that never came to its end. A member without a quorum is
 * read as well: what it holds is better than nothing. Rejects if a member answers and its data still cannot be stored: also one
 * that only says that it does not know us, as where the credentials have become those of the backup. Its data is there, and
 * would go unsaved.
 */
export async function savePresent(
  lives: readonly (readonly MemberClient[])[],
  { store, place }: OpenedStorage,
  key: string,
  { signal, onProgress }: JobContext,
): Promise<SafetyFacts> {
  let best: Best | undefined;
  for (const members of lives) best ??= await newest(members, signal);
  if (!best) return { kind: 'skipped', why: 'no member answers' };
  try {
    const { bytes } = await putSnapshot(store, key, best.member, {
      signal,
      onProgress: ({ bytesStored }) => onProgress(bytesStored),
    });
    const path = place.path.slice(0, place.path.length - place.key.length) + key;
    return {
      kind: 'kept',
      path: place.type === 'Directory' ? key : path,
      revision: Number(best.status.revision),
      bytes,
    };
  } catch (error) {
    signal.throwIfAborted();
    const why = error instanceof Error ? error.message : String(error);
    throw new RestoreError('NotSaved', `the present data could not be saved: ${why}`, { cause: error });
  }
}

type Best = { readonly member: MemberClient; readonly status: MemberStatus };

async function newest(members: readonly MemberClient[], signal: AbortSignal): Promise<Best | undefined> {
  const answers = await Promise.all(members.map((member) => ask(member, signal)));
  const [best] = answers
    .flatMap((answer) => (answer && 'status' in answer ? [answer] : []))
    .filter(({ status }) => !status.isLearner)
    .sort((a, b) => Number(b.status.raftIndex - a.status.raftIndex));
  const [refusal] = answers.flatMap((answer) => (answer && 'refused' in answer ? [answer] : []));
  if (best || !refusal) return best;
  const message = `the present data could not be saved: the members do not let the operator in: ${refusal.refused}`;
  throw new RestoreError('NotSaved', message);
}

/** Undefined if it does not answer. */
async function ask(
  member: MemberClient,
  signal: AbortSignal,
): Promise<Best | { readonly refused: string } | undefined> {
  try {
    return { member, status: await member.maintenance.status({ signal }) };
  } catch (error) {
    signal.throwIfAborted();
    if (isEtcdError(error, ...refusals)) return { refused: error.message };
    if (isEtcdError(error)) return undefined;
    throw error;
  }
}
