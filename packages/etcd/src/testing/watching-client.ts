// SPDX-License-Identifier: Apache-2.0
import { systemClock } from '@operator-parts/ports';
import { isEtcdError } from '../client/etcd-error.ts';
import type { MemberClient } from '../client/member-client.ts';
import { toBytes } from '../client/services/kv.ts';

/**
 * A client that watches a key on one member after the other until it learns that history is compacted. Requests
 * everything from `startRevision` on; `open` returns a member that may answer.
 */
export class WatchingClient implements Disposable {
  /** The values it saw, and `compacted` if it got that error. */
  readonly seen: string[] = [];
  readonly #stop = new AbortController();

  constructor(open: () => Promise<MemberClient>, key: string, startRevision: bigint) {
    void this.#watch(open, toBytes(key), startRevision);
  }

  [Symbol.dispose](): void {
    this.#stop.abort(new Error('the test has seen enough'));
  }

  async #watch(open: () => Promise<MemberClient>, key: Uint8Array, startRevision: bigint): Promise<void> {
    const { signal } = this.#stop;
    let next = startRevision;
    while (!signal.aborted) {
      try {
        using member = await open();
        for await (const { kv } of member.watch({ key, startRevision: next, signal })) {
          this.seen.push(Buffer.from(kv.value).toString());
          next = kv.modRevision + 1n;
        }
      } catch (error) {
        if (isEtcdError(error, 'Compacted')) {
          this.seen.push('compacted');
          return;
        }
      }
      await systemClock.sleep(100);
    }
  }
}
