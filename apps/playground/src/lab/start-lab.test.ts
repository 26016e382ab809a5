// SPDX-License-Identifier: Apache-2.0
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Part } from '@etcd-operator/tools';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { layOutTools } from './start-lab.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'playground-tools-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const etcd = { programs: {} } as Part;

test('a shell without kubectl says how to get it', async () => {
  const bin = await layOutTools({ directory }, etcd, '/nowhere', async () => undefined);
  const { status, stderr } = spawnSync(join(bin, 'kubectl'), ['get', 'pods'], { encoding: 'utf8' });
  expect(status).toBe(127);
  expect(stderr).toContain('kubectl is not on your PATH: install it, or type "npm run tools -- kubectl"');
});

test('one that only the cache has is used', async () => {
  const cached = { programs: { kubectl: '/bin/echo' } } as unknown as Part;
  const bin = await layOutTools({ directory }, etcd, '/nowhere', async () => cached);
  expect(execFileSync(join(bin, 'kubectl'), ['get'], { encoding: 'utf8' })).toBe('get\n');
});
