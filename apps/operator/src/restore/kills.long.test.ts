// SPDX-License-Identifier: Apache-2.0
import { labEtcd, writeRandomHistory } from '@operator-parts/etcd/testing';
import { persistentVolumeClaims } from '@operator-parts/kube';
import { seededRandom } from '@operator-parts/ports';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EtcdClusterSpec } from '../api/etcd-cluster.ts';
import { etcdRestores } from '../api/etcd-restore.ts';
import { annotations, group, labels } from '../api/names.ts';
import { recoveryName } from '../cluster/plan/quorum/recovery.ts';
import { RecordingOperator } from './testing/recording-operator.ts';
import { RestoreLab } from './testing/restore-lab.ts';

/**
 * [100] One of the operators is killed after every single write that it makes in a restore, on real etcd. The cases are generated from the
 * number of writes, not picked by hand. The result is the same every time, and at every moment either the old or the new data exists.
 * `LAB_ETCD` says with which etcd (3.5, 3.6 or 3.7).
 */
let lab: RestoreLab;
beforeAll(async () => {
  lab = await RestoreLab.start({ nodes: 1 });
}, 120_000);
afterAll(async () => {
  await lab?.[Symbol.asyncDispose]();
});

const written = {
  verb: ['create', 'update', 'patch', 'delete'],
  resource: [
    ...[`etcdrestores.${group}`, `etcdclusters.${group}`, 'pods', 'persistentvolumeclaims', 'secrets'],
    ...['services', 'poddisruptionbudgets.policy'],
  ],
} as const;

type Victim = 'restore-operator' | 'etcd-operator';

/** A moment without a running operator, as when a pod is replaced. */
async function replace(victim: Victim): Promise<void> {
  if (victim === 'restore-operator') {
    await lab.stopOperator();
    lab.startOperator();
  } else {
    await lab.clusters.stopOperator();
    lab.clusters.startOperator();
  }
}

interface Attempt {
  readonly path?: string;
  readonly name?: string;
  readonly spec?: Parameters<RestoreLab['restore']>[2];
}

/** Restores once; the operator is killed and restarted after that many of its writes. Returns whether it made that many. */
async function restoreKilledAfter(
  victim: Victim,
  cluster: string,
  write: number,
  { path = `${cluster}.db`, name = `${cluster}-${write}`, spec = {} }: Attempt = {},
): Promise<boolean> {
  return killedAfter(victim, cluster, write, name, () => lab.restore(name, path, { cluster, ...spec }));
}

async function killedAfter(
  victim: Victim,
  cluster: string,
  write: number,
  name: string,
  begin: () => Promise<unknown>,
): Promise<boolean> {
  let replaced: Promise<void> | undefined;
  const fault = lab.clusters.lab.server.faults.crashAfter({ ...written, client: victim }, write, () => {
    replaced = replace(victim);
  });
  await begin();
  await lab.succeeded(name, 120_000);
  await lab.clusters.until('tidied up', async () =>
    (await lab.get(name)).metadata?.finalizers?.length ? undefined : true,
  );
  fault.remove();
  await replaced;
  await lab.clusters.settled(cluster, 120_000);
  return replaced !== undefined;
}

