// SPDX-License-Identifier: Apache-2.0
import { formatTime } from '@operator-parts/kube';
import type { EtcdBackupStatus } from '../../api/etcd-backup.ts';
import { backupConditionTypes } from '../../api/reasons.ts';
import { timeOf } from '../../api/status-time.ts';
import type { BackupObservation } from '../observation.ts';
import type { Claim } from '../status/merged-conditions.ts';
import { pointInterval, quietInterval, type StreamReport } from './streams.ts';

type Point = NonNullable<EtcdBackupStatus['recoveryPoint']>;

/** The recovery point for the status. The value that an earlier process reported stays until this process has a newer one. */
export function recoveryPointOf(
  before: EtcdBackupStatus | undefined,
  isAsked: boolean,
  report: StreamReport | undefined,
): Pick<EtcdBackupStatus, 'recoveryPoint'> {
  if (!isAsked) return {};
  const { point } = report ?? {};
  const known = before?.recoveryPoint;
  if (!point) return known ? { recoveryPoint: known } : {};
  const next: Point = { revision: Number(point.revision), time: formatTime(point.time) };
  return { recoveryPoint: known && !isNews(known, next) ? known : next };
}

/** The recovery point changes all the time. Writing every new value to the status would overload the API server. */
function isNews(before: Point, after: Point): boolean {
  const [from, to] = [timeOf(before.time), timeOf(after.time)];
  if (from === undefined || to === undefined) return true;
  return Math.abs(to - from) >= (before.revision === after.revision ? quietInterval : pointInterval) - 1_000;
}

/** The condition about recording; undefined if the spec does not ask for recording. */
export function recordingClaim(
  { order, memory }: Pick<BackupObservation, 'order' | 'memory'>,
  report: StreamReport | undefined,
): Claim | undefined {
  if (!order?.continuous) return undefined;
  const type = backupConditionTypes.recording;
  if (memory.lastPath === undefined)
    return {
      type,
      status: 'Unknown',
      reason: 'WaitingForBackup',
      message: 'waiting for the first full backup; after that, the continuous backup records all changes',
    };
  if (report?.gap) {
    const message = `${report.gap.why}. The operator makes a new full backup; after that, the continuous backup records changes again.`;
    return { type, status: 'False', reason: 'ChangesMissing', message };
  }
  if (report?.fault) {
    const { reason, message } = report.fault;
    return {
      type,
      status: 'False',
      reason,
      message: `the continuous backup is not recording changes; the operator retries automatically: ${message}`,
    };
  }
  if (!report?.point) return { type, status: 'Unknown', reason: 'RecordingStarts', message: '' };
  return { type, status: 'True', reason: 'ChangesRecorded', message: '' };
}
