// SPDX-License-Identifier: Apache-2.0
import { formatTime } from '@operator-parts/kube';
import { type EtcdBackup, etcdBackups } from '../../api/etcd-backup.ts';
import { writeStatus } from '../../api/status/write-status.ts';
import { unlabelledMessage } from '../../storage/secret-label.ts';
import type { BackupOrder } from '../observe/backup-order.ts';
import { sparedKeys } from '../prove/proof-status.ts';
import { leftoversAfter } from '../status/backup-status.ts';
import type { ActContext, ActPorts } from './act-context.ts';
import type { RunReporter } from './backup-runs.ts';
import { PausableLimit } from './pausable-limit.ts';
import { whyLeft } from './stored/leftovers.ts';
import { type TakenBackup, takeBackup } from './take-backup.ts';

/** Starts the run that makes the backup. The run continues in the background and requests a reconciliation when it ends. */
export function startRun(backup: EtcdBackup, due: number, { ports, seen }: ActContext): void {
  const { order } = seen.observation;
  if (!order) return;
  const { uid = '', name = '', namespace = '', generation = 0 } = backup.metadata ?? {};
  ports.metrics.begun(name, namespace);
  ports.runs.start({
    uid,
    generation,
    due,
    work: (signal, reporter) => take(backup, order, { signal, reporter }, ports),
    onEnd: () => ports.enqueue({ name, namespace }),
  });
}

async function take(
  backup: EtcdBackup,
  order: BackupOrder,
  { signal, reporter }: { readonly signal: AbortSignal; readonly reporter: RunReporter },
  ports: ActPorts,
): Promise<TakenBackup> {
  const { client, clock, dialerOf, storage, fence, semaphore, places } = ports;
  const { name = '', namespace = '' } = backup.metadata ?? {};
  const log = ports.log.child({ object: `EtcdBackup ${namespace}/${name}` });
  using limit = new PausableLimit(clock, order.timeoutMs, signal);
  try {
    return await takeBackup(
      { backup, order },
      {
        client,
        clock,
        log,
        dialFor: dialerOf(namespace),
        storage,
        fence,
        limit,
        spared: () => spared(backup, order, ports),
        hold: (place) => places.take(place),
        permit: (until) => semaphore.take(namespace, until),
        announce: async (object, totalBytes) => {
          reporter.object(object, totalBytes);
          await note(backup, object, ports, limit.signal);
        },
        onBytes: (bytes) => reporter.bytes(bytes),
        onLeft: (object, why) => reporter.left(object, whyLeft(why)),
        onRemoved: (object) => reporter.removed(object),
        onUnlabelled: (secrets) => reporter.secretWarning(unlabelledMessage(namespace, secrets)),
      },
    );
  } catch (error) {
    log.info('a backup was not made', { error });
    throw (signal.aborted ? undefined : limit.expiry) ?? error;
  }
}

/**
 * Keys of stored backups that retention must not delete. Read as late as possible, to include the result of a proof (test restore of a
 * stored backup) that finished while the new backup was made.
 */
function spared(backup: EtcdBackup, { place }: BackupOrder, { backupOf, proofs }: ActPorts): ReadonlySet<string> {
  const { uid = '', name = '', namespace = '' } = backup.metadata ?? {};
  const { status } = backupOf({ name, namespace }) ?? backup;
  return sparedKeys(status, proofs.path(uid), place);
}

/**
 * Records the object's key in the status before the first byte is written to the store. So after a crash the next process finds the
 * unfinished object.
 */
async function note(backup: EtcdBackup, object: string, ports: ActPorts, signal: AbortSignal): Promise<void> {
  const { clock, client, runs } = ports;
  const progress = { object, startTime: formatTime(clock.now()) };
  const { left = [], removed = [] } = runs.state(backup.metadata?.uid ?? '')?.progress ?? {};
  const { leftovers } = leftoversAfter(backup.status, { object, left, removed });
  await writeStatus(client.resource(etcdBackups.resource), backup, { progress, leftovers }, signal);
}