test.each([
  ['restore-operator', 1, 15],
  ['etcd-operator', 2, 10],
] as const)(
  '[100] %s killed after every write of a restore: the same end state each time',
  async (victim, size, atLeast) => {
    const cluster = `kills-${size}`;
    await lab.clusters.create(cluster, { size, version: labEtcd.version });
    await lab.clusters.settled(cluster, 120_000);
    await lab.fill(cluster, 20);
    await lab.snapshot(cluster, `${cluster}.db`);
    const saved = await lab.contents(cluster);
    let kills = 0;
    for (let write = 1; ; write++) {
      const wasKilled = await restoreKilledAfter(victim, cluster, write);
      const { status, metadata } = await lab.clusters.get(cluster);
      expect(status?.incarnation, `after write ${write}`).toBe(write + 1);
      expect(metadata?.annotations?.[annotations.restore]).toBeUndefined();
      expect((await lab.contents(cluster)).keys).toEqual(saved.keys);
      const incarnations = (await lab.clusters.pods(cluster)).map((pod) => pod.metadata?.labels?.[labels.incarnation]);
      expect(incarnations).toEqual(Array.from({ length: size }, () => String(write + 1)));
      await lab.delete(`${cluster}-${write}`);
      if (!wasKilled) break;
      kills++;
    }
    process.stdout.write(`    ${victim}: ${kills} writes\n`);
    expect(kills).toBeGreaterThan(atLeast);
  },
  1_800_000,
);

test('[100] restore-operator killed after every write of a restore into a name that is free: the same end state each time', async () => {
  await lab.clusters.create('origin', { size: 1, version: labEtcd.version });
  await lab.clusters.settled('origin', 120_000);
  await lab.fill('origin', 20);
  await lab.snapshot('origin', 'origin.db');
  const saved = await lab.contents('origin');
  const clusterSpec = { size: 1, version: labEtcd.version };
  let kills = 0;
  for (let write = 1; ; write++) {
    const name = `free-${write}`;
    const attempt = { path: 'origin.db', name, spec: { clusterSpec } };
    const wasKilled = await restoreKilledAfter('restore-operator', name, write, attempt);
    const { status, metadata } = await lab.clusters.get(name);
    expect(status?.incarnation, `after write ${write}`).toBe(1);
    expect(metadata?.annotations?.[annotations.restore]).toBeUndefined();
    expect((await lab.contents(name)).keys).toEqual(saved.keys);
    const { source } = (await lab.get(name)).status ?? {};
    expect(source, `after write ${write}`).toMatchObject({ verified: 'Embedded', sha256: expect.any(String) });
    await lab.delete(name);
    await lab.clusters.delete(name);
    if (!wasKilled) break;
    kills++;
  }
  process.stdout.write(`    restore-operator, free name: ${kills} writes\n`);
  expect(kills).toBeGreaterThan(10);
}, 1_800_000);

test('[100] restore-operator killed after every write of a restore to a point in time: the same end state each time', async () => {
  const cluster = 'rewound';
  await lab.clusters.create(cluster, { size: 1, version: labEtcd.version });
  await lab.clusters.settled(cluster, 120_000);
  await lab.fill(cluster, 20);
  let saved: Awaited<ReturnType<RestoreLab['contents']>>;
  {
    await using operator = new RecordingOperator(lab);
    await operator.record(cluster);
    using member = await lab.clusters.member(cluster);
    await operator.recorded(cluster, member);
    await writeRandomHistory(member, seededRandom(24), 60);
    saved = await lab.contents(cluster);
    await member.kv.deleteRange({ key: Buffer.from('a'), rangeEnd: Buffer.from('z') });
    await operator.recorded(cluster, member);
  }
  const pointInTime = { revision: Number(saved.revision) };
  let kills = 0;
  for (let write = 1; ; write++) {
    const name = `${cluster}-${write}`;
    const wasKilled = await restoreKilledAfter('restore-operator', cluster, write, {
      path: cluster,
      name,
      spec: { pointInTime },
    });
    expect((await lab.clusters.get(cluster)).status?.incarnation, `after write ${write}`).toBe(write + 1);
    expect((await lab.contents(cluster)).keys, `after write ${write}`).toEqual(saved.keys);
    expect((await lab.get(name)).status?.source).toMatchObject({ revision: pointInTime.revision });
    await lab.delete(name);
    if (!wasKilled) break;
    kills++;
  }
  process.stdout.write(`    restore-operator, point in time: ${kills} writes\n`);
  expect(kills).toBeGreaterThan(15);
}, 1_800_000);

