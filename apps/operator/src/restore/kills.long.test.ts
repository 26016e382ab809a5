// SPDX-License-Identifier: Apache-2.0
import { afterAll, beforeAll, expect, test } from 'vitest';
import { annotations, group, labels } from '../api/names.ts';
import { RestoreLab } from './testing/restore-lab.ts';

/**
 * [100] The restore operator is killed after every single write of a restore, on real etcd: generated from how many writes a
 * restore makes, not picked by hand. Every time the end is the same, and at no time is there neither the old nor the new.
 */
let lab: RestoreLab;
beforeAll(async () => {
  lab = await RestoreLab.start({ nodes: 1 });
  await lab.clusters.create('killed', { size: 1, version: '3.6.16' });
  await lab.clusters.settled('killed', 60_000);
  await lab.fill('killed', 20);
  await lab.snapshot('killed', 'killed.db');
}, 120_000);
afterAll(async () => {
  await lab?.[Symbol.asyncDispose]();
});

const scope = {
  client: 'restore-operator',
  verb: ['create', 'update', 'patch', 'delete'],
  resource: [`etcdrestores.${group}`, `etcdclusters.${group}`, 'pods', 'persistentvolumeclaims', 'secrets'],
} as const;

/** Restores once; the operator is killed and started again after that many of its writes. Says if it came to that. */
async function restoreKilledAfter(write: number): Promise<boolean> {
  const name = `kill-${write}`;
  let killed = false;
  const fault = lab.clusters.lab.server.faults.crashAfter(scope, write, () => {
    killed = true;
    // A moment in which nobody works, as when a pod is replaced.
    void lab.stopOperator().then(() => lab.startOperator());
  });
  await lab.restore(name, 'killed.db', { cluster: 'killed' });
  await lab.succeeded(name, 120_000);
  await lab.clusters.until('tidied up', async () =>
    (await lab.get(name)).metadata?.finalizers?.length ? undefined : true,
  );
  fault.remove();
  return killed;
}

test('[100] killed after every write of a restore: the same end state each time', async () => {
  const saved = await lab.contents('killed');
  let kills = 0;
  for (let write = 1; ; write++) {
    const wasKilled = await restoreKilledAfter(write);
    const cluster = await lab.clusters.settled('killed', 60_000);
    expect(cluster.status?.incarnation, `after write ${write}`).toBe(write + 1);
    expect(cluster.metadata?.annotations?.[annotations.restore]).toBeUndefined();
    expect((await lab.contents('killed')).keys).toEqual(saved.keys);
    const pods = await lab.clusters.pods('killed');
    expect(pods.map(({ metadata }) => metadata?.labels?.[labels.incarnation])).toEqual([String(write + 1)]);
    await lab.delete(`kill-${write}`);
    if (!wasKilled) break;
    kills++;
  }
  expect(kills).toBeGreaterThan(15);
}, 1_200_000);
