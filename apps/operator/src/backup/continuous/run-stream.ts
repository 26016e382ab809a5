// SPDX-License-Identifier: Apache-2.0
import { formatId } from '@operator-parts/etcd';
import type { Client } from '@operator-parts/kube';
import type { Clock, Logger, Random } from '@operator-parts/ports';
import type { EtcdBackup } from '../../api/etcd-backup.ts';
import { timeOf } from '../../api/status-time.ts';
import type { UnrecordedRevisions } from '../../changes/segment-header.ts';
import { parseSegmentKey, segmentsPrefix } from '../../changes/segment-names.ts';
import { identityOf } from '../../identity/object-identity.ts';
import { specKeys } from '../../storage/encryption/secret-keys.ts';
import { openStore, type StorageSettings } from '../../storage/open-store.ts';
import { secretReader } from '../../storage/secret-reader.ts';
import type { DialerFor } from '../act/endpoint/endpoint-dialer.ts';
import { type BackupFault, faultOf, pauseAfter } from '../backup-fault.ts';
import type { BackupOrder } from '../observe/backup-order.ts';
import { findPosition, type HistoryPlace } from './find-position.ts';
import { pruneSegments } from './prune-segments.ts';
import { recordChanges, UnrecordedError } from './record-changes.ts';
import type { RecoveryPoint } from './recovery-point.ts';
import { streamMember } from './stream-member.ts';
import type { MissingChanges } from './stream-position.ts';

export interface StreamJob {
  readonly backup: EtcdBackup;
  readonly order: BackupOrder;
}

export interface StreamPorts {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly dialFor: DialerFor;
  readonly storage: StorageSettings;
  /** Throws if this process must not delete stored objects now. */
  readonly fence: () => void;
}

/** The stream reports its progress through these calls. */
export interface StreamReporter {
  point(point: RecoveryPoint): void;
  failed(fault: BackupFault): void;
  /** These changes are in no change segment (stored object with recorded changes), and cannot be recorded later. */
  missing(missing: MissingChanges): void;
}

/** Why a stream ended by itself. Recording continues from a new full backup. */
export interface StreamGap {
  readonly why: string;
}

/**
 * The longest pauses after a failure. etcd compacts its history meanwhile, so a pause must be shorter than the time for which etcd usually
 * keeps its history.
 */
const longestPause = { passing: 15_000, lasting: 60_000 } as const;

/** Extra memory that a segment may need while it is uploaded. */
const bufferBytes = 8 * 1024 * 1024;

/** An upload that was started longer ago than this is not in progress any more: the process that started it has ended. */
const oldUpload = 3_600_000;

/**
 * Records the changes of a cluster until the signal aborts. After a failure, recording pauses and is retried, with another member if the
 * cluster has one. The promise resolves only if some changes can no longer be recorded: a new full backup must be made, from which
 * recording then continues.
 */
export async function runStream(
  job: StreamJob,
  ports: StreamPorts,
  reporter: StreamReporter,
  signal: AbortSignal,
): Promise<StreamGap> {
  let [failures, minimum] = [0, 0n];
  let reached = reportedPoint(job.backup);
  const onPoint = (point: RecoveryPoint) => {
    failures = 0;
    reached = point;
    reporter.point(point);
  };
  while (true) {
    try {
      return await session(job, { minimum, reached }, { ...ports, reporter: { ...reporter, point: onPoint } }, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof UnrecordedError) {
        ports.log.info(
          'the continuous backup cannot continue after the last stored change segment; the operator makes a full backup',
          { error },
        );
        minimum = error.revision;
        continue;
      }
      failures += 1;
      const fault = faultOf(error);
      ports.log.info('the continuous backup failed to record changes; the operator retries automatically', { error });
      reporter.failed(fault);
      const pause = pauseAfter(fault, failures, ports.random.next());
      await ports.clock.sleep(Math.min(pause, longestPause[fault.kind]), signal);
    }
  }
}

type SessionPorts = StreamPorts & { readonly reporter: StreamReporter };

interface SessionStart {
  readonly minimum: bigint;
  /** The recovery point that was known before this session. */
  readonly reached: RecoveryPoint | undefined;
}

async function session(
  job: StreamJob,
  { minimum, reached }: SessionStart,
  ports: SessionPorts,
  signal: AbortSignal,
): Promise<StreamGap> {
  const { backup, order } = job;
  const { namespace, name, uid } = identityOf(backup);
  const unlabelled = new Set<string>();
  const onUnlabelled = (secret: string) => void unlabelled.add(secret);
  const readSecret = secretReader(ports.client, namespace, signal, { ...ports.storage, onUnlabelled });
  // The key is read first: without it, no request is sent to the store or to etcd.
  const keys = await specKeys(backup.spec.encryption, readSecret);
  const request = { type: order.place.type, sources: backup.spec, namespace, readSecret };
  const settings = { ...ports.storage, clock: ports.clock, logger: ports.log, bufferBytes };
  const { store } = await openStore(request, settings);
  try {
    const member = await streamMember(job, { ...ports, readSecret, unlabelled }, signal);
    using client = member.client;
    const owner = { clusterId: formatId(member.status.clusterId), backup: { namespace, name, uid } };
    const place: HistoryPlace = { store, base: order.place.key, keys, owner };
    const { header } = await client.kv.range({ key: Uint8Array.of(0), countOnly: true }, { signal });
    const position = await findPosition(place, { current: header.revision, minimum }, signal);
    if (position.kind === 'none') return { why: position.why };
    if (position.missing) ports.reporter.missing(position.missing);
    const tidy = (until: AbortSignal) => tidyUp(place, ports, until);
    const onPoint = (point: RecoveryPoint) => ports.reporter.point(point);
    const start = { ...position, late: unrecordedRevisions(position.revision, header.revision, reached) };
    return await recordChanges(start, { ...ports, client, place, onPoint, tidy }, signal);
  } finally {
    store.close();
  }
}

/** The recovery point that an earlier process reported. */
function reportedPoint({ status }: EtcdBackup): RecoveryPoint | undefined {
  const time = timeOf(status?.recoveryPoint?.time);
  return status?.recoveryPoint && time !== undefined
    ? { revision: BigInt(status.recoveryPoint.revision), time }
    : undefined;
}

/** Revisions that were written while no process was recording; undefined if there are none. */
export function unrecordedRevisions(
  stored: bigint,
  current: bigint,
  reached: RecoveryPoint | undefined,
): UnrecordedRevisions | undefined {
  if (current <= stored) return undefined;
  // Up to the time of the recovery point, every change was stored. So the unrecorded revisions were written after that time.
  return { until: current, since: reached && reached.revision <= stored ? reached.time : 0 };
}

/** Cleans up segments and uploads. A failure does not stop the recording. */
async function tidyUp({ store, base }: HistoryPlace, ports: SessionPorts, signal: AbortSignal): Promise<void> {
  const { clock, fence, log } = ports;
  try {
    const isOwn = (key: string) => parseSegmentKey(base, key) !== undefined;
    await store.sweep(segmentsPrefix(base), clock.now() - oldUpload, { signal, isOwn });
    const deleted = await pruneSegments(store, base, fence, signal);
    if (deleted > 0)
      log.info('deleted change segments of the continuous backup that no stored backup needs', { deleted });
  } catch (error) {
    if (!signal.aborted)
      log.info('change segments of the continuous backup that no stored backup needs could not be deleted', { error });
  }
}
