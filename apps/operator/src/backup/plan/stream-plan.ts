// SPDX-License-Identifier: Apache-2.0
import type { BackupObservation } from '../observation.ts';

/** The stream of changes of an EtcdBackup in this process. */
export type StreamView =
  | { readonly kind: 'idle' }
  | { readonly kind: 'running'; readonly generation: number }
  /** Changes could not be recorded: it goes on from a full backup other than the last one when that was found. */
  | { readonly kind: 'waiting'; readonly afterPath: string | undefined; readonly pauseMs: number };

export type StreamStep =
  /** Records changes, from where they are stored up to. One that runs is ended first. */
  { readonly do: 'startStream' } | { readonly do: 'endStream' };

/**
 * What to do about the stream. Pure. The rules in order; the first that applies decides:
 *
 * 1. nobody asks for it, or the EtcdBackup is being deleted or not valid: it is ended
 * 2. the spec has changed since it was started: it is started again
 * 3. it waits for a full backup: it is started when there is one, which `planBackup` makes at once (`wantsBackup`)
 * 4. there is a full backup, and no stream: it is started
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

/** When a full backup is needed for the stream to go on; undefined if it is not. */
export function backupWantedAt(observation: BackupObservation, now: number): number | undefined {
  const { order, stream, memory } = observation;
  const isWanted = order?.continuous === true && stream.kind === 'waiting' && memory.lastPath === stream.afterPath;
  return isWanted ? now + stream.pauseMs : undefined;
}
