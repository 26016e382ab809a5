// SPDX-License-Identifier: Apache-2.0
import { type Asked, FaultProxy, type Told } from '@operator-parts/blob/testing';

/** A completely received request to the store. */
export type StoreRequest = Asked;
export type StoreAnswer = Told;

/** Result of one request: an answer, a connection that is cut, or a connection without any answer. */
export type StoreFault = (
  asked: StoreRequest,
  pass: () => Promise<StoreAnswer>,
) => Promise<StoreAnswer | 'cut' | 'stall'>;

/** A proxy in front of a real store. The proxy changes requests and answers. */
export class RewritingProxy implements AsyncDisposable {
  readonly #proxy: FaultProxy;
  fault: StoreFault = (_asked, pass) => pass();

  private constructor(proxy: FaultProxy) {
    this.#proxy = proxy;
  }

  static async start(upstream: number): Promise<RewritingProxy> {
    const proxy: RewritingProxy = new RewritingProxy(
      await FaultProxy.start(upstream, { behaviour: (asked, pass) => proxy.fault(asked, pass) }),
    );
    return proxy;
  }

  get port(): number {
    return this.#proxy.port;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  heal(): void {
    this.fault = (_asked, pass) => pass();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#proxy.stop();
  }
}
