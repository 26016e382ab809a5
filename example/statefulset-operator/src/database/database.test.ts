// SPDX-License-Identifier: Apache-2.0
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startDatabase } from './database.ts';
import { LogFile } from './log-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'key-value-store-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const start = (name: string, primary?: string) => startDatabase({ file: join(folder, name), port: 0, primary });
const put = (url: string, key: string, value: string) => fetch(`${url}/keys/${key}`, { method: 'PUT', body: value });
const get = async (url: string, key: string) => (await fetch(`${url}/keys/${key}`)).text();

test('what is written to the primary can be read from a replica, which takes no writes itself', async () => {
  await using primary = await start('a');
  await using replica = await start('b', primary.url);
  expect(await (await put(primary.url, 'city', 'Utrecht')).text()).toBe('revision 1\n');
  await vi.waitFor(async () => expect(await get(replica.url, 'city')).toBe('Utrecht\n'));
  expect((await put(replica.url, 'city', 'Gouda')).status).toBe(421);
  expect(await get(primary.url, 'city')).toBe('Utrecht\n');
});

test('a replica is ready when it has what the primary has, and not when the primary is away or has lost data', async () => {
  const primary = await start('a');
  await put(primary.url, 'k', 'v');
  await using replica = await start('b', primary.url);
  await vi.waitFor(() => expect(replica.isUpToDate).toBe(true));
  const { port } = new URL(primary.url);
  await primary[Symbol.asyncDispose]();
  await vi.waitFor(() => expect(replica.isUpToDate).toBe(false));
  await using empty = await startDatabase({ file: join(folder, 'new'), port: Number(port), primary: undefined });
  expect((await fetch(`${empty.url}/ready`)).status).toBe(200);
  await vi.waitFor(async () => expect((await fetch(`${empty.url}/log?after=1`)).ok).toBe(true));
  expect((await fetch(`${replica.url}/ready`)).status).toBe(503);
});

test('what was written is there after a restart, and half a line is not', async () => {
  const path = join(folder, 'log');
  const log = new LogFile(path);
  log.append([{ key: 'a', value: '1' }]);
  log.close();
  appendFileSync(path, '{"key":"b"');
  const again = new LogFile(path);
  expect([again.revision, again.get('a'), again.get('b')]).toEqual([1, '1', undefined]);
  again.append([{ key: 'c', value: '3' }]);
  again.close();
  const last = new LogFile(path);
  expect([last.revision, last.get('c')]).toEqual([2, '3']);
  last.close();
});
