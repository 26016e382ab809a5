// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { blocksOf } from '@etcd-operator/tools/markdown';
import { afterEach, describe, expect, test } from 'vitest';
import { startServer } from './testing/local-server.ts';
import { countStart } from './testing/readme-example.ts';

const cleanUp: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const undo of cleanUp.splice(0).reverse()) await undo();
});

/** A server with one ConfigMap that another client writes between a read and a write. */
async function serveConfigMap() {
  let stored: { metadata: { resourceVersion: string }; data?: Record<string, string> } | undefined;
  let version = 0;
  const keep = (object: object) => {
    stored = {
      ...object,
      metadata: { resourceVersion: String(++version), name: 'starts', namespace: 'default' },
    } as typeof stored;
    return stored;
  };
  const answer = (method: string | undefined, body: string): readonly [number, object] => {
    if (method === 'PATCH') return [200, keep(JSON.parse(body) as object) ?? {}];
    if (!stored) return [404, { kind: 'Status', reason: 'NotFound' }];
    if (method === 'GET') return [200, stored];
    const sent = JSON.parse(body) as NonNullable<typeof stored>;
    const stale = sent.metadata.resourceVersion !== stored.metadata.resourceVersion;
    return stale ? [409, { kind: 'Status', reason: 'Conflict' }] : [200, keep(sent) ?? {}];
  };
  const server = await startServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.once('end', () => {
      const [status, object] = answer(request.method, Buffer.concat(pieces).toString());
      response.writeHead(status).end(JSON.stringify(object));
    });
  });
  cleanUp.push(() => server.close());
  const folder = await mkdtemp(join(tmpdir(), 'kube-readme-'));
  cleanUp.push(() => rm(folder, { recursive: true }));
  const kubeconfig = join(folder, 'config');
  const cluster = `{name: c, cluster: {server: "${server.url}"}}`;
  await writeFile(
    kubeconfig,
    `current-context: x\nclusters: [${cluster}]\ncontexts: [{name: x, context: {cluster: c}}]\n`,
  );
  return { KUBECONFIG: kubeconfig };
}

describe('the example in the README', () => {
  test('is the program that is compiled and run here', () => {
    const read = (path: string) => readFileSync(join(import.meta.dirname, path), 'utf8');
    const [shown] = blocksOf(join(import.meta.dirname, '../README.md')).filter(({ language }) => language === 'ts');
    expect(read('testing/readme-example.ts')).toBe(`// SPDX-License-Identifier: Apache-2.0\n${shown?.content}\n`);
  });

  test('counts, alone and together with others', async () => {
    const env = await serveConfigMap();
    expect([await countStart(env), await countStart(env)]).toEqual(['1', '2']);
    const together = await Promise.all(Array.from({ length: 5 }, () => countStart(env)));
    expect(together.toSorted()).toEqual(['3', '4', '5', '6', '7']);
  });
});
