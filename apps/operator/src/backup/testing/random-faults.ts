// SPDX-License-Identifier: Apache-2.0
import type { Random } from '@operator-parts/ports';
import type { StoreAnswer, StoreFault, StoreRequest } from './rewriting-proxy.ts';

/** One way to disturb a request, for any protocol of a store. */
type Spoil = (asked: StoreRequest, pass: () => Promise<StoreAnswer>) => Promise<StoreAnswer | 'cut' | 'stall'>;

const html = Buffer.from('<html>Sign in</html>');

const spoils: Readonly<Record<string, Spoil>> = {
  cutBefore: async () => 'cut',
  cutAfter: async (_asked, pass) => pass().then(() => 'cut' as const),
  stall: async () => 'stall',
  unavailable: async () => ({ status: 503, headers: {}, body: Buffer.alloc(0) }),
  denied: async () => ({ status: 403, headers: {}, body: Buffer.alloc(0) }),
  /** Answers 200 without passing the request on. */
  html: async () => ({ status: 200, headers: { 'content-type': 'text/html' }, body: html }),
  empty: async (_asked, pass) => ({ ...(await pass()), body: Buffer.alloc(0) }),
  short: async (_asked, pass) => {
    const sound = await pass();
    return { ...sound, body: sound.body.subarray(0, Math.floor(sound.body.byteLength / 2)) };
  },
  flipped: async (_asked, pass) => {
    const sound = await pass();
    const body = Buffer.from(sound.body);
    if (body.byteLength > 0) body.writeUInt8(body.readUInt8(body.byteLength >> 1) ^ 1, body.byteLength >> 1);
    return { ...sound, body };
  },
  trickle: async (_asked, pass) => ({ ...(await pass()), trickle: { bytes: 2, everyMs: 500 } }),
  twice: async (_asked, pass) => pass().then(pass),
};

/**
 * Disturbs requests at random: each request with some probability, or first a few requests and then all requests of one kind.
 * @param mayTouch selects the requests that may be disturbed; others pass
 */
export function randomFault(random: Random, mayTouch: (asked: StoreRequest) => boolean = () => true): StoreFault {
  const names = Object.keys(spoils);
  const pick = () => spoils[names[Math.floor(random.next() * names.length)] ?? ''] ?? ((_asked, pass) => pass());
  const [chance, isSteady, steady, method] = [0.05 + random.next() * 0.4, random.next() < 0.3, pick(), random.next()];
  const methods = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE'];
  const only = methods[Math.floor(method * methods.length)];
  return async (asked, pass) => {
    if (!mayTouch(asked)) return pass();
    if (isSteady) return asked.method === only ? steady(asked, pass) : pass();
    return random.next() < chance ? pick()(asked, pass) : pass();
  };
}
