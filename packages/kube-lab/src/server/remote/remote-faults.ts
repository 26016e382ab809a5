// SPDX-License-Identifier: Apache-2.0
import { FaultTable, type Replica } from '../../faults/fault-table.ts';
import { RuntimeError } from '../../runtime/runtime-error.ts';

/** A view of the past: what an API server elsewhere had at one version, which it still tells if it is asked for exactly that. */
export class PastView implements Replica {
  #version: string | undefined;
  readonly #note: (version: Promise<string>) => Promise<string>;
  readonly #newest: () => Promise<string>;

  constructor(newest: () => Promise<string>, note: (version: Promise<string>) => Promise<string>) {
    this.#newest = newest;
    this.#note = note;
  }

  /** Undefined while it shows the present. */
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
 * Faults between clients and an API server elsewhere. What that server does itself cannot be disturbed: its clock, and its calls of
 * webhooks.
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
          throw cannot('lag by a number of versions; freeze it with staleReads instead');
        return new PastView(newest, (version) => this.#note(version));
      },
      compact: () => void this.#note(compact()),
      jumpClock: () => {
        throw cannot('have another clock than its machine');
      },
    });
  }

  override admissionDown(): never {
    throw cannot('lose its webhooks by a fault; let a webhook configuration name an address where nothing listens');
  }

  /** Resolves when the faults that were asked for are in effect. */
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
  return new RuntimeError('Unsupported', `an API server elsewhere cannot ${what}`);
}
