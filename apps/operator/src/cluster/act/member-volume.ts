// SPDX-License-Identifier: Apache-2.0
import { ignoreNotFound, type PersistentVolumeClaim, persistentVolumeClaims } from '@operator-parts/kube';
import { identityOf } from '../../identity/object-identity.ts';
import { volumeFacts } from '../observe/volume-facts.ts';
import type { ActContext, StepOutcome } from './act-context.ts';

/** The member that is to use a volume. */
interface VolumeOwner {
  readonly incarnation: number;
  /** Set for a member that has data; undefined for a member that has none yet. */
  readonly identity?: { readonly clusterId: string; readonly memberId: string } | undefined;
}

/** Why a PersistentVolumeClaim does not belong to this incarnation of the cluster, as text for the status; undefined if it does. */
export function whyNotThisCluster(
  claim: PersistentVolumeClaim,
  { cluster, incarnation }: Pick<ActContext, 'cluster' | 'incarnation'>,
): string | undefined {
  const volume = volumeFacts(claim, identityOf(cluster).uid);
  const what = `PersistentVolumeClaim ${volume.name}`;
  if (volume.ownership !== 'ours')
    return `${what} does not belong to this EtcdCluster and is not used. Delete this PersistentVolumeClaim if its data is not needed.`;
  if (volume.incarnation === incarnation) return undefined;
  return `${what} belongs to incarnation ${volume.incarnation} of this cluster, not to incarnation ${incarnation}, and is not used.`;
}

/** Why the data on the claim belongs to another member; undefined if the claim records no member, or this member. */
function whyNotItsData(claim: PersistentVolumeClaim, identity: VolumeOwner['identity']): string | undefined {
  const { name, memberId, clusterId } = volumeFacts(claim, '');
  const isItsMember = memberId === '' || memberId === identity?.memberId;
  const isItsCluster = clusterId === '' || clusterId === identity?.clusterId;
  if (isItsMember && isItsCluster) return undefined;
  return `PersistentVolumeClaim ${name} holds data of another member: ${memberId} of etcd cluster ${clusterId}.`;
}

/** Reads the claim of a member from the API server, not from the cache; undefined if it does not exist. */
export function readClaim(
  name: string,
  { client, cluster, signal }: Pick<ActContext, 'client' | 'cluster' | 'signal'>,
): Promise<PersistentVolumeClaim | undefined> {
  const { namespace } = identityOf(cluster);
  return ignoreNotFound(client.resource(persistentVolumeClaims).get({ name, namespace }, { signal }));
}

/** The outcome of a step whose member may not mount this claim, or whose claim does not exist; undefined if the member may mount it. */
export function refuseVolume(
  name: string,
  claim: PersistentVolumeClaim | undefined,
  owner: VolumeOwner,
  { cluster }: Pick<ActContext, 'cluster'>,
): StepOutcome | undefined {
  if (!claim) return { kind: 'refused', why: `PersistentVolumeClaim ${name} no longer exists.` };
  const { incarnation, identity } = owner;
  const why = whyNotThisCluster(claim, { cluster, incarnation }) ?? whyNotItsData(claim, identity);
  if (why !== undefined) return { kind: 'impossible', why };
  const isTerminating = claim.metadata?.deletionTimestamp !== undefined;
  return isTerminating ? { kind: 'refused', why: `PersistentVolumeClaim ${name} is being deleted.` } : undefined;
}
