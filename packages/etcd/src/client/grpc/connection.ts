// SPDX-License-Identifier: Apache-2.0
import { type ClientHttp2Session, type ClientHttp2Stream, connect, type OutgoingHttpHeaders } from 'node:http2';
import type { Duplex } from 'node:stream';
import type { Clock, Timer } from '@operator-parts/ports';

/** How a connection is monitored. */
export interface ConnectionLimits {
  /** Closed after this long without a call. */
  readonly idleMs: number;
  /** While calls run and nothing is received for this long, a ping is sent. */
  readonly keepaliveMs: number;
  /** How long the answer to a ping may take before the connection counts as dead. */
  readonly pingTimeoutMs: number;
  /** The window: how many bytes a member may send ahead. */
  readonly windowBytes: number;
}

/**
 * One HTTP/2 connection to a member. Counts its calls, closes itself when it has been idle, and ends all calls when the
 * other side no longer answers pings (a cut cable does not close a connection).
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

  /** @param socket connected, with TLS if required. @param authority for the `:authority` header, as a URL. */
  constructor(socket: Duplex, authority: string, clock: Clock, limits: ConnectionLimits) {
    this.#clock = clock;
    this.#limits = limits;
    this.#heardAt = clock.monotonic();
    this.#session = connect(authority, {
      createConnection: () => socket,
      settings: { enablePush: false, initialWindowSize: limits.windowBytes },
    });
    // Calls notice a broken connection through their own streams.
    this.#session.on('error', () => undefined);
    // A connection that was destroyed meanwhile still emits this event. Setting its window would throw and end the
    // process.
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

  /** Calls `listener` once, when the connection is closed. */
  onClosed(listener: () => void): void {
    if (this.#session.destroyed) listener();
    else this.#session.once('close', listener);
  }

  /** Starts a call. The caller must add an error listener to the stream synchronously. */
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

  /** Records that something was received. */
  heard(): void {
    this.#heardAt = this.#clock.monotonic();
  }

  /**
   * Sends a ping, unless something was received after `since`. Resolves when the ping is answered or the connection is
   * closed. Concurrent callers share one ping.
   */
  check(since: number): Promise<void> {
    if (this.#session.destroyed || this.#heardAt > since) return Promise.resolve();
    this.#check ??= this.#ping().finally(() => {
      this.#check = undefined;
    });
    return this.#check;
  }

  /** A ping in progress; undefined if there is none. */
  get pendingCheck(): Promise<void> | undefined {
    return this.#check;
  }

  /**
   * Accepts no more calls, and closes when the running calls have ended. Does not use the session's own `close`, which
   * may wait forever after the peer's GOAWAY.
   */
  retire(): void {
    this.#leaving = true;
    if (this.#calls === 0) this.destroy();
  }

  /** Closes the connection and ends all calls at once. */
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
    // An idle connection must not keep a finished program running.
    this.#session.unref();
    this.#timer = this.#clock.schedule(this.#limits.idleMs, () => this.retire(), { background: true });
  }
}
