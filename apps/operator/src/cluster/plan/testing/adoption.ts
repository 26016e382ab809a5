// SPDX-License-Identifier: Apache-2.0
import type { Desired } from '../../desired.ts';
import { World } from './world.ts';

/**
 * A cluster that CoreOS etcd-operator created: all members are voters with fixed arguments and restart policy Never, and nothing is
 * recorded.
 */
export function clusterWithoutIdentity(desired: Partial<Desired>): World {
  const world = new World(desired);
  const { etcd } = world;
  const { version, image, size } = world.desired;
  for (let index = 0; index < size; index++) {
    const name = `c-000${index}`;
    world.makePod(name, { boot: 'fixed', adopted: true, version, image });
    const pod = world.pods.get(name);
    if (!pod) continue;
    world.tick();
    if (index === 0) continue;
    const id = etcd.newId();
    etcd.members.push({ id, podName: name, addedAt: world.now, name, isLearner: false });
    const { clusterId, acknowledged: log, clusterMinor: minor } = etcd;
    world.directories.set(world.placeOf(pod), { memberId: id, clusterId, log, logMinor: minor, storageMinor: minor });
    pod.facts.phase = 'Running';
    pod.facts.container = { ...pod.facts.container, state: 'waiting', lastExit: undefined };
    world.tick();
  }
  world.services = { peer: 'drifted', client: 'drifted' };
  return world;
}
