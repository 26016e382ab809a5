// SPDX-License-Identifier: Apache-2.0
import { expect } from 'vitest';
import type { OperatorLab } from './operator-lab.ts';

/** IDs of the members in the status, sorted. */
export async function memberIds(ground: OperatorLab, cluster: string): Promise<readonly string[]> {
  const { status } = await ground.get(cluster);
  return status?.memberDetails?.map(({ id }) => id ?? '').sort() ?? [];
}

/** Deletes a pod of a cluster of three without volumes; a new member must replace it and the cluster must settle. */
export async function loseOnePod(ground: OperatorLab, cluster: string): Promise<void> {
  const [victim] = await ground.pods(cluster);
  const before = await memberIds(ground, cluster);
  await ground.deletePod(victim?.metadata?.name ?? '', 0);
  await ground.until('another member', async () =>
    (await memberIds(ground, cluster)).join() === before.join() ? undefined : true,
  );
  await ground.settled(cluster);
  // The new pod may have the same name, which is computed from the remaining members, but it is another pod and another member.
  const pods = await ground.until('three pods', async () => {
    const found = await ground.pods(cluster);
    return found.length === 3 ? found : undefined;
  });
  expect(pods.map((pod) => pod.metadata?.uid)).not.toContain(victim?.metadata?.uid);
}
