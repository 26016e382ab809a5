// SPDX-License-Identifier: Apache-2.0
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ensureFrom } from './ensure-part.ts';
import type { NpmRecipe } from './recipe.ts';
import { Scene } from './testing/scene.ts';

let scene: Scene;
let server: Server;
let registry: string;
let archive: Buffer;
let integrity: string;

beforeEach(async () => {
  scene = await Scene.create();
  archive = await packTiny();
  integrity = `sha512-${createHash('sha512').update(archive).digest('base64')}`;
  server = createServer((request, response) => {
    if (request.url === '/tiny') response.end(JSON.stringify(packument()));
    else if (request.url?.endsWith('.tgz')) response.end(archive);
    else response.writeHead(404).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  registry = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await scene.remove();
});

/** A package with one program, and an install script that must not run. */
async function packTiny(): Promise<Buffer> {
  const folder = join(scene.directory, 'package');
  await mkdir(folder);
  const manifest = {
    name: 'tiny',
    version: '1.0.0',
    bin: { tiny: 'tiny.js' },
    scripts: { install: `touch ${join(scene.directory, 'script-ran')}` },
  };
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
  await writeFile(join(folder, 'tiny.js'), "#!/usr/bin/env node\nconsole.log('tiny 1.0.0');\n");
  const file = join(scene.directory, 'tiny.tgz');
  execFileSync('tar', ['-czf', file, '-C', scene.directory, 'package']);
  return readFile(file);
}

function packument(): object {
  const dist = { tarball: `${registry}/tiny/-/tiny-1.0.0.tgz`, integrity };
  const version = { name: 'tiny', version: '1.0.0', bin: { tiny: 'tiny.js' }, hasInstallScript: true, dist };
  return {
    name: 'tiny',
    'dist-tags': { latest: '1.0.0' },
    versions: { '1.0.0': version },
    time: { '1.0.0': '2026-01-01T00:00:00.000Z' },
  };
}

function recipe(changes: Partial<NpmRecipe> = {}): NpmRecipe {
  return {
    kind: 'npm',
    version: '1.0.0',
    bytesNeeded: 1000,
    package: 'tiny',
    integrity,
    before: '2026-02-01',
    programs: [{ name: 'tiny', verify: { args: [], prints: 'tiny 1.0.0' } }],
    ...changes,
  };
}

function environment(at = registry): NodeJS.ProcessEnv {
  return scene.environment({
    PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
    npm_config_registry: at,
    npm_config_cache: join(scene.directory, 'npm-cache'),
    npm_config_fetch_retries: '0',
  });
}

test('an npm package is installed into its own folder, without its scripts', async () => {
  const part = await ensureFrom({ tiny: recipe() }, 'tiny', { environment: environment() });
  expect(execFileSync(part.programs['tiny'] ?? '', { encoding: 'utf8' })).toBe('tiny 1.0.0\n');
  await expect(access(join(scene.directory, 'script-ran'))).rejects.toThrow('ENOENT');
  expect(await scene.contents()).toHaveLength(1);
});

test('with another checksum it is refused, and nothing of it is kept', async () => {
  const expected = `sha512-${'A'.repeat(86)}==`;
  const work = ensureFrom({ tiny: recipe({ integrity: expected }) }, 'tiny', { environment: environment() });
  await expect(work).rejects.toMatchObject({
    code: 'ChecksumMismatch',
    message: expect.stringContaining(`has the checksum ${integrity} instead of ${expected}`),
  });
  expect(await scene.contents()).toEqual([]);
});

test('one that is newer than its day is not taken', async () => {
  const work = ensureFrom({ tiny: recipe({ before: '2025-12-31' }) }, 'tiny', { environment: environment() });
  await expect(work).rejects.toMatchObject({ code: 'DownloadFailed' });
  expect(await scene.contents()).toEqual([]);
});

test('a registry that nobody answers at ends with one sentence and leaves nothing', async () => {
  const work = ensureFrom({ tiny: recipe() }, 'tiny', { environment: environment('http://127.0.0.1:1') });
  await expect(work).rejects.toMatchObject({
    code: 'DownloadFailed',
    message: expect.stringMatching(
      /^tiny: installing tiny failed: .*ECONNREFUSED.*; check the network, or the registry that `npm config get registry` shows, then run the command again$/,
    ),
  });
  expect(await scene.contents()).toEqual([]);
});

test('a machine without npm is told so', async () => {
  const work = ensureFrom({ tiny: recipe() }, 'tiny', { environment: scene.environment({ PATH: scene.directory }) });
  await expect(work).rejects.toMatchObject({ code: 'MissingPrerequisite' });
});
