// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, test, vi } from 'vitest';
import { leftBehind, processState } from './left-behind.ts';

const sinceNow = () => {
  const before = processState();
  return () => leftBehind(before, processState());
};

test('nothing is left where nothing was opened', () => {
  expect(sinceNow()()).toEqual([]);
});

test('a server is left until it is closed', async () => {
  const left = sinceNow();
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  expect(left()).toEqual(['1 open TCPServerWrap']);
  server.close();
  await expect.poll(left).toEqual([]);
});

test('a process is left until it has ended', async () => {
  const left = sinceNow();
  const child = spawn('sleep', ['60'], { stdio: 'ignore' });
  expect(left()).toEqual(['1 open ProcessWrap']);
  child.kill();
  await expect.poll(left).toEqual([]);
});

test('a timer is left until it is cleared', () => {
  const left = sinceNow();
  const timer = setInterval(() => {}, 1_000);
  expect(left()).toEqual(['1 open Timeout']);
  clearInterval(timer);
  expect(left()).toEqual([]);
});

test('an environment variable is left until it is put back', () => {
  const left = sinceNow();
  vi.stubEnv('LEFT_BEHIND', 'here');
  expect(left()).toEqual(['another value of the environment variable LEFT_BEHIND']);
  vi.unstubAllEnvs();
  expect(left()).toEqual([]);
});

test('the working directory is left until it is put back', () => {
  const before = processState();
  expect(leftBehind(before, { ...before, directory: '/elsewhere' })).toEqual(['the working directory /elsewhere']);
});
