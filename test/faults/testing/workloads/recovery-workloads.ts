// SPDX-License-Identifier: Apache-2.0

import { etcdBackups } from '@etcd-operator/operator';
import { pods } from '@operator-parts/kube';
import { Backups } from '../backups.ts';
import { Clusters, copyName } from '../clusters.ts';
import type { Scene } from '../scene.ts';
import type { Workload } from '../workload.ts';
import { contents, filled, savedOnce } from './stored-data.ts';

/** Force-deletes two of three pods without volumes at once, and waits until the operator has seen it. */
async function loseQuorum(scene: Scene, clusters: Clusters): Promise<void> {
  const [, ...lost] = await clusters.pods();
  const keys = lost.map(({ metadata }) => ({ namespace: scene.namespace, name: metadata?.name ?? '' }));
  await Promise.all(keys.map((key) => scene.client.resource(pods).delete(key, { gracePeriodSeconds: 0 })));
  await scene.until('the quorum is lost', async () => {
    const { conditions } = (await clusters.get()).status ?? {};
    return conditions?.some(({ reason }) => reason === 'QuorumLost') ? true : undefined;
  });
}

/** A series that records changes, ended again: it would write its recovery point all the time. */
async function recorded(scene: Scene, clusters: Clusters): Promise<void> {
  await filled(scene, clusters, 3);
  const backups = new Backups(scene);
  await backups.create('series', { backupPolicy: { backupIntervalInSecond: 3_600 }, continuous: {} });
  await backups.succeeded('series');
  using member = clusters.member();
  for (const value of ['good', 'bad'])
    await member.kv.put({ key: Buffer.from('a'), value: Buffer.from(`a ${value} deployment`) });
  const { revision } = await member.maintenance.status();
  await scene.until('all changes are stored', async () =>
    ((await backups.get('series')).status?.recoveryPoint?.revision ?? 0) >= Number(revision) ? true : undefined,
  );
  const key = { namespace: scene.namespace, name: 'series' };
  await scene.client.resource(etcdBackups.resource).delete(key);
}

/** The revision before the last change, which was the bad deployment. */
async function revisionBefore(clusters: Clusters): Promise<number> {
  using member = clusters.member();
  const { kvs } = await member.kv.range({ key: Buffer.from('a') });
  return Number(kvs[0]?.modRevision ?? 0n) - 1;
}

/** What brings data back without a whole backup. */
export const recoveryWorkloads: readonly Workload[] = [
  {
    name: 'recover from a survivor',
    client: false,
    prepare: async (scene, clusters) => {
      await filled(scene, clusters, 3);
      await loseQuorum(scene, clusters);
    },
    act: async (scene, clusters) => {
      await new Backups(scene).restoreFrom({ source: { survivor: {} } });
      await clusters.settled();
    },
    also: contents,
  },
  {
    name: 'restore a point in time',
    client: false,
    prepare: recorded,
    act: async (scene, clusters) => {
      const revision = await revisionBefore(clusters);
      await new Backups(scene).restore('series', { pointInTime: { revision } });
      await clusters.settled();
    },
    also: contents,
  },
  {
    name: 'restore prefixes',
    client: true,
    prepare: async (scene, clusters) => {
      await savedOnce(scene, clusters, 3);
      using member = clusters.member();
      await member.kv.deleteRange({ key: Buffer.from('b') });
    },
    act: async (scene, clusters) => {
      await new Backups(scene).restore('saved', { prefixes: ['a', 'b'] });
      await clusters.settled();
    },
    also: contents,
  },
  {
    name: 'copy a cluster',
    client: true,
    prepare: (scene, clusters) => filled(scene, clusters, 3),
    act: async (scene, clusters) => {
      await new Backups(scene).restoreFrom({ etcdCluster: { name: copyName }, source: { cluster: clusters.name } });
      await new Clusters(scene, copyName).settled();
    },
    also: (scene) => contents(scene, new Clusters(scene, copyName)),
  },
];
