// SPDX-License-Identifier: Apache-2.0
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { clusterOf } from './cluster.ts';

const folder = mkdtempSync(join(tmpdir(), 'network-controller-'));
afterAll(() => rmSync(folder, { recursive: true }));
const kubeconfig = join(folder, 'config');
writeFileSync(
  kubeconfig,
  JSON.stringify({
    'current-context': 'one',
    contexts: [{ name: 'one', context: { cluster: 'one', user: 'me' } }],
    clusters: [{ name: 'one', cluster: { server: 'https://one:6443' } }],
    users: [{ name: 'me', user: { token: 'mine' } }],
  }),
);

test.each([
  ['-kubeconfig', { kubeconfig, master: '' }, 'https://one:6443', 'token'],
  ['-kubeconfig and -master', { kubeconfig, master: 'https://two:6443' }, 'https://two:6443', 'token'],
  ['-master alone', { kubeconfig: '', master: 'http://127.0.0.1:8001' }, 'http://127.0.0.1:8001', 'none'],
])('%s says where the cluster is', async (_flags, given, server, kind) => {
  expect(await clusterOf(given, {})).toMatchObject({ server, credential: { kind } });
});

test('without flags it is what the environment says', async () => {
  const found = await clusterOf({ kubeconfig: '', master: '' }, { KUBECONFIG: kubeconfig });
  expect(found.server).toBe('https://one:6443');
});
