// SPDX-License-Identifier: Apache-2.0
import { type ClientHttp2Session, type ClientHttp2Stream, connect, type OutgoingHttpHeaders } from 'node:http2';
import type { Duplex } from 'node:stream';
import type { Clock, Timer } from '@etcd-operator/ports';

/** How a connection watches over itself. */
export interface ConnectionLimits {
  /** Closed after this long without a call. */
  readonly idleMs: number;
  /** While calls run and nothing is heard for this long, the member is asked for a sign of life. */
  readonly keepaliveMs: number;
  /** How long that sign may take before the connection counts as dead. */
  readonly pingTimeoutMs: number;
  /** How many bytes a member may send ahead of our reading. */
  readonly windowBytes: number;
}

/**
 * One HTTP/2 connection to a member, with its calls counted: it closes itself when it has been idle, and ends all its calls
 * when the other side no longer answers pings (a cut cable sends no farewell).
 */
export class Connection {
  readonly #session: ClientHttp2Session;
  readonly #clock: Clock;
  readonly #limits: ConnectionLimits;
  #calls = 0;
  #heardAt: number;
  #leaving = false;
  #timer: Timer | undefined;
  #check: Promise<void> | undefined;

  /** @param socket connected, and secured if it is to be. @param authority for the `:authority` header, as a URL. */
  constructor(socket: Duplex, authority: string, clock: Clock, limits: ConnectionLimits) {
    this.#clock = clock;
    this.#limits = limits;
    this.#heardAt = clock.monotonic();
    this.#session = connect(authority, {
      createConnection: () => socket,
      settings: { enablePush: false, initialWindowSize: limits.windowBytes },
    });
    // Calls learn of a broken connection through their own streams.
    this.#session.on('error', () => undefined);
    // One that is given up at once is told of its connecting all the same, and would end the process then.
    this.#session.once('connect', () => {
      if (!this.#session.destroyed) this.#session.setLocalWindowSize(limits.windowBytes);
    });
    this.#session.once('goaway', () => this.retire());
    this.#session.once('close', () => this.#timer?.cancel());
    this.#becomeIdle();
  }

  /** True while new calls may be made. */
  get usable(): boolean {
    return !this.#leaving && !this.#session.closed && !this.#session.destroyed;
  }

  /** How many calls run. */
  get calls(): number {
    return this.#calls;
  }

  /** Runs `listener` once, when the connection is gone. */
  onClosed(listener: () => void): void {
    if (this.#session.destroyed) listener();
    else this.#session.once('close', listener);
  }

  /** Starts a call. The caller must have an error listener on the stream before it yields. */
  request(headers: OutgoingHttpHeaders): ClientHttp2Stream {
    const stream = this.#session.request(headers);
    if (this.#calls++ === 0) this.#becomeBusy();
    stream.once('response', () => this.heard());
    stream.once('close', () => {
      this.#calls--;
      if (this.#calls > 0) return;
      if (this.#leaving) this.destroy();
      else this.#becomeIdle();
    });
    return stream;
  }

  /** Notes a sign of life. */
  heard(): void {
    this.#heardAt = this.#clock.monotonic();
  }

  /**
   * Asks for a sign of life, unless one came after `since`. Resolves when it is there or when the connection has been given
   * up. Several that ask at a time share one ping.
   */
  check(since: number): Promise<void> {
    if (this.#session.destroyed || this.#heardAt > since) return Promise.resolve();
    this.#check ??= this.#ping().finally(() => {
      this.#check = undefined;
    });
    return this.#check;
  }

  /** A check that is under way; undefined if none is. */
  get pendingCheck(): Promise<void> | undefined {
    return this.#check;
  }

  /**
   * No more calls; closes when those that run have ended. Not by the session's own `close`, which after the peer's farewell
   * may wait for ever.
   */
  retire(): void {
    this.#leaving = true;
    if (this.#calls === 0) this.destroy();
  }

  /** Ends everything at once. */
  destroy(): void {
    this.#leaving = true;
    this.#timer?.cancel();
    this.#session.destroy();
  }

  #ping(): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#clock.schedule(this.#limits.pingTimeoutMs, () => {
        this.#session.destroy(new Error(`no answer to a ping within ${this.#limits.pingTimeoutMs} ms`));
        resolve();
      });
      const answered = (error: Error | null) => {
        timer.cancel();
        if (error === null) this.heard();
        resolve();
      };
      if (!this.#session.ping(answered)) answered(new Error('a ping could not be sent'));
    });
  }

  #becomeBusy(): void {
    this.#timer?.cancel();
    this.#session.ref();
    const tick = () => {
      void this.check(this.#clock.monotonic() - this.#limits.keepaliveMs);
      this.#timer = this.#clock.schedule(this.#limits.keepaliveMs, tick, { background: true });
    };
    this.#timer = this.#clock.schedule(this.#limits.keepaliveMs, tick, { background: true });
  }

  #becomeIdle(): void {
    this.#timer?.cancel();
    if (this.#session.destroyed) return;
    // An idle connection is no reason to keep a finished program running.
    this.#session.unref();
    this.#timer = this.#clock.schedule(this.#limits.idleMs, () => this.retire(), { background: true });
  }
}
