// SPDX-License-Identifier: Apache-2.0
import type { FaultScope } from './fault-scope.ts';

/** How often a fault applies. */
export interface FaultCount {
  /** Requests that are skipped first. @default 0 */
  readonly after?: number;
  /** Requests that fail. @default every request until the fault is removed */
  readonly count?: number;
}

/** An active fault. */
export interface Fault extends Disposable {
  /** How many requests the fault has affected. Not counted for faults of events and for `lag`. */
  readonly hits: number;
  /** Removes the fault. A second call does nothing. */
  remove(): void;
}

/** The error that a client gets. */
export interface FaultError {
  readonly code: number;
  /** @default the usual reason for the code */
  readonly reason?: string;
  readonly message?: string;
  readonly retryAfterSeconds?: number;
}

/** How a connection is lost: the client notices `reset` at once, `hang` only by its own timeout. */
export type LossKind = 'reset' | 'hang';

/** A replica of the API server with an outdated cache. */
export interface LaggingReplica extends Fault {
  /** Keeps showing the present state of the replica until `thaw`. */
  freeze(): void;
  thaw(): void;
}

/**
 * Faults that a test can add. Each is limited to clients, verbs, kinds and names. If several faults of the same kind
 * match a request, only the one that was added first applies.
 */
export interface Faults {
  /** Requests are refused with an error; nothing takes effect. */
  error(scope: FaultScope & FaultCount, error: FaultError): Fault;
  /** Requests are delayed before they are processed, by the lab's clock. */
  delay(scope: FaultScope & FaultCount, milliseconds: number): Fault;
  /** The connection is lost before the request is processed; nothing takes effect. */
  loseRequest(scope: FaultScope & FaultCount, how?: LossKind): Fault;
  /** The request takes effect, but its answer is lost. */
  loseAnswer(scope: FaultScope & FaultCount, how?: LossKind): Fault;
  /** When `writes` matching writes have taken effect, the answer to the last one is lost and `crash` is called. */
  crashAfter(scope: FaultScope, writes: number, crash: () => void): Fault;

  /** Ends all open watches: cleanly, or with a broken connection. Returns how many there were. */
  cutWatches(scope: FaultScope, how?: 'end' | 'reset'): number;
  /** Watches send nothing without ending, like half-open connections. Removing the fault resets them. */
  stallWatches(scope: FaultScope): Fault;
  /** Every event is sent twice. */
  duplicateEvents(scope: FaultScope): Fault;
  /** Events arrive late, in order, by the lab's clock. */
  delayEvents(scope: FaultScope, milliseconds: number): Fault;

  /**
   * Matching requests reach a replica whose cache is `versions` behind: watches, and reads that accept cached data
   * (`resourceVersion=0`), see an older state. Other reads are consistent, as on the real server, unless `staleReads`.
   */
  lag(scope: FaultScope, versions: number, options?: { readonly staleReads?: boolean }): LaggingReplica;
  /** Compacts the history now: requests for older versions get 410. */
  compact(): void;
  /** Admission webhooks are unreachable. */
  admissionDown(scope?: FaultScope): Fault;
  /** Moves the lab's wall clock; timers are not affected. */
  jumpClock(milliseconds: number): void;
  /** Removes all faults. */
  clear(): void;
}
