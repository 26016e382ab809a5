// SPDX-License-Identifier: Apache-2.0
import { VirtualClock } from '@etcd-operator/ports';
import { describe, expect, test } from 'vitest';
import { EtcdObserver } from './etcd-observer.ts';

/** Nobody is there who would answer, or refuse. */
const intoTheVoid = (_: unknown, signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('nobody was there')), { once: true });
  });

const nobody = { tls: undefined, login: undefined };

/** Milliseconds until a look at one pod, whose address leads nowhere, has ended. */
async function patience(isEnding: boolean, hasEnded = false): Promise<number> {
  const clock = new VirtualClock(0);
  const observer = new EtcdObserver({ clock, dial: intoTheVoid });
  const target = { podName: 'c-a', podUid: 'u1', ip: '10.0.0.1', serverName: 'c-a.c.ns.svc', isEnding, hasEnded };
  const { signal } = new AbortController();
  let ended = false;
  const look = observer.look([target], nobody, { aboutUpgrade: false }, signal).then(({ answers }) => {
    ended = true;
    expect(answers.get('c-a')?.kind).toBe('silent');
  });
  while (!ended && clock.now() < 10_000) {
    await clock.advance(50);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await look;
  return clock.now();
}

describe('an address that leads nowhere', () => {
  test('is given two seconds', async () => {
    expect(await patience(false)).toBeGreaterThanOrEqual(2_000);
  });

  test('is given a moment if its pod is being deleted: the next one waits', async () => {
    expect(await patience(true)).toBeLessThan(1_000);
  });

  test('is not asked at all once its process has ended, too', async () => {
    expect(await patience(true, true)).toBeLessThanOrEqual(50);
  });
});
