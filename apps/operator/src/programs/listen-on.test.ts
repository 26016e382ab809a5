// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { listenOn } from './listen-on.ts';

test.each([':8080', '0.0.0.0:8080', '[::]:8080'])('%s is every address, of both IP families', (address) => {
  expect(listenOn('listen-addr', address)).toEqual({ port: 8080 });
});

test.each([
  ['127.0.0.1:1', { port: 1, host: '127.0.0.1' }],
  ['[::1]:2', { port: 2, host: '::1' }],
  ['localhost:3', { port: 3, host: 'localhost' }],
])('%s is one address', (address, expected) => {
  expect(listenOn('listen-addr', address)).toEqual(expected);
});

test.each(['', '8080', 'a:b', ':99999'])('%j is refused', (address) => {
  expect(() => listenOn('listen-addr', address)).toThrow('use host:port');
});
