// SPDX-License-Identifier: Apache-2.0

import { etcdClusters } from '@etcd-operator/operator';
import { labEtcd } from '@operator-parts/etcd/testing';
import { persistentVolumeClaims, pods } from '@operator-parts/kube';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PluginLab } from './testing/plugin-lab.ts';

const namespace = 'default';
const persistentVolumeClaimSpec = {
  accessModes: ['ReadWriteOnce'],
  resources: { requests: { storage: '1Gi' } },
} as const;

let ground: PluginLab;
beforeAll(async () => {
  ground = await PluginLab.start(2);
});
afterAll(() => ground?.[Symbol.asyncDispose]());

test('recover shows two volumes, one ahead of the other, and who would be chosen; and the one without a pod, whose log only the recovery reads', async () => {
  const { lab } = ground;
  await ground.cluster('lost', { size: 5, version: labEtcd.version, pod: { persistentVolumeClaimSpec } });
  const members = async () => {
    const { items } = await lab.client().resource(pods).list({ namespace, labelSelector: 'etcd_cluster=lost' });
    return items.map(({ metadata }) => metadata?.name ?? '').sort();
  };
  const [ahead = '', behind = '', ...gone] = await members();
  const clusters = lab.client().resource(etcdClusters.resource);
  await clusters.patch({ namespace, name: 'lost' }, { type: 'merge', patch: { spec: { paused: true } } });
  const cut = await lab.faults.network.isolate({ pod: { name: behind, namespace } });
  for (let count = 0; count < 20; count++) await ground.type(`exec lost --member ${ahead} -- etcdctl put k${count} v`);
  const claims = lab.client().resource(persistentVolumeClaims);
  await Promise.all(gone.map((name) => claims.delete({ namespace, name })));
  await Promise.all(
    gone.map((name) => lab.client().resource(pods).delete({ namespace, name }, { gracePeriodSeconds: 0 })),
  );
  // Until then it may still lead for a moment, and would bring the one that is behind up to date.
  await ground.prints('recover lost', new RegExp(`${ahead} .* reachable, no leader`));
  await cut.heal();
  const row = (name: string) =>
    `${name} +Running +\\S+ +yes +\\d+ +(\\d+) +\\d+ +(\\d+) +([0-9a-f]{8}) +etcd is reachable, no leader`;
  const told = await ground.prints(
    'recover lost',
    new RegExp(`${row(ahead)}[^]*${row(behind)}[^]*by committed index, ${ahead}`),
  );
  const [, , far = '', one] = new RegExp(row(ahead)).exec(told.out) ?? [];
  const [, , near = '', other] = new RegExp(row(behind)).exec(told.out) ?? [];
  expect(Number(far)).toBeGreaterThan(Number(near));
  // At a revision that both have reached they hold the same.
  expect(one).toBe(other);
  expect(told.out).toContain(
    `HashKV at revision ${near} is the same on ${ahead}, ${behind}: these members hold the same data.`,
  );
  expect(told.out).toContain(`Writes that only ${gone.join(', ')} received would be lost.`);
  expect(told.out).toContain('The operator reads the WALs after the recovery has begun');
  await lab.client().resource(pods).delete({ namespace, name: behind });
  const left = await ground.prints(
    'recover lost',
    new RegExp(`${behind} +- +- +yes +- +- +- +- +- +its WAL is read from its volume`),
  );
  // The WAL on that volume may have newer entries.
  expect(left.out).not.toContain('by committed index');
  expect(await members()).toEqual([ahead]);
}, 300_000);
