// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { etcdBackups } from './api/etcd-backup.ts';
import { etcdClusters } from './api/etcd-cluster.ts';
import { etcdRestores } from './api/etcd-restore.ts';
import { cluster, down, healthy, noQuorum } from './cluster/plan/testing/situations/vocabulary.ts';
import { kstatusOf } from './testing/gitops/kstatus.ts';
import {
  backupScene,
  clusterScene,
  clusterScenes,
  restoreScenes,
  type Scene,
} from './testing/gitops/standard-scenes.ts';

const says = async (scene: Scene) => (await kstatusOf([scene.object]))[0];

/** The state that the library should derive from our conditions. */
const meant = ({ object }: Scene): string => {
  const { metadata, status } = object;
  const is = (type: string) => status.conditions?.some((one) => one.type === type && one.status === 'True') ?? false;
  if (metadata.deletionTimestamp !== undefined) return 'Terminating';
  if (status.observedGeneration !== undefined && status.observedGeneration !== metadata.generation) return 'InProgress';
  return is('Ready') ? 'Current' : is('Stalled') ? 'Failed' : 'InProgress';
};

describe('the library of Flux and kpt', () => {
  test.each([etcdClusters, etcdBackups, etcdRestores])(
    'does not take a new $kind for Current before an operator has seen it',
    async ({ group, version, kind, schema }) => {
      const created = {
        apiVersion: `${group}/${version}`,
        kind,
        metadata: { name: 'x', namespace: 'ns', generation: 1 },
      };
      const shown = { ...created, status: schema.properties?.['status']?.default };
      expect(await kstatusOf([created, shown])).toEqual(['Current', 'InProgress']);
    },
  );

  test('does not take a cluster without a quorum for Current', async () => {
    expect(await says(clusterScene('lost', [healthy(3), down(5_000, 'c', 'd'), noQuorum]))).toBe('Failed');
  });

  test('knows a cluster that is as asked, one that is made, one that is refused and one that is deleted', async () => {
    const change = (facts: object) => cluster((known) => ({ ...known, ...facts }));
    expect(await says(clusterScene('steady', [healthy(3)]))).toBe('Current');
    expect(await says(clusterScene('new', []))).toBe('InProgress');
    expect(await says(clusterScene('invalid', [healthy(3), change({ desired: { problems: ['x'] } })]))).toBe('Failed');
    expect(await says(clusterScene('deleted', [healthy(3), change({ deleting: true })]))).toBe('Terminating');
  });

  test('understands every situation of the planner as it is meant', async () => {
    const found = await kstatusOf(clusterScenes.map(({ object }) => object));
    const told = clusterScenes.map(({ name }, index) => [name, found[index]]);
    expect(told).toEqual(clusterScenes.map((scene) => [scene.name, meant(scene)]));
    expect(new Set(found)).toEqual(new Set(['Current', 'InProgress', 'Failed', 'Terminating']));
  });

  test('understands backups and restores', async () => {
    const scenes = [backupScene('due', {}), backupScene('schedule', {}, 3_600_000), ...restoreScenes];
    const found = await kstatusOf(scenes.map(({ object }) => object));
    expect(found).toEqual(scenes.map(meant));
    expect(found.slice(0, 2)).toEqual(['InProgress', 'Current']);
  });
});
