// SPDX-License-Identifier: Apache-2.0
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

/** Runs a program with these lines as its work, connected to this API server. Resolves with its output. */
async function outputOf(run: string, server: string) {
  const folder = await mkdtemp(join(tmpdir(), 'run-program-'));
  try {
    const kubeconfig = join(folder, 'config');
    const clusters = [{ name: 'c', cluster: { server } }];
    const contexts = [{ name: 'c', context: { cluster: 'c', user: 'u' } }];
    const users = [{ name: 'u', user: {} }];
    await writeFile(
      kubeconfig,
      JSON.stringify({ apiVersion: 'v1', kind: 'Config', 'current-context': 'c', clusters, contexts, users }),
    );
    const program = join(folder, 'program.ts');
    const from = (file: string) => JSON.stringify(resolve(import.meta.dirname, file));
    await writeFile(
      program,
      `import { runProgram } from ${from('run-program.ts')};
       import { operatorFlags } from ${from('operator-flags.ts')};
       import { namespaces } from ${from('../../../../packages/kube/src/index.ts')};
       const run = async ({ operator }) => {
         ${run}
       };
       await runProgram({ name: 'careless', flags: operatorFlags, run });`,
    );
    const env = { ...process.env, MY_POD_NAMESPACE: 'ns', MY_POD_NAME: 'operator' };
    return await promisify(execFile)(process.execPath, [program, `-kubeconfig=${kubeconfig}`], { env });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test('an unhandled rejection is logged, and does not end the work for others', async () => {
  const { stdout, stderr } = await outputOf(
    `void Promise.reject(new Error('forgotten'));
     await new Promise((resolve) => setTimeout(resolve, 50));
     console.log('still at work');`,
    'http://127.0.0.1:1',
  );
  expect(stdout).toContain('still at work');
  expect(stderr).toContain('a failure was not handled: this is a defect');
  expect(stderr).toContain('forgotten');
}, 60_000);

test('what the API server warns of is logged', async () => {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', warning: '299 - "unknown field \\"spec.new\\""' });
    response.end('{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"a"}}');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    const { stderr } = await outputOf(
      `await operator.client.resource(namespaces).get({ name: 'a' });`,
      `http://127.0.0.1:${port}`,
    );
    const lines = stderr
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
    const fields = { level: 'warn', warning: 'unknown field "spec.new"', request: 'GET /api/v1/namespaces/a' };
    expect(lines).toContainEqual(expect.objectContaining(fields));
  } finally {
    server.close();
  }
}, 60_000);
