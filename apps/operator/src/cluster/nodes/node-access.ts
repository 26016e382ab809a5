// SPDX-License-Identifier: Apache-2.0
import type { Runnable } from '@operator-parts/controller-runtime';
import { type Client, selfSubjectAccessReviews } from '@operator-parts/kube';
import type { Clock, Logger } from '@operator-parts/ports';

/** A permission that is granted later is noticed within this time, in milliseconds. */
const askAgainEvery = 60_000;

export interface NodeAccessOptions {
  /** A client that works without the lease, because asking for permissions changes nothing. */
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  /** Called once, as soon as nodes may be read. */
  readonly onGranted: () => void;
}

/**
 * Finds out whether an operator of one namespace may read nodes. Nodes are cluster-scoped, but an administrator may grant access. The
 * operator does not wait for the answer; without permission, all nodes are unknown. The log states the result once.
 */
export class NodeAccess implements Runnable {
  readonly name = 'right to read nodes';
  readonly needsLeader = false;
  readonly #options: NodeAccessOptions;

  constructor(options: NodeAccessOptions) {
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, log, onGranted } = this.#options;
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      if (await this.#isGranted(signal)) {
        log.info('nodes can be read: the operator takes cordoned, lost and out-of-service nodes into account');
        onGranted();
        return;
      }
      if (isFirst && !signal.aborted)
        log.info(
          'nodes cannot be read, so the operator does not know which nodes are lost: grant the operator list and watch on nodes',
        );
      await clock.sleep(askAgainEvery, signal).catch(() => undefined);
    }
  }

  async #isGranted(signal: AbortSignal): Promise<boolean> {
    const { client, log } = this.#options;
    const mayDo = async (verb: 'list' | 'watch') => {
      const spec = { resourceAttributes: { resource: 'nodes', verb } };
      const { status } = await client.resource(selfSubjectAccessReviews).create({ spec }, { signal });
      return status?.allowed === true;
    };
    try {
      return (await mayDo('list')) && (await mayDo('watch'));
    } catch (error) {
      if (!signal.aborted) log.debug('the operator could not find out whether it may read nodes', { error });
      return false;
    }
  }
}
