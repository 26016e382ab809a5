// SPDX-License-Identifier: Apache-2.0
import type { OperatorLab } from '../../../testing/operator-lab.ts';
import { listedMembers } from './listed-members.ts';

/** A member that does not lead. */
export async function followerOf(
  ground: OperatorLab,
  cluster: string,
): Promise<{ readonly name: string; readonly id: string }> {
  const found = (await ground.get(cluster)).status?.memberDetails?.find(({ role }) => role === 'Follower');
  return { name: found?.name ?? '', id: found?.id ?? '' };
}

/** Waits until this member is no longer listed. */
export function isReplaced(ground: OperatorLab, cluster: string, id: string): Promise<true> {
  return ground.until(
    'replaced',
    async () => ((await listedMembers(ground, cluster)).ids.includes(id) ? undefined : true),
    undefined,
    async () => JSON.stringify((await ground.get(cluster)).status),
  );
}
