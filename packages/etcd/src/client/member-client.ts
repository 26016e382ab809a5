// SPDX-License-Identifier: Apache-2.0
import type { Clock } from '@etcd-operator/ports';
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

/** Whom to talk to, and how. */
export interface MemberClientOptions {
  /** The member's client port. */
  readonly target: DialTarget;
  readonly clock: Clock;
  /** The name that the member's certificate must carry. @default the host that is dialled */
  readonly serverName?: string;
  /**
   * Certificates, asked for before each call; returning another object makes the next call open a new connection with it.
   * Absent, or returning undefined: plain text.
   */
  readonly tls?: () => TlsMaterial | undefined;
  /** A user for clusters with access control, asked for whenever a token is needed. Harmless where that is off. */
  readonly login?: () => Login | undefined;
  /** Logs the user in at another member, for a learner, which cannot. @default none: calls to a learner fail then */
  readonly loginElsewhere?: Authenticate;
  /** How raw connections are opened. @default over the network */
  readonly dial?: Dialer;
  /** The limit of a call that names none, in milliseconds. @default 5_000 */
  readonly timeoutMs?: number;
  /** The limit of opening a connection. @default 5_000 */
  readonly connectTimeoutMs?: number;
  /** A connection without calls is closed after this long. @default 30_000 */
  readonly idleMs?: number;
  /** The largest message that is taken from a member, snapshots apart. @default 16 MiB */
  readonly maxMessageBytes?: number;
}

/**
 * One member of an etcd cluster. Calls go to this member and to no other: there is no balancing, no failover, and nothing
 * that changes something is ever repeated.
 *
 * A connection is opened by the first call, shared by all, and closed when idle; a client without one costs next to nothing.
 * Every call has a deadline and can be aborted. All failures are `EtcdError`s. Works with etcd 3.3 to 3.7; a call that a
 * member does not know fails with `Unimplemented`, naming the version it came with.
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

  /** Logs a user in at this member and resolves with a token, which is good for all members. */
  authenticate(login: Login, options: RequestOptions = {}): Promise<string> {
    return this.#authenticate(login, options);
  }

  /** Changes as they happen. */
  watch(options: WatchOptions): AsyncIterable<WatchEvent> {
    return watch(this.#invoker, options);
  }

  /** Changes as they happen, in the answers that the member gives. */
  watchBatches(options: WatchBatchOptions): AsyncIterable<WatchBatch> {
    return watchBatches(this.#invoker, options);
  }

  /** Closes all connections. Calls that run fail with `Unavailable`, and so does every later one. */
  close(): void {
    this.#channel.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** The version of the process behind the present connection, asked for once per connection. */
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
