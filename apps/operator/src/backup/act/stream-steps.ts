// SPDX-License-Identifier: Apache-2.0
import type { EtcdBackup } from '../../api/etcd-backup.ts';
import { identityOf } from '../../identity/object-identity.ts';
import { runStream } from '../continuous/run-stream.ts';
import { emitGap, emitMissing } from '../status/backup-events.ts';
import type { ActContext } from './act-context.ts';

/**
 * Starts to record changes for a continuous backup. The recording continues in the background and requests a reconciliation when there is
 * something to report.
 */
export async function startStream(backup: EtcdBackup, { ports, seen }: ActContext): Promise<void> {
  const { order } = seen.observation;
  if (!order) return;
  const { namespace, name, uid } = identityOf(backup);
  // Ends a recording that was started for an older spec, or that has stopped to wait for a full backup.
  await ports.streams.end(uid);
  const log = ports.log.child({ object: `EtcdBackup ${namespace}/${name}` });
  const work = { ...ports, log, dialFor: ports.dialerOf(namespace) };
  ports.streams.start(
    backup,
    async (reporter, signal) => {
      const gap = await runStream({ backup, order }, work, reporter, signal);
      emitGap(ports.events, backup, gap);
      return gap;
    },
    (missing) => emitMissing(ports.events, backup, missing),
  );
}
