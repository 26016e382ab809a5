// SPDX-License-Identifier: Apache-2.0
import type { BackupObservation } from '../observation.ts';

/** The stream of an EtcdBackup in this process: it records the changes between full backups. */
export type StreamView =
  | { readonly kind: 'idle' }
  | { readonly kind: 'running'; readonly generation: number }
  /**
   * Some changes could not be recorded. The stream waits for a new full backup. `afterPath` was the last full backup when the missing
   * changes were noticed.
   */
  | { readonly kind: 'waiting'; readonly afterPath: string | undefined; readonly pauseMs: number };

export type StreamStep =
  /** Records changes from the position up to which they are stored. A running stream is ended first. */
  { readonly do: 'startStream' } | { readonly do: 'endStream' };

/**
 * Decides whether to start or end the stream. Pure. The first rule that applies decides:
 *
 * 1. the spec does not ask for a stream or is not valid, or the EtcdBackup is being deleted: the stream is ended
 * 2. the spec has changed since the stream was started: the stream is restarted
 * 3. the stream waits for a full backup, which `planBackup` makes (`backupWantedAt`): the stream is started when that backup exists
 * 4. there is a full backup, and no stream: the stream is started
 */
export function planStream(observation: BackupObservation): readonly StreamStep[] {
  const { order, isDeleting, stream, generation, memory } = observation;
  const isAsked = order?.continuous === true && !isDeleting;
  if (!isAsked) return stream.kind === 'idle' ? [] : [{ do: 'endStream' }];
  switch (stream.kind) {
    case 'running':
      return stream.generation === generation ? [] : [{ do: 'startStream' }];
    case 'waiting':
      return memory.lastPath === stream.afterPath ? [] : [{ do: 'startStream' }];
    case 'idle':
      return memory.lastPath === undefined ? [] : [{ do: 'startStream' }];
  }
}

/** When a full backup is needed so that the stream can continue; undefined if none is needed. */
export function backupWantedAt(observation: BackupObservation, now: number): number | undefined {
  const { order, stream, memory } = observation;
  const isWanted = order?.continuous === true && stream.kind === 'waiting' && memory.lastPath === stream.afterPath;
  return isWanted ? now + stream.pauseMs : undefined;
}
