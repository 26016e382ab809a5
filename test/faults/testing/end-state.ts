// SPDX-License-Identifier: Apache-2.0

import { etcdBackups, etcdClusters, etcdRestores } from '@etcd-operator/operator';
import { openStore } from '@operator-parts/blob';
import {
  configMaps,
  type KubeObject,
  persistentVolumeClaims,
  podDisruptionBudgets,
  pods,
  type Resource,
  secrets,
  services,
} from '@operator-parts/kube';
import { type Clusters, clusterName } from './clusters.ts';
import { anonymous, comparable } from './comparable.ts';
import type { Scene } from './scene.ts';

const kinds: readonly Resource<KubeObject>[] = [
  pods,
  persistentVolumeClaims,
  services,
  secrets,
  podDisruptionBudgets,
  configMaps,
  etcdClusters.resource,
  etcdBackups.resource,
  etcdRestores.resource,
];

/** Everything a run leaves, a line each, without what differs from one run to the next: names, IDs, addresses and times. */
export async function endState(scene: Scene, clusters: Clusters): Promise<readonly string[]> {
  const objects = await Promise.all(
    kinds.map(async (kind) => {
      const { items } = await scene.client.resource(kind).list({ namespace: scene.namespace });
      return items.map((item) => ({ kind: kind.kind, ...item }));
    }),
  );
  const found = objects.flat();
  const lines = found.map((object) => comparable(object, { namespace: scene.namespace, cluster: clusterName }));
  return [...lines, ...(await members(clusters)), ...(await stored(scene))].sort();
}

/** etcd's own view of who belongs to it, and what each of them runs. */
async function members(clusters: Clusters): Promise<readonly string[]> {
  const addresses = (await clusters.pods()).flatMap(({ status }) => status?.podIP ?? []);
  if (addresses.length === 0) return [];
  const lines = addresses.map(async (address) => {
    using member = clusters.member(address);
    const { version, isLearner, errors } = await member.maintenance.status();
    const { members: all } = await member.cluster.memberList();
    return `member ${version} ${isLearner ? 'learner' : 'voter'} of ${all.length} ${errors.join()}`;
  });
  return Promise.all(lines);
}

async function stored(scene: Scene): Promise<readonly string[]> {
  const known = { namespace: scene.namespace, cluster: clusterName };
  const keys = await storedKeys(scene);
  return keys.map((key) => `stored ${anonymous(key, '', known)}`);
}

/** What lies in the run's folder of the store. */
export async function storedKeys({ ground, namespace }: Scene): Promise<readonly string[]> {
  const { endpoint, bucket, accessKeyId, secretAccessKey } = ground.s3;
  const store = await openStore({
    ...{ kind: 's3', bucket, endpoint, forcePathStyle: true, policy: { allowLocal: true } },
    credentials: { kind: 'keys', accessKeyId, secretAccessKey },
  });
  const keys: string[] = [];
  for await (const { key } of store.list(`${namespace}/`)) keys.push(key.slice(namespace.length + 1));
  store.close();
  return keys;
}
