// SPDX-License-Identifier: Apache-2.0
import { systemClock } from '@operator-parts/ports';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type AzureServer, startAzurite } from '../testing/azurite.ts';
import { AzureImmutability, type ImmutableContainer } from '../testing/behaviours/azure-immutability.ts';
import { bytesOf, chunked } from '../testing/bodies.ts';
import { type Answered, FaultProxy } from '../testing/fault-proxy.ts';
import { quickRetries } from '../testing/kit/kit-subject.ts';
import { mebibyte } from '../write/part-sizes.ts';
import { openAzure } from './open-azure.ts';

const sizes = [10, 3 * mebibyte];

let server: AzureServer;
let proxy: FaultProxy;
let behaviour: AzureImmutability;

// azurite has no immutability policies: the proxy in front of it behaves as Azure documents them.
beforeAll(async () => {
  server = await startAzurite();
  behaviour = new AzureImmutability({ isVersionLevel: true });
  proxy = await FaultProxy.start(server.port, { behaviour: (asked, pass) => behaviour.behave(asked, pass) });
});
afterAll(async () => {
  await proxy?.stop();
  await server?.stop();
});
beforeEach(() => proxy.expect(() => undefined));

async function open(container: ImmutableContainer, mode?: 'Governance' | 'Compliance') {
  behaviour = new AzureImmutability(container);
  const { account, accountKey, container: name } = server;
  const endpoint = `http://127.0.0.1:${proxy.port}/${account}`;
  const options = { account, container: name, endpoint, partBytes: mebibyte, policy: { allowLocal: true } };
  const credentials = { kind: 'key', accountKey } as const;
  const objectLock = mode && { mode, days: 30 };
  const store = await openAzure(
    { ...options, credentials, ...(objectLock && { objectLock }) },
    { retry: quickRetries },
  );
  onTestFinished(() => store.close());
  return store;
}

const path = (key: string) => `/${server.account}/${server.container}/${key}`;

describe('an object lock in Azure', () => {
  test.each(sizes)('is an immutability policy of a blob of %i bytes', async (size) => {
    for (const [mode, called] of [
      ['Governance', 'unlocked'],
      ['Compliance', 'locked'],
    ] as const) {
      const store = await open({ isVersionLevel: true }, mode);
      await store.put(`kept-${size}-${mode}`, chunked(bytesOf(size)));
      const policy = behaviour.current.get(path(`kept-${size}-${mode}`));
      expect(policy?.mode).toBe(called);
      const days = (Date.parse(policy?.until ?? '') - systemClock.now()) / 86_400_000;
      expect(days).toBeGreaterThan(29.9);
      expect(days).toBeLessThan(30.1);
    }
  });

  test('is locked afterwards where an upload gets an unlocked policy', async () => {
    const store = await open({ isVersionLevel: true, uploadsUnlocked: true }, 'Compliance');
    await store.put('late', chunked(bytesOf(10)));
    expect(behaviour.current.get(path('late'))?.mode).toBe('locked');
  });

  test('stays with the version that a deletion hides', async () => {
    const store = await open({ isVersionLevel: true }, 'Compliance');
    await store.put('hidden', chunked(bytesOf(10)));
    await store.delete('hidden');
    await expect(store.stat('hidden')).rejects.toMatchObject({ code: 'NotFound' });
    expect(behaviour.previous).toMatchObject([{ path: path('hidden'), policy: { mode: 'locked' } }]);
  });

  test.each(sizes)('that the store does not show for %i bytes is an error', async (size) => {
    const store = await open({ isVersionLevel: true }, 'Governance');
    const alter = ({ headers, ...answer }: Answered) => ({
      ...answer,
      headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !name.includes('immutability'))),
    });
    proxy.expect(({ method }) => (method === 'HEAD' ? { kind: 'alter', alter } : undefined));
    await expect(store.put('unconfirmed', chunked(bytesOf(size)))).rejects.toMatchObject({
      code: 'Configuration',
      outcomeUnknown: false,
      message: expect.stringContaining('does not show that unconfirmed is locked: it does not lock objects'),
    });
  });

  test.each(sizes)('of %i bytes in a container without support for it says what to do', async (size) => {
    const store = await open({ isVersionLevel: false }, 'Governance');
    await expect(store.put('refused', chunked(bytesOf(size)))).rejects.toMatchObject({
      code: 'Configuration',
      message: expect.stringContaining('objectLock needs a container with support for version-level immutability'),
    });
  });

  test('is left out for what is only there for a moment, and where none is asked for', async () => {
    const locking = await open({ isVersionLevel: true }, 'Compliance');
    await locking.put('probe', chunked(bytesOf(1)), { isUnlocked: true });
    expect(behaviour.current.size).toBe(0);
    const store = await open({ isVersionLevel: true });
    await store.put('plain', chunked(bytesOf(1)));
    expect(behaviour.current.size).toBe(0);
  });

  test('of the container itself keeps blobs from being deleted, without a field here', async () => {
    const store = await open({ isVersionLevel: false, hasContainerPolicy: true });
    await store.put('held', chunked(bytesOf(10)));
    await expect(store.delete('held')).rejects.toMatchObject({ code: 'Locked', retryable: false });
    await expect(store.put('held', chunked(bytesOf(5)))).rejects.toMatchObject({ code: 'Locked' });
    expect((await store.stat('held')).bytes).toBe(10);
  });
});
