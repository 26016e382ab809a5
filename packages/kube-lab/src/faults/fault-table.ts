// SPDX-License-Identifier: Apache-2.0
import type { Clock } from '@operator-parts/ports';
import { ApiError } from '../server/api-error.ts';
import { ConnectionLost } from './connection-lost.ts';
import { type FaultScope, type FaultTarget, inScope } from './fault-scope.ts';
import type { Fault, FaultCount, FaultError, Faults, LaggingReplica, LossKind } from './faults.ts';

/** A replica of the API server with an outdated cache. */
export interface Replica {
  freeze(): void;
  thaw(): void;
  close(): void;
}

/** What faults change in the server itself, not in single requests. */
export interface ServerFaults<R extends Replica> {
  /** A replica that is this many versions behind. */
  replica(versions: number, staleReads: boolean): R;
  compact(): void;
  jumpClock(milliseconds: number): void;
}

type Effect<R extends Replica> =
  | { readonly kind: 'error'; readonly error: FaultError }
  | { readonly kind: 'delay'; readonly milliseconds: number }
  | { readonly kind: 'lose-request'; readonly how: LossKind }
  | { readonly kind: 'lose-answer'; readonly how: LossKind }
  | { readonly kind: 'crash'; readonly crash: () => void }
  | { readonly kind: 'stall' }
  | { readonly kind: 'duplicate' }
  | { readonly kind: 'delay-events'; readonly milliseconds: number }
  | { readonly kind: 'lag'; readonly view: R }
  | { readonly kind: 'admission-down' };

interface Rule<R extends Replica> {
  readonly scope: FaultScope;
  readonly effect: Effect<R>;
  /** Requests to be skipped. */
  skip: number;
  /** Remaining requests to fail. */
  left: number;
  hits: number;
  readonly remove: () => void;
}

/** A watch, as faults see it. */
export interface FaultableWatch {
  readonly target: FaultTarget;
  end(): void;
  reset(): void;
}

/** How the events of a watch are affected. */
export interface EventTreatment {
  readonly stalled: boolean;
  readonly copies: 1 | 2;
  readonly delay: number;
}

const writes = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);
const usual: EventTreatment = { stalled: false, copies: 1, delay: 0 };

/** The active faults of one server: tests add them, handlers query them. */
export class FaultTable<R extends Replica> implements Faults {
  readonly #rules = new Set<Rule<R>>();
  readonly #watches = new Set<FaultableWatch>();
  readonly #server: ServerFaults<R>;

  constructor(server: ServerFaults<R>) {
    this.#server = server;
  }

  /** True if there is no fault. Checked first, because this is the usual case. */
  get isEmpty(): boolean {
    return this.#rules.size === 0;
  }

  error(scope: FaultScope & FaultCount, error: FaultError): Fault {
    return this.#add(scope, { kind: 'error', error });
  }

  delay(scope: FaultScope & FaultCount, milliseconds: number): Fault {
    return this.#add(scope, { kind: 'delay', milliseconds });
  }

  loseRequest(scope: FaultScope & FaultCount, how: LossKind = 'reset'): Fault {
    return this.#add(scope, { kind: 'lose-request', how });
  }

  loseAnswer(scope: FaultScope & FaultCount, how: LossKind = 'reset'): Fault {
    return this.#add(scope, { kind: 'lose-answer', how });
  }

  crashAfter(scope: FaultScope, count: number, crash: () => void): Fault {
    return this.#add({ ...scope, after: count - 1, count: 1 }, { kind: 'crash', crash });
  }

