// SPDX-License-Identifier: Apache-2.0
import type { Clock } from '@etcd-operator/ports';
import { type Dialer, type DialTarget, hostAndPort, networkDialer, type TlsMaterial } from '../client/dialer.ts';
import { EtcdError } from '../client/etcd-error.ts';
import type { RequestOptions } from '../client/invoker.ts';
import { snapshotSavedMetric } from '../rules/versions/snapshot-gate.ts';
import { type HttpAnswer, httpGet } from './http-get.ts';
import { labelledValues, metricValue } from './metric.ts';

/** Which port of a member to ask, and how. */
export interface MemberEndpointsOptions {
  /** The peer port for `/version`; the metrics port for the others. */
  readonly target: DialTarget;
  readonly clock: Clock;
  readonly serverName?: string;
  /** Absent, or returning undefined: plain text. */
  readonly tls?: () => TlsMaterial | undefined;
  /** @default over the network */
  readonly dial?: Dialer;
  /** @default 3_000 */
  readonly timeoutMs?: number;
}

/** What `/version` says. */
export interface VersionAnswer {
  /** The version of the process. */
  readonly server: string;
  /** The version that the whole cluster speaks; undefined while it has none yet (`not_decided`). */
  readonly cluster: string | undefined;
}

/** What a check says: yes or no, and the member's own words. */
export interface CheckAnswer {
  readonly ok: boolean;
  readonly text: string;
}

const maxBytes = 4 * 1024 * 1024;

/** What a member says over plain HTTP. Each question is a connection of its own. */
export class MemberEndpoints {
  readonly #options: MemberEndpointsOptions;

  constructor(options: MemberEndpointsOptions) {
    this.#options = options;
  }

  /** The first thing that a starting member answers, on its peer port, before it has joined. */
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
   * `/health`. Says yes on a learner, and on 3.4 and older leaves an entry in the log each time, which can brick a later
   * upgrade (operator rule 3).
   */
  async health(options?: RequestOptions): Promise<CheckAnswer> {
    const { status, body } = await this.#get('/health', options);
    const health = parseObject(body)?.['health'];
    return { ok: status === 200 && (health === 'true' || health === true), text: body.trim() };
  }

  /** `/readyz`: may clients be sent here? The text says which check failed. Not before 3.4.29, 3.5.11, 3.6.0. */
  readyz(options?: RequestOptions): Promise<CheckAnswer> {
    return this.#check('/readyz', options);
  }

  /** `/livez`: does the process work, with or without quorum? */
  livez(options?: RequestOptions): Promise<CheckAnswer> {
    return this.#check('/livez', options);
  }

  /** `/metrics`, as it is. */
  async metrics(options?: RequestOptions): Promise<string> {
    const { status, body } = await this.#get('/metrics', options);
    if (status !== 200) throw this.#unexpected('/metrics', status);
    return body;
  }

  /**
   * How many raft snapshots the process has saved since it started: the proof that operator rule 3 asks for before a step
   * to the next minor. 0 until the first.
   */
  async raftSnapshotsSaved(options?: RequestOptions): Promise<number> {
    return metricValue(await this.metrics(options), snapshotSavedMetric) ?? 0;
  }

  /** How many entries of the log the process has applied, those of a snapshot that it was sent included. 0 until it has any. */
  async entriesApplied(options?: RequestOptions): Promise<number> {
    return metricValue(await this.metrics(options), 'etcd_server_proposals_applied_total') ?? 0;
  }

  /**
   * Up to which entry of the log the process knows that entries are committed; undefined if it does not say. A leader tells that with
   * every entry and with every snapshot: 0 in a process that began without data means that it has received nothing.
   */
  async entriesCommitted(options?: RequestOptions): Promise<number | undefined> {
    return metricValue(await this.metrics(options), 'etcd_server_proposals_committed_total');
  }

  /**
   * How many bytes the process has received from each other member, by member ID in hexadecimal. A leader hears from every
   * living member several times a second, so that a count that stands still tells of one that is dead or cut off; a follower
   * hears from the leader alone. Grows on 3.3 to 3.7.
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
