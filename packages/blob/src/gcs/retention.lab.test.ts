// SPDX-License-Identifier: Apache-2.0
import { systemClock } from '@operator-parts/ports';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { GcsRetention } from '../testing/behaviours/gcs-retention.ts';
import { bytesOf, chunked } from '../testing/bodies.ts';
import { type GcsServer, startFakeGcsServer } from '../testing/fake-gcs-server.ts';
import { type Answered, FaultProxy } from '../testing/fault-proxy.ts';
import { quickRetries } from '../testing/kit/kit-subject.ts';
import { mebibyte } from '../write/part-sizes.ts';
import { openGcs } from './open-gcs.ts';

const sizes = [10, 3 * mebibyte];

let server: GcsServer;
let proxy: FaultProxy;
const behaviour = new GcsRetention();

// fake-gcs-server has no object retention: the proxy in front of it behaves as Google documents it.
beforeAll(async () => {
  server = await startFakeGcsServer();
  proxy = await FaultProxy.start(server.port, { behaviour: behaviour.behave });
});
afterAll(async () => {
  await proxy?.stop();
  await server?.stop();
});
beforeEach(() => {
  behaviour.isEnabled = true;
  proxy.expect(() => undefined);
});

async function open(mode?: 'Governance' | 'Compliance') {
  const { bucket, accessToken } = server;
  const endpoint = `http://127.0.0.1:${proxy.port}`;
  const credentials = { kind: 'token', accessToken } as const;
  const objectLock = mode && { mode, days: 30 };
  const options = { bucket, endpoint, credentials, policy: { allowLocal: true }, partBytes: mebibyte };
  const store = await openGcs({ ...options, ...(objectLock && { objectLock }) }, { retry: quickRetries });
  onTestFinished(() => store.close());
  return store;
}

describe('an object lock in Google Cloud Storage', () => {
  test.each(sizes)('is the retention of an object of %i bytes, which is not deleted or replaced', async (size) => {
    for (const [mode, called] of [
      ['Governance', 'Unlocked'],
      ['Compliance', 'Locked'],
    ] as const) {
      const store = await open(mode);
      const key = `kept/${size}-${mode}`;
      await store.put(key, chunked(bytesOf(size)));
      const retention = behaviour.kept.get(key);
      expect(retention?.mode).toBe(called);
      const days = (Date.parse(retention?.retainUntilTime ?? '') - systemClock.now()) / 86_400_000;
      expect(days).toBeGreaterThan(29.9);
      expect(days).toBeLessThan(30.1);
      await expect(store.delete(key)).rejects.toMatchObject({ code: 'Locked', retryable: false });
      await expect(store.put(key, chunked(bytesOf(5)))).rejects.toMatchObject({ code: 'Locked' });
      expect((await store.stat(key)).bytes).toBe(size);
    }
  });

  test.each(sizes)('that the store does not show for %i bytes is an error', async (size) => {
    const store = await open('Governance');
    const alter = ({ body, ...answer }: Answered) => {
      const { retention: _, ...object } = JSON.parse(body.toString());
      return { ...answer, body: JSON.stringify(object) };
    };
    proxy.expect(({ method }) => (method === 'GET' ? { kind: 'alter', alter } : undefined));
    await expect(store.put(`unconfirmed-${size}`, chunked(bytesOf(size)))).rejects.toMatchObject({
      code: 'Configuration',
      outcomeUnknown: false,
      message: expect.stringContaining('is locked: it does not lock objects'),
    });
  });

  test.each(sizes)('of %i bytes in a bucket without object retention says what to do', async (size) => {
    behaviour.isEnabled = false;
    const store = await open('Governance');
    await expect(store.put('refused', chunked(bytesOf(size)))).rejects.toMatchObject({
      code: 'Configuration',
      message: expect.stringContaining('objectLock needs a bucket with object retention enabled'),
    });
  });

  test('is left out for what is only there for a moment, and where none is asked for', async () => {
    const locking = await open('Compliance');
    await locking.put('probe', chunked(bytesOf(1)), { isUnlocked: true });
    await locking.delete('probe');
    const store = await open();
    await store.put('plain', chunked(bytesOf(1)));
    expect([behaviour.kept.has('probe'), behaviour.kept.has('plain')]).toEqual([false, false]);
  });
});
