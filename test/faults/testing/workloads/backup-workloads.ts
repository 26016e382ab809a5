// SPDX-License-Identifier: Apache-2.0
import { pods } from '@operator-parts/kube';
import { Backups } from '../backups.ts';
import type { Clusters } from '../clusters.ts';
import { storedKeys } from '../end-state.ts';
import type { Scene } from '../scene.ts';
import type { Workload } from '../workload.ts';
import { contents, filled, savedOnce, version } from './stored-data.ts';

const keep = 2;

async function allGone(scene: Scene, clusters: Clusters): Promise<void> {
  await scene.until('all pods are gone', async () => ((await clusters.pods()).length === 0 ? true : undefined));
}

/** Backups and restores. */
export const backupWorkloads: readonly Workload[] = [
  {
    name: 'backup once',
    client: true,
    prepare: (scene, clusters) => filled(scene, clusters, 1),
    act: async (scene) => {
      await new Backups(scene).create('saved');
      await new Backups(scene).succeeded('saved');
    },
  },
  {
    name: 'backups in series',
    client: true,
    prepare: (scene, clusters) => filled(scene, clusters, 1),
    act: async (scene) => {
      const backups = new Backups(scene);
      await backups.create('series', { backupPolicy: { backupIntervalInSecond: 1, maxBackups: keep } });
      const seen = new Set<string>();
      await scene.until('some were made and some were taken away', async () => {
        for (const key of await storedKeys(scene)) if (!key.endsWith('.json')) seen.add(key);
        return seen.size > keep + 1 ? true : undefined;
      });
      await backups.change('series', { backupPolicy: { backupIntervalInSecond: 3600, maxBackups: keep } });
      await backups.succeeded('series');
    },
  },
  {
    name: 'prove a backup',
    client: true,
    prepare: (scene, clusters) => savedOnce(scene, clusters, 1),
    act: async (scene) => {
      const backups = new Backups(scene);
      await backups.change('saved', { prove: { everyNth: 1 } });
      await scene.until('it is proven', async () => {
        const { conditions } = (await backups.get('saved')).status ?? {};
        return conditions?.some(({ type, status }) => type === 'Proven' && status === 'True') ? true : undefined;
      });
    },
  },
  {
    name: 'restore into a free name',
    client: false,
    prepare: async (scene, clusters) => {
      await savedOnce(scene, clusters, 1);
      await clusters.delete();
      await allGone(scene, clusters);
    },
    act: async (scene, clusters) => {
      await new Backups(scene).restore('saved', { clusterSpec: { size: 3, version } });
      await clusters.settled();
    },
    also: contents,
  },
  {
    name: 'restore in place',
    client: false,
    prepare: async (scene, clusters) => {
      await savedOnce(scene, clusters, 3);
      for (const { metadata } of await clusters.pods()) {
        const key = { namespace: scene.namespace, name: metadata?.name ?? '' };
        await scene.client.resource(pods).delete(key, { gracePeriodSeconds: 0 });
      }
      await allGone(scene, clusters);
    },
    act: async (scene, clusters) => {
      await new Backups(scene).restore('saved');
      await clusters.settled();
    },
    also: contents,
  },
  {
    name: 'restore into a running cluster',
    client: true,
    prepare: (scene, clusters) => savedOnce(scene, clusters, 3),
    act: async (scene, clusters) => {
      await new Backups(scene).restore('saved');
      await clusters.settled();
    },
    also: contents,
  },
];
