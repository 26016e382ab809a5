// SPDX-License-Identifier: Apache-2.0
import type { MemberClient, MemberStatus } from '@etcd-operator/etcd';
import { isEtcdError } from '@etcd-operator/etcd';
import type { OpenedStorage } from '../../storage/open-store.ts';
import { putSnapshot } from '../../storage/put-snapshot.ts';
import type { JobContext } from '../jobs.ts';
import type { SafetyFacts } from '../observation.ts';
import { RestoreError } from '../restore-error.ts';

/** Beside the backup, under a name that says what it is and that no retention counts. */
export function safetyKey(key: string, attempt: { readonly uid: string; readonly incarnation: number }): string {
  return `${key}.before-restore-${attempt.uid.slice(0, 8)}-${attempt.incarnation}`;
}

/**
 * Stores a snapshot of the member that has the most, if any answers. A member without a quorum is read as well: what it
 * holds is better than nothing. Rejects if a member answers and its data still cannot be stored.
 */
export async function savePresent(
  members: readonly MemberClient[],
  { store, place }: OpenedStorage,
  key: string,
  { signal, onProgress }: JobContext,
): Promise<SafetyFacts> {
  const best = await newest(members, signal);
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

async function newest(
  members: readonly MemberClient[],
  signal: AbortSignal,
): Promise<{ readonly member: MemberClient; readonly status: MemberStatus } | undefined> {
  const answers = await Promise.all(
    members.map(async (member) => {
      try {
        return [{ member, status: await member.maintenance.status({ signal }) }];
      } catch (error) {
        signal.throwIfAborted();
        if (isEtcdError(error)) return [];
        throw error;
      }
    }),
  );
  const [best] = answers
    .flat()
    .filter(({ status }) => !status.isLearner)
    .sort((a, b) => Number(b.status.raftIndex - a.status.raftIndex));
  return best;
}
