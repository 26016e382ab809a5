// SPDX-License-Identifier: Apache-2.0
import type { EtcdClusterSpec } from '@etcd-operator/operator';
import { Backups } from '../testing/backups.ts';
import { Clusters } from '../testing/clusters.ts';
import { SteadyClient } from '../testing/steady-client.ts';
import type { SoakLab } from './soak-lab.ts';
import { patience } from './troubles.ts';

const size = 20;
const version = '3.6.16';
/** Milliseconds between two writes, and between two reads, of each client. */
const pause = 2_000;
const persistentVolumeClaimSpec = {
  accessModes: ['ReadWriteOnce'],
  resources: { requests: { storage: '512Mi' } },
} as const;

/** One cluster of the soak, and who writes to it. */
export interface Resident {
  readonly cluster: Clusters;
  readonly spec: EtcdClusterSpec;
  readonly client: SteadyClient;
}

/**
 * Twenty clusters: sixteen of one member on a volume, two of three on volumes and two of three without. Four of them are backed up
 * in series.
 */
export async function openFleet(lab: SoakLab): Promise<readonly Resident[]> {
  const made = Array.from({ length: size }, (_, index) => {
    const pod = index % 10 === 5 ? {} : { pod: { persistentVolumeClaimSpec } };
    const spec: EtcdClusterSpec = { size: index % 5 === 0 ? 3 : 1, version, ...pod };
    return { cluster: new Clusters(lab, `soak-${index}`), spec };
  });
  for (const { cluster, spec } of made) await cluster.create(spec);
  for (const { cluster } of made) await cluster.settled(patience);
  const backups = new Backups(lab);
  await backups.allow();
  for (const { cluster } of made.filter((_, index) => index % 5 === 0)) {
    const etcdEndpoints = [`http://${cluster.name}-client.${lab.namespace}.svc:2379`];
    const backupPolicy = { backupIntervalInSecond: 60, maxBackups: 3 };
    await backups.create(`series-of-${cluster.name}`, { etcdEndpoints, backupPolicy });
  }
  return made.map((one) => ({ ...one, client: new SteadyClient(one.cluster, pause) }));
}

/** Every cluster is healthy, with nothing left to do. */
export async function allSettled(fleet: readonly Resident[]): Promise<void> {
  for (const { cluster } of fleet) await cluster.settled(patience);
}