const persistentVolumeClaimSpec = {
  accessModes: ['ReadWriteOnce'],
  resources: { requests: { storage: '1Gi' } },
} as const;

/** One of two members is lost for good, while the etcd-operator is stopped. */
async function loseOne(cluster: string): Promise<void> {
  const [lost] = await lab.clusters.pods(cluster);
  const name = lost?.metadata?.name ?? '';
  await lab.clusters.lab.client().resource(persistentVolumeClaims).delete({ namespace: 'default', name });
  await lab.clusters.deletePod(name, 0);
}

/** Recovers a cluster of two members on volumes again and again; `attempt` returns whether the operator was killed. */
async function recoverAgainAndAgain(
  cluster: string,
  spec: Partial<EtcdClusterSpec>,
  attempt: (write: number) => Promise<boolean>,
): Promise<number> {
  await lab.clusters.create(cluster, {
    size: 2,
    version: labEtcd.version,
    pod: { persistentVolumeClaimSpec },
    ...spec,
  });
  await lab.clusters.settled(cluster, 120_000);
  await lab.fill(cluster, 20);
  const saved = await lab.contents(cluster);
  for (let write = 1; ; write++) {
    const wasKilled = await attempt(write);
    expect((await lab.clusters.get(cluster)).status?.incarnation, `after write ${write}`).toBe(write + 1);
    expect((await lab.contents(cluster)).keys, `after write ${write}`).toEqual(saved.keys);
    if (!wasKilled) return write - 1;
  }
}

test.each([
  ['restore-operator', 30],
  ['etcd-operator', 8],
] as const)(
  '[100] %s killed after every write of a recovery from a survivor: nothing acknowledged is lost',
  async (victim, atLeast) => {
    const cluster = `survived-${victim.slice(0, 4)}`;
    const kills = await recoverAgainAndAgain(cluster, {}, async (write) => {
      await lab.clusters.stopOperator();
      await loseOne(cluster);
      lab.clusters.startOperator();
      const name = `${cluster}-${write}`;
      const wasKilled = await killedAfter(victim, cluster, write, name, () =>
        lab.create(name, { etcdCluster: { name: cluster }, source: { survivor: {} } }),
      );
      await lab.delete(name);
      return wasKilled;
    });
    process.stdout.write(`    ${victim}, survivor: ${kills} writes\n`);
    expect(kills).toBeGreaterThan(atLeast);
  },
  1_800_000,
);

test('[100] etcd-operator killed after every write of a recovery that the policy Automatic begins: one recovery each time', async () => {
  const cluster = 'automatic';
  const recovery = { quorumLoss: 'Automatic', after: '10s' } as const;
  const kills = await recoverAgainAndAgain(cluster, { recovery }, async (write) => {
    const { clusterID = '' } = (await lab.clusters.get(cluster)).status ?? {};
    const name = recoveryName(cluster, clusterID);
    await lab.clusters.stopOperator();
    await loseOne(cluster);
    const wasKilled = await killedAfter('etcd-operator', cluster, write, name, async () => {
      lab.clusters.startOperator();
      const isBegun = async () =>
        (await restores()).some(({ metadata }) => metadata?.name === name) ? true : undefined;
      await lab.clusters.until('the recovery begins', isBegun, 120_000);
    });
    const own = (await restores()).filter(({ spec }) => spec.etcdCluster.name === cluster);
    expect(
      own.map(({ metadata }) => metadata?.name),
      `after write ${write}`,
    ).toEqual([name]);
    await lab.delete(name);
    await lab.clusters.until('it is deleted', async () => ((await restores()).length === 0 ? true : undefined));
    return wasKilled;
  });
  process.stdout.write(`    etcd-operator, policy Automatic: ${kills} writes\n`);
  expect(kills).toBeGreaterThan(8);
}, 1_800_000);

async function restores() {
  const { items } = await lab.clusters.lab.client().resource(etcdRestores.resource).list({ namespace: 'default' });
  return items;
}
