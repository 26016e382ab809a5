// SPDX-License-Identifier: Apache-2.0
import { systemClock, systemRandom } from '@operator-parts/ports';
import type { EtcdBackup } from '../../api/etcd-backup.ts';
import type { JsonFields } from '../../api/json-fields.ts';
import { etcdAccess } from '../../backup/act/member/etcd-access.ts';
import { observe } from '../../backup/observe/observe.ts';
import { planBackup } from '../../backup/plan/backup-plan.ts';
import { statusOf } from '../../backup/status/backup-status.ts';
import { FirstSeen } from '../../first-seen.ts';
import { everySecret, storeFor } from './store-outcome.ts';
import type { Outcome } from './walk-kind.ts';

export const backupBase = {
  etcdEndpoints: ['http://walk:2379'],
  storageType: 'S3',
  s3: { path: 'walk/s3', awsSecret: 'walk' },
};

/** What the operator does with the spec of a new EtcdBackup. */
export async function backupOutcome(spec: JsonFields): Promise<Outcome> {
  const backup = {
    ...{ apiVersion: 'etcd.database.coreos.com/v1beta2', kind: 'EtcdBackup', spec },
    metadata: { name: 'walk', namespace: 'default', uid: 'walk-uid', generation: 1 },
  } as unknown as EtcdBackup;
  const clock = { now: () => Date.parse('2026-01-01T12:00:00Z') };
  const firstSeen = new FirstSeen(systemClock);
  const { observation, now } = observe(backup, undefined, { clock, random: systemRandom, firstSeen });
  const plan = planBackup(observation, now);
  const { problem } = observation;
  const { conditions } = statusOf(undefined, { plan, problem, run: undefined, unknownFields: [], generation: 1, now });
  if (conditions?.some(({ reason }) => !reason)) throw new Error('a condition has no reason');
  if (problem) return { refusal: `${problem.reason}: ${problem.message}`, made: {}, kept: {} };
  const { readSecret, names } = everySecret();
  try {
    const access = await etcdAccess(backup.spec, readSecret);
    const store = await storeFor(backup.spec.storageType, backup.spec, backup.spec.encryption, readSecret);
    const { order } = observation;
    const schedule = order?.schedule.kind === 'cron' ? { cron: plan.nextDue } : order?.schedule;
    const prove = order?.prove?.kind === 'cron' ? { cron: order.prove.cron.next(now) } : order?.prove;
    return { refusal: '', made: { order: { ...order, schedule, prove }, access, store, names }, kept: {} };
  } catch (error) {
    // A run of the backup would report this error.
    return { refusal: String(error), made: {}, kept: {} };
  }
}
