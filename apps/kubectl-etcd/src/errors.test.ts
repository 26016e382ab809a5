// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { typeLine } from './testing/type-line.ts';

/** An API server that refuses every request with the given code. */
let code = 403;
const server = createServer((request, response) => {
  const reason = { 401: 'Unauthorized', 403: 'Forbidden', 404: 'NotFound' }[code] ?? '';
  response.writeHead(code, { 'content-type': 'application/json' });
  const message = `${request.method} is answered with ${reason}`;
  response.end(JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, message, code }));
});

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kubectl-etcd-'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

async function type(line: string, port = (server.address() as AddressInfo).port) {
  const config = {
    'current-context': 'here',
    contexts: [{ name: 'here', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { server: `http://127.0.0.1:${port}` } }],
    users: [{ name: 'u', user: {} }],
  };
  const kubeconfig = join(folder, 'config');
  writeFileSync(kubeconfig, JSON.stringify(config));
  return typeLine(line, kubeconfig, new AbortController().signal);
}

test.each([
  [401, 'status', 'log in again, or choose another context'],
  [403, 'status', 'ask your administrator for this permission, or choose another context'],
  [403, 'members example', 'ask your administrator for this permission, or choose another context'],
  [403, 'move-leader example', 'ask your administrator for this permission, or choose another context'],
  [404, 'status', 'install the etcd-operator first'],
  [404, 'status example -n other', 'there is no EtcdCluster example in namespace other'],
  [404, 'restore example --s3-path b/k --aws-secret s', 'install the etcd-restore-operator first'],
])('an answer of %i to "%s" is told as: %s', async (answer, line, words) => {
  code = answer;
  expect(await type(line)).toEqual({ status: 1, out: '', err: expect.stringContaining(words) });
});

test('no API server at the address, and a kubeconfig without that context', async () => {
  const gone = await type('status', 1);
  expect(gone).toMatchObject({ status: 1, out: '', err: expect.stringContaining('check that the API server runs') });
  const other = await type('status --context elsewhere');
  expect(other).toMatchObject({ status: 2, err: expect.stringContaining('context "elsewhere" does not exist') });
});
