// SPDX-License-Identifier: Apache-2.0
import { Duplex } from 'node:stream';
import { expect, test } from 'vitest';
import { dialWhileConnected } from './dial-while-connected.ts';

const { signal } = new AbortController();
const target = { host: '10.0.0.7', port: 2379 };

function dialing() {
  const opened: Duplex[] = [];
  const dial = dialWhileConnected(() => {
    const socket = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
    opened.push(socket);
    return Promise.resolve(socket);
  });
  return { opened, dial: () => dial(target, signal) };
}

test('a snapshot has a connection of its own beside the first', async () => {
  const { opened, dial } = dialing();
  expect(await dial()).toBe(opened[0]);
  expect(await dial()).toBe(opened[1]);
});

test('when the first connection is lost, the address is not dialled again', async () => {
  const { opened, dial } = dialing();
  await dial();
  await dial();
  opened[0]?.destroy();
  await expect(dial()).rejects.toThrow('the connection to the member was lost');
  expect(opened).toHaveLength(2);
});

test('an address that could not be reached is not dialled again', async () => {
  let dialled = 0;
  const dial = dialWhileConnected(() => {
    dialled++;
    return Promise.reject(new Error('refused'));
  });
  await expect(dial(target, signal)).rejects.toThrow('refused');
  await expect(dial(target, signal)).rejects.toThrow('refused');
  expect(dialled).toBe(1);
});
