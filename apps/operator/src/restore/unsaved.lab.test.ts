// SPDX-License-Identifier: Apache-2.0
import { labEtcd } from '@operator-parts/etcd/testing';
import type { PersistentVolumeClaim } from '@operator-parts/kube';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { labels } from '../api/names.ts';
import { RestoreLab } from './testing/restore-lab.ts';

const persistentVolumeClaimSpec = {
  accessModes: ['ReadWriteOnce'],
  resources: { requests: { storage: '1Gi' } },
} as const;

describe('an EtcdRestore of a cluster on volumes', () => {
  let lab: RestoreLab;
  beforeAll(async () => {
    lab = await RestoreLab.start();
  });
  afterAll(async () => {
    await lab?.[Symbol.asyncDispose]();
  });

  const claims = (cluster: string) => lab.claims(cluster);
  const names = (found: readonly PersistentVolumeClaim[]) => found.map(({ metadata }) => metadata?.name ?? '').sort();
  const uids = (found: readonly PersistentVolumeClaim[]) => found.map(({ metadata }) => metadata?.uid ?? '').sort();

  /** Three members on volumes, a backup, and later writes. */
  const written = async (name: string) => {
    const { clusters } = lab;
    await clusters.create(name, { size: 3, version: labEtcd.version, pod: { persistentVolumeClaimSpec } });
    await clusters.settled(name);
    await lab.fill(name, 20);
    await lab.snapshot(name, `${name}.db`);
    await clusters.put(name, 'after-the-backup', 'precious');
    return claims(name);
  };

  test('fails while its members are Ready and serve, and only the operators cannot reach them: nothing is touched', async () => {
    const { clusters } = lab;
    const before = await written('apart');
    await clusters.cutOperatorsOff('apart');
    await lab.restore('apart', 'apart.db');
    const status = await lab.ended('apart');
    clusters.paths.showAll();
    expect(status).toMatchObject({ phase: 'Failed', succeeded: false });
    expect(status.reason).toContain('Ready');
    expect(status.reason).toContain('spec.safetySnapshot: IfPossible');
    expect(uids(await claims('apart'))).toEqual(uids(before));
    // The pods are Service endpoints again, the restore annotation is gone, and all data is there.
    const settled = await clusters.settled('apart');
    expect(settled.status).toMatchObject({ incarnation: 1, readySize: 3 });
    for (const { metadata } of await clusters.pods('apart')) expect(metadata?.labels).toMatchObject({ app: 'etcd' });
    expect(await clusters.read('apart', 'after-the-backup')).toBe('precious');
  });

  test('whose pods were all deleted a moment ago takes its safety snapshot from a volume, and keeps the volumes', async () => {
    const { clusters } = lab;
    const before = await written('stopped');
    await clusters.stopOperator();
    for (const { metadata } of await clusters.pods('stopped')) await clusters.deletePod(metadata?.name ?? '', 0);
    await lab.restore('stopped', 'stopped.db');
    await clusters.until('it is marked', async () =>
      (await lab.get('stopped')).status?.phase === 'Isolating' ? true : undefined,
    );
    clusters.startOperator();
    const status = await lab.succeeded('stopped', 180_000);
    expect(status.safetySnapshot?.path).toContain('before-restore');
    await clusters.settled('stopped');
    expect(await clusters.read('stopped', 'after-the-backup')).toBeUndefined();
    expect(uids(await claims('stopped'))).toEqual(expect.arrayContaining(uids(before)));
    expect([...(status.oldVolumes?.names ?? [])].sort()).toEqual(names(before));
    // The safety snapshot is complete, including the last writes. The next restore uses the path as the status reports it.
    await lab.restore('undo', status.safetySnapshot?.path ?? '', { cluster: 'stopped' });
    await lab.succeeded('undo', 180_000);
    await clusters.settled('stopped');
    expect(await clusters.read('stopped', 'after-the-backup')).toBe('precious');
    // Volumes of two earlier incarnations exist now, and disturb nothing.
    expect(await claims('stopped')).toHaveLength(9);
  }, 420_000);

  test('with safetySnapshot IfPossible goes on, keeps the old volumes and says which command deletes them', async () => {
    const { clusters } = lab;
    const before = await written('lost');
    await clusters.cutOperatorsOff('lost');
    await lab.restore('lost', 'lost.db', { safetySnapshot: 'IfPossible' });
    const status = await lab.succeeded('lost', 180_000);
    expect(status.safetySnapshot?.skipped).toContain('not reachable from the operator');
    const kept = (await claims('lost')).filter(({ metadata }) => metadata?.labels?.[labels.keptByRestore]);
    expect(uids(kept)).toEqual(uids(before));
    expect(status.oldVolumes?.delete).toBe(
      `kubectl delete persistentvolumeclaim --namespace default ${names(before).join(' ')}`,
    );
    await clusters.settled('lost');
    expect(await clusters.pods('lost')).toHaveLength(3);
  }, 300_000);
});
