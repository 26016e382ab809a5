// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises';
import type { Backend } from './backend.ts';
import { Caller, type Stored } from './caller.ts';
import type { WatchStream } from './watch-stream.ts';

/** The body of a case: passes if it resolves. The same body runs against every server. */
export type Case = (trial: Trial) => Promise<void>;

/** Cases about one subject, each with the sentence that it proves. */
export interface Subject {
  readonly name: string;
  readonly cases: Readonly<Record<string, Case>>;
  /** True if its cases would disturb others: they run alone, sequentially. @default false */
  readonly alone?: boolean;
}

/** A user other than the administrator. */
export interface Impersonated {
  readonly user: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, string>>;
}

/** Several runs may share a server. */
const run = process.pid.toString(36);
let count = 0;

/** One run of one case: the administrator's client, and objects of this case only. */
export class Trial extends Caller implements AsyncDisposable {
  readonly #backend: Backend;
  readonly #cleanUp = new AsyncDisposableStack();

  constructor(backend: Backend) {
    super(backend.admin);
    this.#backend = backend;
  }

  /** A name that no other case uses, for cluster-scoped objects. */
  unique(prefix: string): string {
    count += 1;
    return `${prefix}-${run}-${count}`;
  }

  /** A namespace for this case alone. */
  async namespace(labels: Readonly<Record<string, string>> = {}): Promise<string> {
    const name = this.unique('ns');
    await this.make('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } });
    return name;
  }

  /** A namespace in which pods can be created at once, without waiting for its service account. */
  async podNamespace(labels: Readonly<Record<string, string>> = {}): Promise<string> {
    const namespace = await this.namespace(labels);
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } };
    await this.post(`/api/v1/namespaces/${namespace}/serviceaccounts`, account);
    return namespace;
  }

  /** The same server, with a client of the administrator that impersonates another user. */
  as({ user, groups = [], extra = {} }: Impersonated): Caller {
    const extras = Object.entries(extra).map(([key, value]) => [`impersonate-extra-${key}`, value]);
    return new Caller(this.#backend.admin, {
      'impersonate-user': user,
      ...(groups.length > 0 && { 'impersonate-group': groups }),
      ...Object.fromEntries(extras),
    });
  }

  /** The same server, with the user of the token; without a token anonymous. */
  bearer(token?: string): Caller {
    return new Caller(this.#backend.bearer(token));
  }

  /** See `Backend.compact`. */
  compact(): Promise<void> {
    return this.#backend.compact();
  }

  /** Opens a watch that is closed when the case ends. */
  override async watch<T = Stored>(path: string, accept?: string): Promise<WatchStream<T>> {
    const stream = await super.watch<T>(path, accept);
    this.defer(async () => stream.close());
    return stream;
  }

  /** Repeats until it succeeds: for asynchronous operations of a server. The last failure is reported. */
  async eventually<T>(attempt: () => Promise<T>): Promise<T> {
    const end = performance.now() + this.#backend.patience;
    for (;;) {
      try {
        return await attempt();
      } catch (error) {
        if (performance.now() > end) throw error;
        await sleep(25);
      }
    }
  }

  /** Called when the case ends, whether it passed or not. */
  defer(action: () => Promise<void>): void {
    this.#cleanUp.defer(action);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#cleanUp.disposeAsync();
  }
}