  cutWatches(scope: FaultScope, how: 'end' | 'reset' = 'end'): number {
    const matching = [...this.#watches].filter(({ target }) => inScope(scope, target));
    for (const watch of matching) watch[how]();
    return matching.length;
  }

  stallWatches(scope: FaultScope): Fault {
    return this.#add(scope, { kind: 'stall' }, () => this.cutWatches(scope, 'reset'));
  }

  duplicateEvents(scope: FaultScope): Fault {
    return this.#add(scope, { kind: 'duplicate' });
  }

  delayEvents(scope: FaultScope, milliseconds: number): Fault {
    return this.#add(scope, { kind: 'delay-events', milliseconds });
  }

  lag(scope: FaultScope, versions: number, options: { readonly staleReads?: boolean } = {}): LaggingReplica {
    const view = this.#server.replica(versions, options.staleReads ?? false);
    const fault = this.#add(scope, { kind: 'lag', view }, () => {
      view.close();
      // Clients that were connected to this replica must connect again; they then reach the server itself.
      this.cutWatches(scope, 'reset');
    });
    return Object.assign(fault, { freeze: () => view.freeze(), thaw: () => view.thaw() });
  }

  compact(): void {
    this.#server.compact();
  }

  admissionDown(scope: FaultScope = {}): Fault {
    return this.#add(scope, { kind: 'admission-down' });
  }

  jumpClock(milliseconds: number): void {
    this.#server.jumpClock(milliseconds);
  }

  clear(): void {
    for (const rule of [...this.#rules]) rule.remove();
  }

  /** Applies faults before a request is processed. */
  async beforeRequest(target: FaultTarget, clock: Clock, signal: AbortSignal): Promise<void> {
    const delay = this.#strike(target, 'delay');
    if (delay) await clock.sleep(delay.milliseconds, signal);
    const lost = this.#strike(target, 'lose-request');
    if (lost) await lose(lost.how, signal);
    const refused = this.#strike(target, 'error');
    if (refused) throw errorOf(refused.error);
  }

  /** Applies faults after a request has taken effect. */
  async afterRequest(target: FaultTarget, signal: AbortSignal): Promise<void> {
    const crash = writes.has(target.verb) ? this.#strike(target, 'crash') : undefined;
    if (crash) {
      crash.crash();
      await lose('reset', signal);
    }
    const lost = this.#strike(target, 'lose-answer');
    if (lost) await lose(lost.how, signal);
  }

  /** The faults that currently affect the events of a watch. */
  treatmentOf(target: FaultTarget): EventTreatment {
    if (this.isEmpty) return usual;
    return {
      stalled: this.#first(target, 'stall') !== undefined,
      copies: this.#first(target, 'duplicate') ? 2 : 1,
      delay: this.#first(target, 'delay-events')?.milliseconds ?? 0,
    };
  }

  /** The lagging replica that a request reaches, if any. */
  replicaFor(target: FaultTarget): R | undefined {
    return this.isEmpty ? undefined : this.#first(target, 'lag')?.view;
  }

  isAdmissionDown(target: FaultTarget): boolean {
    return !this.isEmpty && this.#strike(target, 'admission-down') !== undefined;
  }

  /** Registers a watch. Returns a function that removes it. */
  addWatch(watch: FaultableWatch): () => void {
    this.#watches.add(watch);
    return () => this.#watches.delete(watch);
  }

  #add(scope: FaultScope & FaultCount, effect: Effect<R>, onRemove: () => void = () => undefined): Fault {
    const rule: Rule<R> = {
      scope,
      effect,
      skip: scope.after ?? 0,
      left: scope.count ?? Number.POSITIVE_INFINITY,
      hits: 0,
      remove: () => {
        if (this.#rules.delete(rule)) onRemove();
      },
    };
    this.#rules.add(rule);
    const { remove } = rule;
    return {
      get hits() {
        return rule.hits;
      },
      remove,
      [Symbol.dispose]: remove,
    };
  }

  #first<K extends Effect<R>['kind']>(target: FaultTarget, kind: K): Extract<Effect<R>, { kind: K }> | undefined {
    for (const { scope, effect } of this.#rules) {
      if (effect.kind === kind && inScope(scope, target)) return effect as Extract<Effect<R>, { kind: K }>;
    }
    return undefined;
  }

  #strike<K extends Effect<R>['kind']>(target: FaultTarget, kind: K): Extract<Effect<R>, { kind: K }> | undefined {
    for (const rule of this.#rules) {
      if (rule.effect.kind !== kind || !inScope(rule.scope, target)) continue;
      if (rule.skip > 0) {
        rule.skip--;
        continue;
      }
      if (rule.left <= 0) continue;
      rule.left--;
      rule.hits++;
      return rule.effect as Extract<Effect<R>, { kind: K }>;
    }
    return undefined;
  }
}

const reasons: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  410: 'Expired',
  413: 'RequestEntityTooLarge',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

function errorOf({ code, reason, message, retryAfterSeconds }: FaultError): ApiError {
  const details = retryAfterSeconds === undefined ? undefined : { retryAfterSeconds };
  return new ApiError(code, reason ?? reasons[code] ?? '', message ?? `a fault of the lab: ${code}`, details);
}

/** Never answers: either the connection breaks at once, or nothing arrives until the client times out. */
async function lose(how: LossKind, signal: AbortSignal): Promise<never> {
  if (how === 'reset') throw new ConnectionLost('the connection was reset by a fault of the lab');
  return new Promise((_resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
}
