// SPDX-License-Identifier: Apache-2.0
import type { MemberClient } from '@operator-parts/etcd';
import { ignoreNotFound, type Pod, pods } from '@operator-parts/kube';
import type { EtcdCluster } from '../../api/etcd-cluster.ts';
import { annotations } from '../../api/names.ts';
import { isOwnedBy } from '../../cluster/objects/owner.ts';
import { heldIn, holderName } from '../objects/holder-pod.ts';
import { restoreSwitch } from '../objects/seed-pod.ts';
import type { HolderFacts, RestoreFacts } from '../observation.ts';
import type { Found, ObserveContext } from './observe.ts';
import { seedFacts } from './seed-facts.ts';
import { answerOf } from './survivor-facts.ts';

/**
 * Facts about the pod that holds a snapshot of a survivor; undefined if there is none. Read from the API server, because no cache contains
 * this pod.
 */
export async function holderFacts(
  { cluster }: Pick<Found, 'cluster'>,
  { facts, timeFor }: { readonly facts: RestoreFacts; readonly timeFor: (pod: Pod) => number },
  connect: (pod: Pod, cluster: EtcdCluster) => MemberClient,
  { client, signal }: Pick<ObserveContext, 'client' | 'signal'>,
): Promise<HolderFacts | undefined> {
  if (!cluster || !mayExist(facts)) return undefined;
  const { namespace, uid: owner } = facts;
  const name = holderName({ name: facts.name, uid: owner });
  const pod = await ignoreNotFound(client.resource(pods).get({ namespace, name }, { signal }));
  const held = pod && isOwnedBy(pod, owner) ? heldIn(pod) : undefined;
  if (!pod || !held) return undefined;
  const { uid, terminating, ip, agent, stage, broken, why } = seedFacts(
    pod,
    undefined,
    timeFor(pod),
    'restore the snapshot',
  );
  const isSettled = pod.metadata?.annotations?.[annotations.restoreSwitch] === restoreSwitch.done;
  const answer = await answerOf(pod, () => connect(pod, cluster), signal);
  return { name, uid, terminating, ip, agent, stage, broken, why, ...held, answer, isSettled };
}

/** Once the restore has ended, only the pod of a recorded snapshot may still exist. */
function mayExist({ survivor, ended, safety }: RestoreFacts): boolean {
  return survivor !== undefined && (ended === undefined || safety?.kind === 'kept');
}
