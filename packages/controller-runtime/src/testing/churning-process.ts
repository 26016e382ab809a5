// SPDX-License-Identifier: Apache-2.0
import { type Client, type ConfigMap, configMaps } from '@operator-parts/kube';
import { nextTurn, systemClock } from '@operator-parts/ports';
import {
  buildController,
  createManager,
  done,
  type Informer,
  type InformerSelection,
  type Manager,
  requeueAfter,
} from '../index.ts';
import type { WorkQueue } from '../queue/work-queue.ts';

/** Long enough for a process to outlive a restart of the API server on a busy machine: it should notice the restore. */
const times = { leaseDuration: 120_000, renewDeadline: 100_000, retryPeriod: 500 };

/** The namespace of the lease of these processes. */
export const churnLease = { namespace: 'default', name: 'churn' };

/**
 * A process of controllers whose reconciles and handlers misbehave in every allowed way. It ends when it loses its
 * lease.
 */
export class ChurningProcess {
  readonly manager: Manager;
  readonly cached: Informer<ConfigMap>;
  /** Name and UID of each object that a handler received; the handler fails at every third removal. */
  readonly heard = new Map<string, string>();
  /** The writes that were made without the lease. */
  readonly late: string[] = [];
  readonly ended: Promise<void>;
  hasEnded = false;
  readonly #queue: WorkQueue<string>;
  readonly #reconciles = new Map<string, number>();
  #removals = 0;

  constructor(client: Client, selection: InformerSelection, identity: string, stop: AbortSignal) {
    const { namespace: leaseNamespace, name: leaseName } = churnLease;
    const leaderElection = { leaseName, leaseNamespace, identity, ...times };
    this.manager = createManager({ client, freeze: true, leaderElection });
    this.cached = this.manager.informer(configMaps, selection);
    this.cached.addIndex('size', ({ data }) => [data?.['size'] ?? 'none']);
    this.cached.addHandler({
      added: ({ metadata }) => void this.heard.set(metadata?.name ?? '', metadata?.uid ?? ''),
      removed: async ({ metadata }) => {
        this.heard.delete(metadata?.name ?? '');
        await this.#note(identity);
        if (this.#removals++ % 3 === 0) throw new Error(`cannot part with ${metadata?.name}`);
      },
    });
    const { queue } = buildController(this.manager, { name: 'churn', needsLeader: false, concurrency: 4 })
      .forKind(configMaps, selection)
      .complete(async ({ name }) => this.#reconcile(name));
    this.#queue = queue;
    this.ended = this.manager.run(stop);
    this.ended.catch(() => {
      this.hasEnded = true;
    });
  }

  /**
   * Ten thousand requests that fail at once, then another failing request: the event loop gets turns in between, and no
   * request waits for others.
   */
  async fail(round: number): Promise<void> {
    const before = this.#reconciles.size;
    for (let index = 0; index < 10_000; index++) this.#queue.add(`default/absent-${round}-${index}`);
    await nextTurn();
    await nextTurn();
    const inOneGo = this.#reconciles.size - before;
    if (inOneGo >= 10_000) throw new Error(`${inOneGo} requests were reconciled without a turn of the event loop`);
    while (this.#reconciles.size - before < 10_000) await systemClock.sleep(10);
    const unrelated = `unrelated-${round}`;
    this.#queue.add(`default/${unrelated}`);
    const begun = systemClock.monotonic();
    while ((this.#reconciles.get(unrelated) ?? 0) < 2) {
      if (systemClock.monotonic() - begun > 60_000) throw new Error('a failed request waits for those of others');
      await systemClock.sleep(50);
    }
  }

  /** An existing object is requeued at once, forever; a missing one fails the first time. */
  #reconcile(name: string) {
    if (this.cached.lister.get(`default/${name}`)) return requeueAfter(0);
    if (!/^(absent|unrelated)-/.test(name)) return done();
    const count = (this.#reconciles.get(name) ?? 0) + 1;
    this.#reconciles.set(name, count);
    if (count === 1) throw new Error(`${name} fails`);
    return done();
  }

  /** Keeps the handler busy, so that it gets merged changes. */
  async #note(identity: string): Promise<void> {
    const wasLeading = this.manager.leading;
    const noted = { metadata: { namespace: 'default', generateName: 'heard-' } };
    const made = await this.manager.client
      .resource(configMaps)
      .create(noted)
      .catch(() => undefined);
    if (made && !wasLeading && !this.manager.leading) this.late.push(`${identity}: ${made.metadata?.name}`);
  }
}
