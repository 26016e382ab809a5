// SPDX-License-Identifier: Apache-2.0
import type { EtcdBackupStatus } from '../../api/etcd-backup.ts';
import { restoreReasons } from '../../api/reasons.ts';
import { planBackup } from '../../backup/plan/backup-plan.ts';
import { statusOf as backupStatusOf, memoryOf } from '../../backup/status/backup-status.ts';
import { now as backupNow, observation as backupObservation, order } from '../../backup/testing/observations.ts';
import { planCluster } from '../../cluster/plan/plan.ts';
import { situations } from '../../cluster/plan/testing/situations/index.ts';
import { type Change, nothing, now } from '../../cluster/plan/testing/situations/vocabulary.ts';
import { statusOf } from '../../cluster/status/status.ts';
import { nextStatus } from '../../restore/status.ts';

const apiVersion = 'etcd.database.coreos.com/v1beta2';
const time = '2026-11-15T12:00:00Z';

/** An object with its status, as stored in the API server. */
export interface Scene {
  readonly name: string;
  readonly object: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly metadata: {
      readonly name: string;
      readonly namespace: string;
      readonly generation: number;
      readonly deletionTimestamp?: string;
    };
    readonly status: {
      readonly observedGeneration?: number | undefined;
      readonly conditions?:
        | readonly {
            readonly type: string;
            readonly status: string;
            readonly reason?: string;
            readonly message?: string;
          }[]
        | undefined;
    };
  };
}

/** An EtcdCluster from the planner's table, with the status that the operator writes for it. */
export function clusterScene(name: string, given: readonly Change[]): Scene {
  const observation = given.reduce((seen, change) => change(seen), nothing());
  const status = statusOf({ phase: 'Running' }, observation, planCluster(observation, now), time);
  const { generation, deleting } = observation.cluster;
  const metadata = { name: 'c', namespace: 'ns', generation, ...(deleting && { deletionTimestamp: time }) };
  return { name, object: objectOf('EtcdCluster', metadata, status) };
}

/** Every situation in the planner's table. */
export const clusterScenes: readonly Scene[] = Object.values(situations)
  .flat()
  .map(({ name, given }) => clusterScene(name, given));

/** An EtcdBackup with this previous status, which runs once, or at this interval in milliseconds. */
export function backupScene(name: string, status: EtcdBackupStatus, every?: number): Scene {
  const schedule = every === undefined ? { kind: 'once' as const } : { kind: 'interval' as const, milliseconds: every };
  const observation = backupObservation({ order: order(schedule), memory: memoryOf({ status }) });
  const plan = planBackup(observation, backupNow);
  const next = backupStatusOf(status, { plan, problem: undefined, run: undefined, generation: 1, now: backupNow });
  return { name, object: objectOf('EtcdBackup', { name: 'b', namespace: 'ns', generation: 1 }, next) };
}

/** An EtcdRestore in each of its phases. */
export const restoreScenes: readonly Scene[] = Object.values(restoreReasons).map((phase) => ({
  name: phase,
  object: objectOf(
    'EtcdRestore',
    { name: 'r', namespace: 'ns', generation: 1 },
    nextStatus(undefined, 1, { phase, reason: `it is ${phase}` }, time) ?? {},
  ),
}));

function objectOf(kind: string, metadata: Scene['object']['metadata'], status: object): Scene['object'] {
  return { apiVersion, kind, metadata, status };
}
