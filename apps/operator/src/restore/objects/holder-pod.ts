// SPDX-License-Identifier: Apache-2.0
import type { Pod } from '@operator-parts/kube';
import { annotations, group, labels } from '../../api/names.ts';
import type { MemberPodOptions } from '../../cluster/objects/member-pod.ts';
import type { HeldMember } from '../observation.ts';
import { type RestoreIdentity, secretNameOf } from './restore-secret.ts';
import { type AgentSource, fetchContainer, pullSecrets, restoreContainer, restoreSwitch, seedPod } from './seed-pod.ts';
import { snapshotPod } from './snapshot-pod.ts';
import { alone } from './survivor-pod.ts';
import { apartFrom, sized, temporaryLimits } from './temporary-pod.ts';

export interface HolderPodOptions extends Omit<MemberPodOptions, 'boot' | 'name'> {
  readonly restore: RestoreIdentity;
  readonly agent: AgentSource;
  readonly held: HeldMember;
  /** Length of the snapshot. */
  readonly bytes: number;
}

/**
 * The pod name is also the pod's host name, which must be short and without dots. Names of EtcdRestores may be longer and may contain dots.
 */
export function holderName({ name, uid }: Pick<RestoreIdentity, 'name' | 'uid'>): string {
  return `${name.replaceAll('.', '-').slice(0, 40)}-snapshot-${uid.slice(0, 8)}`;
}

/**
 * The pod that holds a snapshot of a survivor (a member that still has data of a cluster without a quorum), so that the survivor can be
 * stopped. The snapshot is restored in this pod as in the first member of a restore, and the pod's etcd serves it only to the operator. The
 * pod has no volume, so it can run on any node. Its labels are not those of any member, and the EtcdRestore owns it.
 */
export function holderPod({ restore, agent, held, bytes, ...options }: HolderPodOptions): Pod {
  const name = holderName(restore);
  const member = { ...options, name, desired: { ...options.desired, storage: 'emptyDir' as const } };
  const source = { restoreUid: restore.uid, secretName: secretNameOf(restore), agent, revisionBump: 0 };
  const { metadata: seedMetadata, spec: seedSpec } = seedPod(member, source);
  const pod = snapshotPod(member, restore.uid);
  const resources = temporaryLimits(bytes);
  const own: readonly string[] = [fetchContainer, restoreContainer];
  const initContainers = (seedSpec?.initContainers ?? []).filter((container) => own.includes(container.name));
  const { topologySpreadConstraints: _spread, ...spec } = pod.spec ?? {};
  const { nodeAffinity } = pod.spec?.affinity ?? {};
  return {
    ...pod,
    metadata: {
      name,
      namespace: restore.namespace,
      // Network policies select pods by this label. Services select by `app` as well, so they do not select this pod.
      labels: { [labels.cluster]: name },
      annotations: {
        ...seedMetadata?.annotations,
        ...pod.metadata?.annotations,
        [annotations.restoreSwitch]: restoreSwitch.on,
        [annotations.heldSnapshot]: heldText(held),
      },
      ownerReferences: [
        { apiVersion: `${group}/v1beta2`, kind: 'EtcdRestore', name: restore.name, uid: restore.uid, controller: true },
      ],
    },
    spec: {
      ...spec,
      affinity: { ...apartFrom(options.cluster.name), ...(nodeAffinity && { nodeAffinity }) },
      initContainers: initContainers.map((container) => ({ ...container, resources })),
      containers: (pod.spec?.containers ?? []).map((container) => ({ ...alone(container), resources })),
      volumes: (seedSpec?.volumes ?? []).map((volume) => sized(volume, bytes)),
      ...pullSecrets(pod, agent),
    },
  };
}

function heldText({ member, podUid, index, applied }: HeldMember): string {
  return [member, podUid, index, ...(applied === undefined ? [] : [applied])].join(' ');
}

/** The member whose snapshot a pod holds; undefined if the pod does not say. */
export function heldIn({ metadata }: Pod): HeldMember | undefined {
  const [member = '', podUid = '', ...numbers] = metadata?.annotations?.[annotations.heldSnapshot]?.split(' ') ?? [];
  const [index = Number.NaN, applied = Number.NaN] = numbers.map((text) => Number(text || Number.NaN));
  if (member === '' || podUid === '' || !Number.isSafeInteger(index)) return undefined;
  return { member, podUid, index, ...(Number.isSafeInteger(applied) && { applied }) };
}
