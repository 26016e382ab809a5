// SPDX-License-Identifier: Apache-2.0
import type { Clock } from '@operator-parts/ports';
import { type EtcdVersion, parseVersion } from '../rules/versions/version.ts';
import { type Dialer, type DialTarget, hostAndPort, networkDialer, type Route, type TlsMaterial } from './dialer.ts';
import { EtcdError } from './etcd-error.ts';
import { Channel } from './grpc/channel.ts';
import { Invoker, type RequestOptions } from './invoker.ts';
import type { WatchEvent } from './messages/watch-messages.ts';
import { Auth, authenticateMethod } from './services/auth.ts';
import { ClusterMembership } from './services/cluster.ts';
import { KeyValueStore } from './services/kv.ts';
import { Leases } from './services/lease.ts';
import { Maintenance } from './services/maintenance.ts';
import { type WatchBatch, type WatchBatchOptions, type WatchOptions, watch, watchBatches } from './services/watch.ts';
import { type Authenticate, type Login, TokenSource } from './token-source.ts';

/** The target and options of a client. */
export interface MemberClientOptions {
  /** The member's client port. */
  readonly target: DialTarget;
  readonly clock: Clock;
  /** The expected name in the member's certificate. @default the dialled host */
  readonly serverName?: string;
  /**
   * Certificates, requested before each call; if another object is returned, the next call opens a new connection with
   * it. Absent, or returning undefined: plain text.
   */
  readonly tls?: () => TlsMaterial | undefined;
  /**
   * A user for clusters with authentication, requested whenever a token is needed. Not used if authentication is
   * disabled.
   */
  readonly login?: () => Login | undefined;
  /**
   * Authenticates the user with another member, because a learner cannot issue tokens. Without it, calls to a learner
   * of a cluster with authentication fail.
   * @default none
   */
  readonly loginElsewhere?: Authenticate;
  /** How raw connections are opened. @default `networkDialer` */
  readonly dial?: Dialer;
  /** The default timeout of a call, in milliseconds. @default 5_000 */
  readonly timeoutMs?: number;
  /** The timeout for opening a connection. @default 5_000 */
  readonly connectTimeoutMs?: number;
  /** A connection without calls is closed after this long. @default 30_000 */
  readonly idleMs?: number;
  /** The maximum message size from a member, except snapshots. @default 16 MiB */
  readonly maxMessageBytes?: number;
}

/**
 * One member of an etcd cluster. Calls go to this member only: there is no balancing, no failover, and no retry of
 * changing calls.
 *
 * The first call opens a connection, all calls share it, and it is closed when idle; a client without a connection
 * costs little. Every call has a deadline and can be aborted. All failures are `EtcdError`s. Works with etcd 3.3 to
 * 3.7; a call that a member does not support fails with `Unimplemented`, naming the first version with it.
 *
 * ```ts
 * const member = new MemberClient({ target: { host: '10.0.0.7', port: 2379 }, clock });
 * const { version, isLearner } = await member.maintenance.status();
 * member.close();
 * ```
 */
export class MemberClient {
  readonly kv: KeyValueStore;
  readonly lease: Leases;
  readonly cluster: ClusterMembership;
  readonly maintenance: Maintenance;
  readonly auth: Auth;
  readonly #channel: Channel;
  readonly #invoker: Invoker;
  readonly #authenticate: Authenticate;
  #known: { readonly generation: number; readonly version: EtcdVersion } | undefined;

  constructor(options: MemberClientOptions) {
    const { target, clock } = options;
    this.#channel = new Channel({
      route: () => routeOf(options),
      dial: options.dial ?? networkDialer,
      clock,
      connectTimeoutMs: options.connectTimeoutMs ?? 5_000,
      limits: {
        idleMs: options.idleMs ?? 30_000,
        keepaliveMs: 20_000,
        pingTimeoutMs: 2_000,
        windowBytes: 1024 * 1024,
      },
    });
    const context = { channel: this.#channel, clock };
    const endpoint = hostAndPort(target);
    const defaults = {
      timeoutMs: options.timeoutMs ?? 5_000,
      maxMessageBytes: options.maxMessageBytes ?? 16 * 1024 * 1024,
    };
    const plain = new Invoker(context, new TokenSource(noLogin, noToken), endpoint, defaults);
    this.#authenticate = async (login, wait) => (await plain.call(authenticateMethod, login, wait)).token;
    const tokens = new TokenSource(options.login ?? noLogin, this.#authenticate, options.loginElsewhere);
    this.#invoker = new Invoker(context, tokens, endpoint, defaults);
    this.kv = new KeyValueStore(this.#invoker);
    this.lease = new Leases(this.#invoker);
    this.maintenance = new Maintenance(this.#invoker);
    this.cluster = new ClusterMembership(this.#invoker, this.kv, (wait) => this.#version(wait));
    this.auth = new Auth(this.#invoker);
  }

  /** True while a connection is open or being opened. */
  get connected(): boolean {
    return this.#channel.connected;
  }

  /** Authenticates a user with this member and resolves with a token, which all members accept. */
  authenticate(login: Login, options: RequestOptions = {}): Promise<string> {
    return this.#authenticate(login, options);
  }

  /** Events as they occur. */
  watch(options: WatchOptions): AsyncIterable<WatchEvent> {
    return watch(this.#invoker, options);
  }

  /** Events as they occur, grouped by the member's answers. */
  watchBatches(options: WatchBatchOptions): AsyncIterable<WatchBatch> {
    return watchBatches(this.#invoker, options);
  }

  /** Closes all connections. Running calls and all later ones fail with `Unavailable`. */
  close(): void {
    this.#channel.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** The version of the process behind the current connection, requested once per connection. */
  async #version(options: RequestOptions): Promise<EtcdVersion> {
    if (this.#known && this.#known.generation === this.#channel.generation) return this.#known.version;
    const status = await this.maintenance.status(options);
    const version = parseVersion(status.version);
    if (!version)
      throw new EtcdError(
        'BadResponse',
        `the member reports version ${JSON.stringify(status.version)}, which is not a valid version`,
      );
    this.#known = { generation: this.#channel.generation, version };
    return version;
  }
}

function routeOf({ target, serverName, tls }: MemberClientOptions): Route {
  const material = tls?.();
  return { target, ...(serverName === undefined ? {} : { serverName }), ...(material ? { tls: material } : {}) };
}

const noLogin = () => undefined;
const noToken = () =>
  Promise.reject(new Error('the member requires authentication, but no user name and password are configured'));
