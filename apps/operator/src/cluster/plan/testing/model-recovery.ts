// SPDX-License-Identifier: Apache-2.0
import { seedName } from '../../../identity/member-naming.ts';
import type { Step } from '../step.ts';
import { type DataDirectory, SafetyViolation } from './model-etcd.ts';
import type { ModelPod } from './model-node.ts';
import { canComeBack } from './observe.ts';
import type { World } from './world.ts';

/**
 * Creates the EtcdRestore and finishes it at once: a new incarnation gets the data of the remaining member with the longest log. Writes
 * that only the lost members had received are lost, which the policy allows. A recovery must never happen if a quorum could have returned.
 */
export function recoverQuorum(
  world: World,
  { name, clusterId, lost }: Extract<Step, { do: 'recoverQuorum' }>,
): boolean {
  if (world.restores.has(name)) return true;
  if (clusterId !== world.etcd.clusterId) return false;
  world.restores.add(name);
  if (world.hasQuorum() || canComeBack(world))
    throw new SafetyViolation('the cluster is recovered although a quorum could come back');
  if (world.members.some(({ podName, id }) => lost.includes(podName) && isDataThere(world, id)))
    throw new SafetyViolation(`the cluster is recovered without ${lost.join()}, whose data is there`);
  const [best] = [...world.pods.values()]
    .flatMap((pod) => dataOf(world, pod))
    .sort((a, b) => b.directory.log - a.directory.log);
  // The restore fails and is rolled back.
  if (!best) return true;
  const { directory, pod } = best;
  for (const old of [...world.pods.keys()]) world.removePod(old);
  seed(world, directory, pod);
  return true;
}

/** True if the data of the member exists. The data in a pod is lost if the node of the pod is deleted. */
function isDataThere(world: World, id: string): boolean {
  const buried = [...world.pods.values()]
    .filter(({ facts }) => world.nodes.get(facts.node)?.facts.exists === false)
    .map(({ facts }) => `pod/${facts.uid}`);
  return [...world.directories].some(([place, { memberId }]) => memberId === id && !buried.includes(place));
}

function dataOf(world: World, pod: ModelPod): readonly { readonly pod: ModelPod; readonly directory: DataDirectory }[] {
  const directory = world.directories.get(world.placeOf(pod));
  const isVoter = world.etcd.voters().some(({ id }) => id === directory?.memberId);
  return directory && isVoter ? [{ pod, directory }] : [];
}

function seed(world: World, directory: DataDirectory, { facts }: ModelPod): void {
  const { etcd } = world;
  world.incarnation++;
  world.unmanaged.clear();
  const name = seedName('c', world.uid, world.incarnation);
  const { memberId, clusterId } = etcd.found(name, world.now, etcd.clusterMinor);
  etcd.acknowledged = directory.log;
  const identity = { clusterId, memberId };
  const { version, image } = facts;
  world.makePod(name, { boot: 'cleared', markedVoter: true, version, image, ...identity });
  const made = world.pods.get(name);
  if (made) world.directories.set(world.placeOf(made), { ...directory, ...identity });
  Object.assign(world.volumes.get(name) ?? {}, identity);
  const { incarnation } = world;
  world.inAnnotation = { clusterId, incarnation };
  world.status = { ...world.status, clusterID: clusterId, incarnation, memberDetails: [] };
}
