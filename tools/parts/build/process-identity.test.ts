// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { formatIdentity, isAlive, ownIdentity, parseIdentity } from './process-identity.ts';

test('this process is alive, and is not a process of another time with the same pid', () => {
  const own = ownIdentity();
  expect(isAlive(own)).toBe(true);
  expect(isAlive({ ...own, startTime: '1' })).toBe(false);
});

test('a process that has ended is not alive', async () => {
  const child = spawn('true');
  const identity = { pid: child.pid ?? 0, startTime: '0' };
  await once(child, 'exit');
  expect(isAlive(identity)).toBe(false);
});

test('a process of another user is alive', () => {
  expect(isAlive({ pid: 1, startTime: '0' })).toBe(true);
});

test('an identity survives being part of a file name', () => {
  expect(parseIdentity(formatIdentity(ownIdentity()))).toEqual(ownIdentity());
  expect(parseIdentity('12')).toBeUndefined();
  expect(parseIdentity('12.34.56')).toBeUndefined();
  expect(parseIdentity('')).toBeUndefined();
});
