// SPDX-License-Identifier: Apache-2.0

import { coreosPod, coreosServices } from '@etcd-operator/operator/testing';
import { labEtcd } from '@operator-parts/etcd/testing';
import { persistentVolumeClaims, pods, services } from '@operator-parts/kube';
import { type Clusters, clusterName } from '../clusters.ts';
import type { Scene } from '../scene.ts';
import type { Workload } from '../workload.ts';

const { version } = labEtcd;
/** What each minor is upgraded from. */
const before = { '3.5': '3.4.23', '3.6': '3.5.35', '3.7': '3.6.16' } as const;
const persistentVolumeClaimSpec = {
  accessModes: ['ReadWriteOnce'],
  resources: { requests: { storage: '512Mi' } },
} as const;

const three = async (_scene: Scene, clusters: Clusters) => {
  await clusters.create({ size: 3, version });
  await clusters.settled();
};
const threeOnVolumes = async (_scene: Scene, clusters: Clusters) => {
  await clusters.create({ size: 3, version, pod: { persistentVolumeClaimSpec } });
  await clusters.settled();
};

/** Takes the pod of one member away that joined, and its volume if it is told to; resolves when there are three again. */
async function loseOne(scene: Scene, clusters: Clusters, withVolume: boolean): Promise<void> {
  const found = await clusters.pods();
  // The first member waits for nobody's name.
  const joined = found.find(({ spec }) => (spec?.initContainers?.length ?? 0) > 0);
  const { name = '', uid } = joined?.metadata ?? {};
  const key = { namespace: scene.namespace, name };
  if (withVolume) {
    const claims = await scene.client.resource(persistentVolumeClaims).list({ namespace: scene.namespace });
    const claim = claims.items.find(({ metadata }) => metadata?.name?.includes(name))?.metadata?.name ?? '';
    await scene.client.resource(persistentVolumeClaims).delete({ ...key, name: claim });
  }
  await scene.client.resource(pods).delete(key, { gracePeriodSeconds: 0 });
  await scene.until('three other pods', async () => {
    const now = await clusters.pods();
    const isReplaced = now.length === 3 && !now.some(({ metadata }) => metadata?.uid === uid);
    return isReplaced ? true : undefined;
  });
  await clusters.settled();
}

async function resize(scene: Scene, clusters: Clusters, ...sizes: readonly number[]): Promise<void> {
  for (const size of sizes) {
    await clusters.change({ size });
    await clusters.settled();
    await scene.until('as many pods', async () => ((await clusters.pods()).length === size ? true : undefined));
  }
}

/** What CoreOS etcd-operator leaves behind. */
async function coreosCluster(scene: Scene, clusters: Clusters): Promise<void> {
  const { metadata } = await clusters.create({ size: 3, version: '3.3.25', paused: true });
  const members = ['bcdfghjklm', 'npqrstvwxz', '2456789bcd'].map((part) => `${clusterName}-${part}`);
  const { namespace, client } = scene;
  const coreos = { name: clusterName, namespace, uid: metadata?.uid ?? '', version: '3.3.25', members };
  for (const service of coreosServices(coreos)) await client.resource(services).create(service);
  for (const member of members) await client.resource(pods).create(coreosPod(coreos, member));
  await scene.until('three are ready', async () => {
    const ready = (await clusters.pods()).filter(({ status }) =>
      status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True'),
    );
    return ready.length === 3 ? true : undefined;
  });
}

/** What is done to a cluster, in the order of how often it happens. */
export const clusterWorkloads: readonly Workload[] = [
  { name: 'create 3', client: true, act: three },
  {
    name: 'replace a member with its volume',
    client: true,
    prepare: threeOnVolumes,
    act: (scene, clusters) => loseOne(scene, clusters, false),
  },
  {
    name: 'replace a member whose volume is lost',
    client: true,
    prepare: threeOnVolumes,
    act: (scene, clusters) => loseOne(scene, clusters, true),
  },
  {
    name: 'replace a member without volume',
    client: true,
    prepare: three,
    act: (scene, clusters) => loseOne(scene, clusters, false),
  },
  {
    name: '1 to 3 to 5 to 1',
    client: true,
    prepare: async (_scene, clusters) => {
      await clusters.create({ size: 1, version, pod: { persistentVolumeClaimSpec } });
      await clusters.settled();
    },
    act: (scene, clusters) => resize(scene, clusters, 3, 5, 1),
  },
  {
    name: 'upgrade a minor',
    client: true,
    prepare: async (_scene, clusters) => {
      await clusters.create({ size: 3, version: before[labEtcd.minor] });
      await clusters.settled();
    },
    act: async (_scene, clusters) => {
      await clusters.change({ version });
      await clusters.settled();
    },
  },
  {
    name: 'pause and resume',
    client: true,
    prepare: three,
    act: async (_scene, clusters) => {
      await clusters.change({ paused: true });
      await clusters.settled();
      await clusters.change({ paused: false });
      await clusters.settled();
    },
  },
  {
    name: 'rolling update of a pod field',
    client: true,
    prepare: threeOnVolumes,
    act: async (scene, clusters) => {
      const etcdEnv = [{ name: 'ETCD_AUTO_COMPACTION_RETENTION', value: '1' }];
      await clusters.change({ pod: { persistentVolumeClaimSpec, etcdEnv } });
      await scene.until('all carry it', async () => {
        const found = await clusters.pods();
        const carry = found.filter(({ spec }) => JSON.stringify(spec?.containers).includes('AUTO_COMPACTION'));
        return found.length === 3 && carry.length === 3 ? true : undefined;
      });
      await clusters.settled();
    },
  },
  {
    name: 'adopt a CoreOS cluster',
    client: true,
    prepare: coreosCluster,
    act: async (_scene, clusters) => {
      await clusters.change({ paused: false });
      await clusters.settled();
    },
  },
  {
    name: 'delete and recreate',
    client: true,
    prepare: threeOnVolumes,
    act: async (_scene, clusters) => {
      await clusters.delete();
      await clusters.create({ size: 3, version, pod: { persistentVolumeClaimSpec } });
      await clusters.settled();
    },
  },
];
