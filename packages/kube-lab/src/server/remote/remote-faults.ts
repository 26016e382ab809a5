// SPDX-License-Identifier: Apache-2.0
import { FaultTable, type Replica } from '../../faults/fault-table.ts';
import { RuntimeError } from '../../runtime/runtime-error.ts';

/**
 * A replica that shows what the API server had at one version. The server still answers requests for exactly that
 * version.
 */
export class PastView implements Replica {
  #version: string | undefined;
  readonly #note: (version: Promise<string>) => Promise<string>;
  readonly #newest: () => Promise<string>;

  constructor(newest: () => Promise<string>, note: (version: Promise<string>) => Promise<string>) {
    this.#newest = newest;
    this.#note = note;
  }

  /** The version that is shown. Undefined while the replica shows the present state. */
  get version(): string | undefined {
    return this.#version;
  }

  freeze(): void {
    void this.#note(this.#newest()).then((version) => {
      this.#version ??= version;
    });
  }

  thaw(): void {
    this.#version = undefined;
  }

  close(): void {
    this.thaw();
  }
}

/**
 * Faults between clients and an API server outside of the lab. The server's clock and its calls of webhooks cannot be
 * disturbed.
 */
export class RemoteFaults extends FaultTable<PastView> {
  readonly #underWay = new Set<Promise<unknown>>();

  /**
   * @param newest the newest version of the server
   * @param compact compacts the server's history
   */
  constructor(newest: () => Promise<string>, compact: () => Promise<void>) {
    super({
      replica: (versions, staleReads) => {
        if (versions !== 0 || !staleReads)
          throw cannot('lag by a number of versions; add a lag of 0 versions with staleReads, and freeze it');
        return new PastView(newest, (version) => this.#note(version));
      },
      compact: () => void this.#note(compact()),
      jumpClock: () => {
        throw cannot("have another clock than its machine; test this with the lab's own API server");
      },
    });
  }

  override admissionDown(): never {
    throw cannot('lose its webhooks by a fault; let a webhook configuration name an address where nothing listens');
  }

  /** Resolves when the faults that were added are in effect. */
  async inEffect(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  #note<T>(effect: Promise<T>): Promise<T> {
    const ended = effect.finally(() => this.#underWay.delete(ended));
    this.#underWay.add(ended);
    return ended;
  }
}

function cannot(what: string): RuntimeError {
  return new RuntimeError('Unsupported', `an API server outside of the lab cannot ${what}`);
}
