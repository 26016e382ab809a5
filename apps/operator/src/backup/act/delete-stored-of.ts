// SPDX-License-Identifier: Apache-2.0
import type { EtcdBackup } from '../../api/etcd-backup.ts';
import { backupEventReasons as reasons } from '../../api/reasons.ts';
import { emitNotFound, whyKept } from '../status/backup-events.ts';
import type { ActContext, StepOutcome } from './act-context.ts';
import { PausableLimit } from './pausable-limit.ts';
import { deleteStored } from './stored/delete-stored.ts';

const pauseMs = 15_000;

/** Deletes the stored backups of an EtcdBackup that is being deleted. On failure the EtcdBackup is kept, except after the last attempt. */
export async function deleteStoredOf(
  backup: EtcdBackup,
  isLastTry: boolean,
  { ports, seen, reconcile }: ActContext,
): Promise<StepOutcome> {
  const { storage, events, clock } = ports;
  const { order } = seen.observation;
  if (!order) return { kind: 'done', backup };
  try {
    using limit = new PausableLimit(clock, order.timeoutMs, reconcile.signal);
    const fenced = { ...storage, fence: reconcile.fence };
    const { deleted, kept } = await deleteStored(backup, order, reconcile.client, fenced, limit.signal);
    reconcile.log.info('stored backups deleted', { deleted: deleted.length, kept: kept.length });
    if (!isLastTry && kept.some(({ why }) => why !== 'notOurs' && why !== 'locked')) throw new Error(whyKept(kept));
    if (kept.length > 0) events.record(backup, 'Warning', reasons.backupsLeftBehind, whyKept(kept));
    emitNotFound(events, backup, order, { deleted, kept });
    return { kind: 'done', backup };
  } catch (error) {
    reconcile.signal.throwIfAborted();
    const why = error instanceof Error ? error.message : String(error);
    if (!isLastTry) {
      const words = `The stored backups of this EtcdBackup could not be deleted: ${why.replace(/\.$/, '')}. Retrying in ${pauseMs / 1000} s.`;
      events.record(backup, 'Warning', reasons.deletingBackupsFailed, words);
      return { kind: 'retry', after: pauseMs };
    }
    events.record(
      backup,
      'Warning',
      reasons.backupsLeftBehind,
      `The stored backups of this EtcdBackup could not be deleted: ${why.replace(/\.$/, '')}. Delete them yourself.`,
    );
    return { kind: 'done', backup };
  }
}
