// SPDX-License-Identifier: Apache-2.0
import type { Pod } from '@operator-parts/kube';
import type { EtcdClusterSpec } from '../../api/etcd-cluster.ts';
import { type Desired, desiredOf } from '../../cluster/desired.ts';
import { disruptionBudget } from '../../cluster/objects/disruption-budget.ts';
import { imageCheckPod } from '../../cluster/objects/image-check-pod.ts';
import { type BootValues, memberPod } from '../../cluster/objects/member-pod.ts';
import { clientService, peerService } from '../../cluster/objects/services.ts';
import { volumeClaim } from '../../cluster/objects/volume-claim.ts';

const cluster = { name: 'walk', namespace: 'default', uid: 'walk-uid' };
const tlsKeys = { peer: 'own', server: 'own', client: 'own' } as const;
const members = [{ name: 'walk-m0', peerUrl: 'http://walk-m0.walk.default.svc:2380' }];

/** The desired state of a valid spec. For an invalid spec, throws its problems. */
export function soundly(spec: EtcdClusterSpec): Desired {
  const desired = desiredOf(cluster.name, spec);
  if ('problems' in desired) throw new Error(desired.problems.join(' '));
  return desired;
}

/** The pod of a member. The pod of a joining member has every container. */
function podOf(spec: EtcdClusterSpec, boot: BootValues = { state: 'existing', members }): Pod {
  const desired = soundly(spec);
  return memberPod({ cluster, desired, spec, name: 'walk-m1', incarnation: 1, boot, tlsKeys });
}

/** Every object that the operator creates for a spec. */
export function builtFor(spec: EtcdClusterSpec): Readonly<Record<string, object>> {
  const desired = soundly(spec);
  const claim = spec.pod?.persistentVolumeClaimSpec;
  return {
    seed: podOf(spec, { state: 'new' }),
    joining: podOf(spec),
    ...(claim && { volume: volumeClaim(cluster, { name: 'walk-m1', incarnation: 1 }, desired, claim) }),
    ...(desired.podDisruptionBudget && { budget: disruptionBudget(cluster, 2) }),
    imageCheck: imageCheckPod(cluster, spec, 'n1', desired.image),
    peerService: peerService(cluster),
    clientService: clientService(cluster, spec.service),
  };
}
