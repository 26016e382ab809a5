// SPDX-License-Identifier: Apache-2.0
import type { PersistentVolumeClaim } from '@operator-parts/kube';
import { annotations, labels } from '../../api/names.ts';
import { isOwnedBy } from '../objects/owner.ts';
import type { MemberVolume } from '../observation.ts';
import { incarnationOf } from './pod-facts.ts';

/** What the planner needs to know about a member's PersistentVolumeClaim. */
export function volumeFacts(claim: PersistentVolumeClaim, uid: string): MemberVolume {
  const { metadata = {}, status } = claim;
  const phase = status?.phase;
  return {
    name: metadata.name ?? '',
    uid: metadata.uid ?? '',
    ownership: isOwnedBy(claim, uid) ? 'ours' : 'other',
    incarnation: incarnationOf(metadata.labels),
    clusterId: metadata.annotations?.[annotations.clusterId] ?? '',
    memberId: metadata.annotations?.[annotations.memberId] ?? '',
    version: metadata.annotations?.[annotations.version] ?? '',
    previousVersion: metadata.annotations?.[annotations.previousVersion] ?? '',
    adopted: metadata.labels?.[labels.incarnation] === undefined,
    tls: tlsOf(metadata.annotations?.[annotations.tls]),
    terminating: metadata.deletionTimestamp !== undefined,
    phase: phase === 'Bound' || phase === 'Lost' ? phase : 'Pending',
  };
}

/** Undefined for volumes of CoreOS etcd-operator, which do not record which listeners use TLS. */
function tlsOf(text: string | undefined): MemberVolume['tls'] {
  if (text === undefined) return undefined;
  const listeners = text.split(',');
  return { peer: listeners.includes('peer'), client: listeners.includes('client') };
}
