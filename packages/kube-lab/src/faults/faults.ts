// SPDX-License-Identifier: Apache-2.0
import type { FaultScope } from './fault-scope.ts';

/** How often a fault strikes. */
export interface FaultCount {
  /** Requests that are let through first. @default 0 */
  readonly after?: number;
  /** Requests that are struck. @default all, until the fault is removed */
  readonly count?: number;
}

/** A fault that is switched on. */
export interface Fault extends Disposable {
  /** How many requests it has struck. */
  readonly hits: number;
  /** Switches it off. Doing so twice does nothing. */
  remove(): void;
}

/** What a client is told instead of an answer. */
export interface FaultError {
  readonly code: number;
  /** @default the usual reason for the code */
  readonly reason?: string;
  readonly message?: string;
  readonly retryAfterSeconds?: number;
}

/** How a connection is lost: `reset` is noticed at once, `hang` only by the client's own time limit. */
export type LossKind = 'reset' | 'hang';

/** A replica of the API server whose cache is behind. */
export interface LaggingReplica extends Fault {
  /** Shows everything up to the present from now on, but no longer moves, until `thaw`. */
  freeze(): void;
  thaw(): void;
}

/**
 * Misbehaviour that a test can switch on. Each call is scoped to clients, verbs, kinds and names; faults of the same kind that
 * match the same request strike in the order in which they were switched on, the first one alone.
 */
export interface Faults {
  /** Requests are refused with an error; nothing takes effect. */
  error(scope: FaultScope & FaultCount, error: FaultError): Fault;
  /** Requests wait before they are looked at, by the lab's clock. */
  delay(scope: FaultScope & FaultCount, milliseconds: number): Fault;
  /** The connection is lost before the request is looked at; nothing takes effect. */
  loseRequest(scope: FaultScope & FaultCount, how?: LossKind): Fault;
  /** The request takes effect, but its answer is lost. */
  loseAnswer(scope: FaultScope & FaultCount, how?: LossKind): Fault;
  /** After the n-th write of the scope has taken effect, its answer is lost and `crash` is called. */
  crashAfter(scope: FaultScope, writes: number, crash: () => void): Fault;

  /** Ends the watches that are open now: cleanly, or with a broken connection. Returns how many there were. */
  cutWatches(scope: FaultScope, how?: 'end' | 'reset'): number;
  /** Watches fall silent without ending, as behind a half-open connection. Removing the fault resets them. */
  silenceWatches(scope: FaultScope): Fault;
  /** Every event is sent twice. */
  duplicateEvents(scope: FaultScope): Fault;
  /** Events arrive late, in order, by the lab's clock. */
  delayEvents(scope: FaultScope, milliseconds: number): Fault;

  /**
   * Requests of the scope reach a replica whose cache is `versions` behind: watches, and reads that are content with the cache
   * (`resourceVersion=0`), see an older state. Other reads are consistent, as on the real server, unless `staleReads`.
   */
  lag(scope: FaultScope, versions: number, options?: { readonly staleReads?: boolean }): LaggingReplica;
  /** History is compacted now: older versions answer 410. */
  compact(): void;
  /** Admission webhooks cannot be reached. */
  admissionDown(scope?: FaultScope): Fault;
  /** Moves the lab's wall clock; timers do not notice. */
  jumpClock(milliseconds: number): void;
  /** Switches everything off. */
  clear(): void;
}
