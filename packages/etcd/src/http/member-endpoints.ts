// SPDX-License-Identifier: Apache-2.0
import type { Clock } from '@operator-parts/ports';
import { type Dialer, type DialTarget, hostAndPort, networkDialer, type TlsMaterial } from '../client/dialer.ts';
import { EtcdError } from '../client/etcd-error.ts';
import type { RequestOptions } from '../client/invoker.ts';
import { snapshotSavedMetric } from '../rules/versions/snapshot-gate.ts';
import { type HttpAnswer, httpGet } from './http-get.ts';
import { labelledValues, metricValue } from './metric.ts';

/** The port of a member, and how to connect. */
export interface MemberEndpointsOptions {
  /** The peer port for `/version`; the metrics port for all other endpoints. */
  readonly target: DialTarget;
  readonly clock: Clock;
  readonly serverName?: string;
  /** Absent, or returning undefined: plain text. */
  readonly tls?: () => TlsMaterial | undefined;
  /** @default `networkDialer` */
  readonly dial?: Dialer;
  /** @default 3_000 */
  readonly timeoutMs?: number;
}

/** The answer of `/version`. */
export interface VersionAnswer {
  /** The version of the process. */
  readonly server: string;
  /** The cluster version; undefined while there is none yet (`not_decided`). */
  readonly cluster: string | undefined;
}

/** The result of a check, and the member's own text. */
export interface CheckAnswer {
  readonly ok: boolean;
  readonly text: string;
}

const maxBytes = 4 * 1024 * 1024;

/** The HTTP endpoints of a member. Each request uses a separate connection. */
export class MemberEndpoints {
  readonly #options: MemberEndpointsOptions;

  constructor(options: MemberEndpointsOptions) {
    this.#options = options;
  }

  /**
   * The answer of `/version`. A starting member answers this request on its peer port before all others, even before it
   * has joined the cluster.
   */
  async version(options?: RequestOptions): Promise<VersionAnswer> {
    const { status, body } = await this.#get('/version', options);
    const answer = status === 200 ? parseObject(body) : undefined;
    const server = answer?.['etcdserver'];
    if (typeof server !== 'string') throw this.#unexpected('/version', status);
    const cluster = answer?.['etcdcluster'];
    const decided = typeof cluster === 'string' && /^\d/.test(cluster);
    return { server, cluster: decided ? cluster : undefined };
  }

  /**
   * `/health`. Succeeds on a learner. On 3.4 and older each request adds an entry to the log, which can break a later
   * upgrade (operator rule 3).
   */
  async health(options?: RequestOptions): Promise<CheckAnswer> {
    const { status, body } = await this.#get('/health', options);
    const health = parseObject(body)?.['health'];
    return { ok: status === 200 && (health === 'true' || health === true), text: body.trim() };
  }

  /** `/readyz`: whether clients may use the member. The text says which check failed. From 3.4.29, 3.5.11, 3.6.0 on. */
  readyz(options?: RequestOptions): Promise<CheckAnswer> {
    return this.#check('/readyz', options);
  }

  /** `/livez`: whether the process works, with or without quorum. */
  livez(options?: RequestOptions): Promise<CheckAnswer> {
    return this.#check('/livez', options);
  }

  /** `/metrics`, unchanged. */
  async metrics(options?: RequestOptions): Promise<string> {
    const { status, body } = await this.#get('/metrics', options);
    if (status !== 200) throw this.#unexpected('/metrics', status);
    return body;
  }

  /**
   * How many raft snapshots the process has saved since it started; 0 before the first. A minor upgrade requires that
   * there is one (operator rule 3).
   */
  async raftSnapshotsSaved(options?: RequestOptions): Promise<number> {
    return metricValue(await this.metrics(options), snapshotSavedMetric) ?? 0;
  }

  /** How many log entries the process has applied, including those of a received snapshot. 0 if none. */
  async entriesApplied(options?: RequestOptions): Promise<number> {
    return metricValue(await this.metrics(options), 'etcd_server_proposals_applied_total') ?? 0;
  }

  /**
   * The last log entry that the process knows to be committed; undefined if it does not report it. A leader sends this
   * index with every entry and every snapshot. So 0 in a process that started without data means that the process has
   * received nothing.
   */
  async entriesCommitted(options?: RequestOptions): Promise<number | undefined> {
    return metricValue(await this.metrics(options), 'etcd_server_proposals_committed_total');
  }

  /**
   * How many bytes the process has received from each other member, by member ID in hexadecimal. Every live member
   * sends to the leader several times a second, so an unchanged count means a dead or disconnected member; a follower
   * receives only from the leader. Available from 3.3 to 3.7.
   */
  async bytesFromPeers(options?: RequestOptions): Promise<ReadonlyMap<string, number>> {
    return labelledValues(await this.metrics(options), 'etcd_network_peer_received_bytes_total', 'From');
  }

  async #check(path: string, options?: RequestOptions): Promise<CheckAnswer> {
    const { status, body } = await this.#get(`${path}?verbose`, options);
    if (status === 404) {
      throw new EtcdError(
        'Unimplemented',
        `this member has no ${path}, which needs etcd 3.4.29, 3.5.11, 3.6.0 or newer`,
        {
          call: { method: `GET ${path}`, endpoint: this.#endpoint },
        },
      );
    }
    return { ok: status === 200, text: body.trim() };
  }

  #get(path: string, options: RequestOptions = {}): Promise<HttpAnswer> {
    const { target, clock, serverName, dial = networkDialer, timeoutMs = 3_000 } = this.#options;
    const tls = this.#options.tls?.();
    const route = { target, ...(serverName === undefined ? {} : { serverName }), ...(tls ? { tls } : {}) };
    return httpGet({ route, dial, clock, path, maxBytes, timeoutMs, ...options });
  }

  get #endpoint(): string {
    return hostAndPort(this.#options.target);
  }

  #unexpected(path: string, status: number): EtcdError {
    return new EtcdError('BadResponse', `HTTP status ${status}, or a response that is not from etcd`, {
      call: { method: `GET ${path}`, endpoint: this.#endpoint },
    });
  }
}

function parseObject(body: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
