// SPDX-License-Identifier: Apache-2.0
import { beforeEach, describe, expect, test } from 'vitest';
import type { BlobStore, CallOptions } from '../../blob-store.ts';
import { all, bytesOf, chunked, collect } from '../bodies.ts';
import type { Fault } from '../fault-proxy.ts';
import { failure, type RequestKind } from './kit-subject.ts';

/** A store that is abandoned in the middle of its work. */
export interface StoppedStore {
  /** Opens another store, which the test closes. */
  readonly open: () => Promise<BlobStore>;
  /** Sets the fault of requests of this kind from now on; undefined for none. */
  readonly spoil: (kind: RequestKind, fault: Fault | undefined) => void;
  /** The size of a part. Two parts and a little more make an upload in parts. */
  readonly partBytes: number;
  /** Errors that nobody has caught. */
  readonly escaped: () => Promise<readonly unknown[]>;
}

/** The fault of the connection that is abandoned. `none`: it works. */
type NetworkFault = 'none' | 'cut' | 'stall' | 'trickle';

const faults: Readonly<Record<NetworkFault, Fault | undefined>> = {
  none: undefined,
  cut: { kind: 'cut-response', after: 150_000 },
  stall: { kind: 'stall' },
  trickle: { kind: 'trickle' },
};

export const allNetworkFaults: readonly NetworkFault[] = ['none', 'cut', 'stall', 'trickle'];

const key = 'left/object';
const body = bytesOf(300_000, 7);
const aborted = { code: 'Aborted', retryable: false };

/**
 * A caller that reads, writes or lists may stop at any moment: by not reading on, by aborting, or by closing the store.
 * Later errors must not end the process.
 */
export function testEarlyStop(left: () => StoppedStore, networkFaults: readonly NetworkFault[]): void {
  beforeEach(async () => {
    left().spoil('other', undefined);
    const store = await left().open();
    for (const name of [key, 'left/other']) await store.put(name, chunked(body));
    store.close();
  });

  const opened = async (kind: RequestKind, networkFault: NetworkFault) => {
    const store = await left().open();
    left().spoil(kind, faults[networkFault]);
    return store;
  };

  describe.each(networkFaults.filter((networkFault) => networkFault === 'none' || networkFault === 'cut'))(
    'connection: %s',
    (networkFault) => {
      test('a reader leaves after the first bytes', async () => {
        const store = await opened('read', networkFault);
        for await (const _ of store.get(key)) break;
        store.close();
        expect(await left().escaped()).toEqual([]);
      });

      test('a reader aborts after the first bytes', async () => {
        const store = await opened('read', networkFault);
        const stop = new AbortController();
        const reading = async () => {
          for await (const _ of store.get(key, { offset: 0 }, stop)) stop.abort();
        };
        expect(await failure(reading())).toMatchObject(aborted);
        store.close();
        expect(await left().escaped()).toEqual([]);
      });

      test('a reader asks for no more, and the store is closed', async () => {
        const store = await opened('read', networkFault);
        const reader = store.get(key)[Symbol.asyncIterator]();
        await reader.next();
        store.close();
        expect(await left().escaped()).toEqual([]);
      });

      test('a listing is left after its first object', async () => {
        const store = await opened('list', networkFault);
        for await (const _ of store.list('left/')) break;
        store.close();
        expect(await left().escaped()).toEqual([]);
      });
    },
  );

  describe.each(networkFaults)('connection that is left: %s', (networkFault) => {
    /** Aborts while the call waits, or after it has ended. */
    const soon = () => AbortSignal.timeout(networkFault === 'none' ? 5 : 200);
    const parts = () => bytesOf(left().partBytes * 2 + 100);

    const calls: Readonly<Record<string, (store: BlobStore, options: CallOptions) => Promise<unknown>>> = {
      read: (store, options) => collect(store.get(key, { offset: 0 }, options)),
      list: (store, options) => all(store.list('left/', options)),
      look: (store, options) => store.stat(key, options),
      delete: (store, options) => store.delete(key, options),
      whole: (store, options) => store.put('left/whole', chunked(bytesOf(1_000)), options),
      part: (store, options) => store.put('left/parts', chunked(parts()), options),
      finish: (store, options) => store.put('left/finished', chunked(parts()), options),
    };
    const kinds = Object.keys(calls) as RequestKind[];

    test.each(kinds)('%s aborts', async (kind) => {
      const store = await opened(kind, networkFault);
      await calls[kind]?.(store, { signal: soon() }).catch(() => undefined);
      store.close();
      expect(await left().escaped()).toEqual([]);
    });

    test.each<RequestKind>(['read', 'list', 'part'])('the store is closed during %s', async (kind) => {
      const store = await opened(kind, networkFault);
      const stop = new AbortController();
      const running = calls[kind]?.(store, stop).catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, 30));
      store.close();
      stop.abort();
      await running;
      expect(await left().escaped()).toEqual([]);
    });
  });

  test('what a put is made of fails in the middle', async () => {
    const store = await left().open();
    async function* broken() {
      yield* chunked(bytesOf(left().partBytes + 10));
      throw new Error('etcd is gone');
    }
    expect(await failure(store.put('left/broken', broken()))).toMatchObject({ message: 'etcd is gone' });
    store.close();
    expect(await left().escaped()).toEqual([]);
  });
}
