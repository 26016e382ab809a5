// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { cluster, down, healthy, noQuorum } from './cluster/plan/testing/situations/vocabulary.ts';
import { healthOf, healthScripts } from './testing/gitops/argo-health.ts';
import { backupScene, clusterScene, clusterScenes, restoreScenes } from './testing/gitops/standard-scenes.ts';

const facts = (change: object) => cluster((known) => ({ ...known, ...change }));
const lost = [healthy(3), down(5_000, 'c', 'd'), noQuorum];

describe('the health script for Argo CD', () => {
  test('is there for each kind', () => {
    expect(Object.keys(healthScripts())).toEqual(['EtcdCluster', 'EtcdBackup', 'EtcdRestore']);
  });

  test.each([
    ['Healthy', clusterScene('as asked', [healthy(3)])],
    ['Degraded', clusterScene('without a quorum', lost)],
    ['Progressing', clusterScene('new', [])],
    ['Suspended', clusterScene('paused', [healthy(3), facts({ paused: true })])],
    ['Degraded', clusterScene('paused without a quorum', [...lost, facts({ paused: true })])],
    ['Degraded', clusterScene('not valid', [healthy(3), facts({ desired: { problems: ['"spec.size"\n is 0'] } })])],
    ['Progressing', clusterScene('being deleted', [healthy(3), facts({ deleting: true })])],
    ['Progressing', backupScene('due', {})],
    ['Healthy', backupScene('with a schedule', {}, 3_600_000)],
  ])('says %s of the right objects (%#)', async (expected, { object }) => {
    expect(await healthOf(object)).toBe(expected);
  });

  test('says Progressing of an object that no operator has seen, and of a spec that was not acted upon', async () => {
    const { object } = clusterScene('as asked', [healthy(3)]);
    expect(await healthOf({ ...object, status: {} })).toBe('Progressing');
    expect(await healthOf({ ...object, metadata: { ...object.metadata, generation: 9 } })).toBe('Progressing');
  });

  test('has an answer for every phase of a restore', async () => {
    const told = await Promise.all(restoreScenes.map(({ object }) => healthOf(object)));
    expect(told).toEqual([...Array(8).fill('Progressing'), 'Healthy', 'Progressing', 'Degraded']);
  });

  test('never says Healthy of a cluster of the planner’s table that is not Ready', async () => {
    const stalled = clusterScenes.filter(
      ({ object }) => !object.status.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True'),
    );
    for (const { object } of stalled.slice(0, 60)) expect(await healthOf(object)).not.toBe('Healthy');
  });
});
