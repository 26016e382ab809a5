// SPDX-License-Identifier: Apache-2.0
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { blocksOf } from '@etcd-operator/tools/markdown';
import { expect, test } from 'vitest';

const run = promisify(execFile);

test('the example of the README runs as it stands, but for the directory', async () => {
  const root = await mkdtemp(join(tmpdir(), 'blob-readme-'));
  const readme = fileURLToPath(new URL('../README.md', import.meta.url));
  const example = blocksOf(readme).find(({ language }) => language === 'ts')?.content ?? '';
  expect(example).toContain("root: '/backups'");
  const program = example.replace("root: '/backups'", `root: ${JSON.stringify(root)}`);
  // From the package's own directory, packages are found as in a user's program.
  const { stdout } = await run(process.execPath, ['--input-type=module-typescript', '--eval', program], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    timeout: 60_000,
  });
  const hash = createHash('sha256').update('part 1\npart 2\npart 3\n').digest('hex');
  expect(stdout).toBe(`21 ${hash}\nprod/etcd.backup\npart 2\ntrue\n`);
  await rm(root, { recursive: true });
});

test('nothing but the kind that is opened is loaded', async () => {
  const program = `
    import { openStore } from '@operator-parts/blob';
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context); } });
    await openStore({ kind: 'directory', root: '/' });
    console.log(loaded.filter((url) => /@aws-sdk|@azure|@google-cloud/.test(url)).length);
    await openStore({ kind: 'gcs', bucket: 'bucket', credentials: { kind: 'token', accessToken: 'x' } });
    console.log(loaded.filter((url) => /@aws-sdk|@azure|@google-cloud/.test(url)).length);
    await openStore({ kind: 's3', bucket: 'bucket', credentials: { kind: 'keys', accessKeyId: 'a', secretAccessKey: 'b' } });
    console.log(loaded.some((url) => /@aws-sdk/.test(url)), loaded.some((url) => /@azure|@google-cloud/.test(url)));`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    timeout: 60_000,
  });
  expect(stdout).toBe('0\n0\ntrue false\n');
});
