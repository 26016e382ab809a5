// SPDX-License-Identifier: Apache-2.0
import { createClient, type Pod } from '@operator-parts/kube';
import { createApiServer } from '@operator-parts/kube-lab';
import { systemClock } from '@operator-parts/ports';
import type { EtcdCluster, EtcdClusterSpec } from '../../api/etcd-cluster.ts';
import { readCluster } from '../../api/etcd-cluster-reading.ts';
import type { JsonFields } from '../../api/json-fields.ts';
import { annotations } from '../../api/names.ts';
import { memberPod } from '../../cluster/objects/member-pod.ts';
import { kubernetesView } from '../../cluster/observe/observe.ts';
import { planCluster } from '../../cluster/plan/plan.ts';
import { ClusterSecrets } from '../../cluster/secrets/cluster-secrets.ts';
import { statusOf } from '../../cluster/status/status.ts';
import { builtFor, soundly } from './built.ts';
import { everyGrant } from './every-grant.ts';
import { clusterId, healthyEtcd, memberNames } from './healthy-etcd.ts';
import { running } from './running.ts';
import type { Outcome } from './walk-kind.ts';

/** The base of all specs: three members with volumes. */
export const clusterBase = {
  size: 3,
  version: '3.6.16',
  pod: {
    persistentVolumeClaimSpec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  },
} as const satisfies EtcdClusterSpec;

const identity = { name: 'walk', namespace: 'default', uid: 'walk-uid' };
const client = createClient(createApiServer({}).transport());

/** What the operator does with a spec if three healthy members of the base are already running. */
export async function clusterOutcome(spec: JsonFields): Promise<Outcome> {
  const notes = { [annotations.clusterId]: clusterId, [annotations.incarnation]: '1' };
  const stored = {
    ...{ apiVersion: 'etcd.database.coreos.com/v1beta2', kind: 'EtcdCluster' },
    metadata: { ...identity, generation: 1, annotations: notes },
    spec,
  } as unknown as EtcdCluster;
  const { cluster } = readCluster(stored);
  const view = kubernetesView(
    {
      ...{ cluster, imageChecks: [], volumes: [], peerService: undefined, clientService: undefined, budget: undefined },
      ...{ pods: membersOfBase, nodes: new Map() },
    },
    {
      ...{ credentials: { tls: undefined, login: undefined }, secretProblems: [], coreosOperator: undefined },
      ...{ imageCheckOutput: new Map(), isLive: true, grants: everyGrant, seenSince: () => 1 },
    },
  );
  const observation = { ...view, etcd: healthyEtcd(view, identity.namespace) };
  const plan = planCluster(observation, 1_000_000_000);
  const { conditions } = statusOf({ phase: 'Running' }, observation, plan, '2026-01-01T00:00:00Z');
  const wordless = conditions?.find(({ reason }) => !reason);
  if (wordless) throw new Error(`condition ${wordless.type} has no reason`);
  const { desired, paused, unknownFields, refusals = [] } = view.cluster;
  if ('problems' in desired || refusals.length > 0) {
    const available = conditions?.find(({ type }) => type === 'Available');
    return { refusal: `${available?.reason}: ${available?.message}`, made: {}, kept: {} };
  }
  const { signal } = new AbortController();
  const { problems } = await new ClusterSecrets(systemClock).check(cluster, client, signal);
  return {
    refusal: '',
    made: { objects: builtFor(cluster.spec), unknownFields },
    kept: { desired, paused, problems },
  };
}

const membersOfBase = runningPods(clusterBase);

/** The pods of three healthy members, created for this spec. */
export function runningPods(spec: EtcdClusterSpec): readonly Pod[] {
  const desired = soundly(spec);
  return [...memberNames].map(([memberId, name]) => {
    const pod = memberPod({
      ...{ cluster: identity, desired, spec, name, incarnation: 1, boot: { state: 'cleared' }, isVoter: true },
      ...{ identity: { clusterId, memberId }, tlsKeys: { peer: 'own', server: 'own', client: 'own' } },
    });
    return { ...pod, metadata: { ...pod.metadata, uid: `uid-${name}` }, status: running(pod) };
  });
}
