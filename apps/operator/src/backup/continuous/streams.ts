// SPDX-License-Identifier: Apache-2.0
import type { Clock } from '@operator-parts/ports';
import type { EtcdBackup } from '../../api/etcd-backup.ts';
import { identityOf } from '../../identity/object-identity.ts';
import type { Jobs } from '../../restore/jobs.ts';
import type { BackupFault } from '../backup-fault.ts';
import type { StreamView } from '../plan/stream-plan.ts';
import type { RecoveryPoint } from './recovery-point.ts';
import type { StreamGap, StreamReporter } from './run-stream.ts';
import type { MissingChanges } from './stream-position.ts';

/** State of a stream: the recording of changes for one EtcdBackup. */
export interface StreamReport {
  readonly point: RecoveryPoint | undefined;
  /** Why recording fails at present; undefined while it works. */
  readonly fault: BackupFault | undefined;
  /** Set while the stream waits for a full backup, because some changes cannot be recorded. */
  readonly gap: StreamGap | undefined;
}

interface Stream {
  readonly job: string;
  readonly generation: number;
  point: RecoveryPoint | undefined;
  fault: BackupFault | undefined;
  /** `afterPath`: the path of the last backup at the time when the gap was found. */
  gap: (StreamGap & { readonly afterPath: string | undefined }) | undefined;
  /** When the recovery point was last reported, by the monotonic clock. */
  toldAt: number;
  told: RecoveryPoint | undefined;
}

export interface StreamsOptions {
  readonly jobs: Jobs;
  readonly clock: Clock;
  /** Requests a reconciliation of an object. */
  readonly enqueue: (object: { readonly namespace: string; readonly name: string }) => void;
  /** Called with the progress of a stream. @default not called */
  readonly onPoint?: (uid: string, point: RecoveryPoint) => void;
  /** Path of the last backup of an object, as known now. */
  readonly lastPath: (object: { readonly namespace: string; readonly name: string }) => string | undefined;
}

/** How often an object is reconciled because its recovery point has moved, in milliseconds. */
export const pointInterval = 3_000;

/** The same interval while nothing is written to the cluster, so that only the time of the recovery point moves. */
export const quietInterval = 60_000;

/**
 * If a second gap follows within this time, the next full backup has to wait. Otherwise, if etcd compacts faster than a backup is made,
 * full backups would follow each other without a pause.
 */
const gapPause = 10 * 60_000;

/** The streams of this process, at most one for each object. They end when the lease is lost. */
export class Streams {
  readonly #options: StreamsOptions;
  readonly #streams = new Map<string, Stream>();
  /** When the last gap of an object was found, by the monotonic clock. */
  readonly #gaps = new Map<string, { readonly last: number; readonly before: number | undefined }>();

  constructor(options: StreamsOptions) {
    this.#options = options;
  }

  /** @param onMissing called with changes that remain unrecorded */
  start(
    backup: EtcdBackup,
    work: (reporter: StreamReporter, signal: AbortSignal) => Promise<StreamGap>,
    onMissing: (missing: MissingChanges) => void,
  ): void {
    const { jobs, clock, lastPath, onPoint } = this.#options;
    const { namespace, name, uid } = identityOf(backup);
    const job = `${namespace}/${name}/${uid}`;
    const { point } = this.#streams.get(uid) ?? {};
    const generation = backup.metadata?.generation ?? 0;
    const fresh = { job, generation, point, fault: undefined, gap: undefined, toldAt: -Infinity, told: undefined };
    const stream: Stream = fresh;
    this.#streams.set(uid, stream);
    const requeue = () => this.#options.enqueue({ namespace, name });
    const reporter: StreamReporter = {
      point: (reached) => {
        const hasRecovered = stream.fault !== undefined;
        stream.fault = undefined;
        stream.point = reached;
        onPoint?.(uid, reached);
        if (hasRecovered || this.#isNews(stream)) requeue();
      },
      failed: (fault) => {
        const isNew = stream.fault?.message !== fault.message;
        stream.fault = fault;
        if (isNew) requeue();
      },
      missing: onMissing,
    };
    jobs.start(job, async ({ signal }) => {
      const gap = await work(reporter, signal);
      this.#gaps.set(uid, { last: clock.monotonic(), before: this.#gaps.get(uid)?.last });
      stream.gap = { ...gap, afterPath: lastPath({ namespace, name }) };
      return gap;
    });
  }

  view(backup: EtcdBackup): StreamView {
    const { uid } = identityOf(backup);
    const stream = this.#streams.get(uid);
    if (!stream) return { kind: 'idle' };
    if (stream.gap) return { kind: 'waiting', afterPath: stream.gap.afterPath, pauseMs: this.#pauseOf(uid) };
    const { kind } = this.#options.jobs.state(stream.job);
    const isRunning = kind === 'running' || kind === 'waiting';
    return isRunning ? { kind: 'running', generation: stream.generation } : { kind: 'idle' };
  }

  /** Undefined if this process had no stream of this object. */
  report(uid: string): StreamReport | undefined {
    return this.#streams.get(uid);
  }

  /** Resolves when the stream has ended. */
  async end(uid: string): Promise<void> {
    const stream = this.#streams.get(uid);
    this.#streams.delete(uid);
    if (stream) await this.#options.jobs.forget(stream.job);
  }

  /** Called when the object is deleted. */
  async forget(uid: string): Promise<void> {
    this.#gaps.delete(uid);
    await this.end(uid);
  }

  /** How long to wait before a full backup is made because of the last gap. */
  #pauseOf(uid: string): number {
    const gaps = this.#gaps.get(uid);
    if (gaps?.before === undefined || gaps.last - gaps.before >= gapPause) return 0;
    return Math.max(0, gaps.last + gapPause - this.#options.clock.monotonic());
  }

  #isNews(stream: Stream): boolean {
    const now = this.#options.clock.monotonic();
    const isQuiet = stream.told !== undefined && stream.told.revision === stream.point?.revision;
    if (now - stream.toldAt < (isQuiet ? quietInterval : pointInterval)) return false;
    stream.toldAt = now;
    stream.told = stream.point;
    return true;
  }
}
