// SPDX-License-Identifier: Apache-2.0
import { type Clock, systemClock } from '@operator-parts/ports';
import { readBody, readExcerpt } from '../client/read-body.ts';
import { KubeError } from '../kube-error.ts';
import { responseError } from '../transport/response-error.ts';
import type { Transport } from '../transport/transport.ts';
import { describe, transportError } from '../transport/transport-error.ts';
import { aggregatedMediaType, fromAggregated, type GroupDiscoveryList } from './aggregated.ts';
import type { ApiCatalogue, ApiResource } from './api-resource.ts';
import {
  coreVersions,
  fromLegacy,
  type GroupList,
  type GroupVersion,
  groupVersions,
  type ResourceList,
} from './legacy.ts';

export interface DiscoveryOptions {
  /** Milliseconds for which an answer is kept. @default 10 min */
  readonly maxAge?: number;
  readonly clock?: Clock;
}

interface Cached {
  readonly catalogue: ApiCatalogue;
  readonly at: number;
}

const defaultMaxAge = 600_000;
/** A search for an unknown kind asks the server again, but at most once in this many milliseconds. */
const missInterval = 1_000;
const bodyLimit = 64 * 2 ** 20;
const errorBodyLimit = 1 << 20;

/**
 * The kinds of a server, cached. Needs one aggregated request for the core group and one for the named groups if the
 * server supports this (since 1.26), otherwise one request per group version. Groups that fail are reported and do not
 * affect others.
 */
export class Discovery {
  readonly #transport: Transport;
  readonly #clock: Clock;
  readonly #maxAge: number;
  #cached: Cached | undefined;
  #running: Promise<ApiCatalogue> | undefined;

  constructor(transport: Transport, options: DiscoveryOptions = {}) {
    this.#transport = transport;
    this.#clock = options.clock ?? systemClock;
    this.#maxAge = options.maxAge ?? defaultMaxAge;
  }

  /** All kinds. Concurrent callers share one request. */
  async catalogue(): Promise<ApiCatalogue> {
    const cached = this.#cached;
    if (cached && this.#clock.monotonic() - cached.at < this.#maxAge) return cached.catalogue;
    return this.#refresh();
  }

  /** One kind, in the given or the preferred version. Also finds a kind that was just installed. */
  async find(wanted: {
    readonly group: string;
    readonly kind: string;
    readonly version?: string;
  }): Promise<ApiResource | undefined> {
    const matches = ({ group, kind, version, preferred }: ApiResource) =>
      group === wanted.group && kind === wanted.kind && (wanted.version ? version === wanted.version : preferred);
    const found = (await this.catalogue()).resources.find(matches);
    const age = this.#clock.monotonic() - (this.#cached?.at ?? 0);
    if (found || age < missInterval) return found;
    return (await this.#refresh()).resources.find(matches);
  }

  forget(): void {
    this.#cached = undefined;
  }

  async #refresh(): Promise<ApiCatalogue> {
    this.#running ??= this.#read().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #read(): Promise<ApiCatalogue> {
    const parts = await Promise.all([this.#readPart('/api', coreVersions), this.#readPart('/apis', groupVersions)]);
    const catalogue = {
      resources: parts.flatMap((part) => part.resources),
      unavailable: parts.flatMap((part) => part.unavailable),
    };
    this.#cached = { catalogue, at: this.#clock.monotonic() };
    return catalogue;
  }

  async #readPart(path: string, versionsOf: (list: GroupList) => readonly GroupVersion[]): Promise<ApiCatalogue> {
    const answer = await this.#get(path, `${aggregatedMediaType},application/json`);
    if (answer.kind === 'APIGroupDiscoveryList') return fromAggregated(answer);
    const unavailable: string[] = [];
    const lists = await Promise.all(
      versionsOf(answer).map(async (where) => {
        const name = where.group ? `${where.group}/${where.version}` : where.version;
        try {
          return fromLegacy(await this.#get(`${path}/${name}`, 'application/json'), where);
        } catch {
          // An extension API server that is down must not hide other groups. Its own group is reported as unavailable.
          unavailable.push(name);
          return [];
        }
      }),
    );
    return { resources: lists.flat(), unavailable };
  }

  async #get(path: string, accept: string): Promise<GroupDiscoveryList & GroupList & ResourceList> {
    const request = { method: 'GET', path } as const;
    try {
      const response = await this.#transport.request({ ...request, headers: { accept } });
      if (response.status !== 200) {
        throw responseError(response.status, await readExcerpt(response.body, errorBodyLimit), request);
      }
      const body = await readBody(response.body, bodyLimit, request);
      const value: unknown = JSON.parse(body);
      if (typeof value === 'object' && value !== null) return value;
      throw new SyntaxError('not an object');
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw transportError(error, request);
      throw new KubeError('BadResponse', `${describe(request)} was answered with something other than a JSON object`, {
        request,
        cause: error,
      });
    }
  }
}
