// SPDX-License-Identifier: Apache-2.0
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ensureFrom } from '../ensure-part.ts';
import { Scene } from '../testing/scene.ts';
import type { NpmRecipe } from './recipe.ts';

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
  };
}

/** A recipe with a lockfile that expects this archive. */
async function recipe(expected = integrity): Promise<NpmRecipe> {
  const entry = { version: '1.0.0', integrity: expected, bin: { tiny: 'tiny.js' }, hasInstallScript: true };
  const text = JSON.stringify({
    name: 'tiny-part',
    lockfileVersion: 3,
    requires: true,
    packages: { '': { name: 'tiny-part', dependencies: { tiny: '1.0.0' } }, 'node_modules/tiny': entry },
  });
  const path = join(scene.directory, 'package-lock.json');
  await writeFile(path, text);
  return {
    kind: 'npm',
    version: '1.0.0',
    bytesNeeded: 1000,
    package: 'tiny',
    lockfile: { path: pathToFileURL(path).href, sha256: createHash('sha256').update(text).digest('hex') },
    programs: [{ name: 'tiny', verify: { args: [], prints: 'tiny 1.0.0' } }],
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
  const part = await ensureFrom({ tiny: await recipe() }, 'tiny', { environment: environment() });
  expect(execFileSync(part.programs['tiny'] ?? '', { encoding: 'utf8' })).toBe('tiny 1.0.0\n');
  await expect(access(join(scene.directory, 'script-ran'))).rejects.toThrow('ENOENT');
  expect(await scene.contents()).toHaveLength(1);
});

test('with another checksum than its lockfile says it is refused, and nothing of it is kept', async () => {
  const expected = `sha512-${'A'.repeat(86)}==`;
  const work = ensureFrom({ tiny: await recipe(expected) }, 'tiny', { environment: environment() });
  await expect(work).rejects.toMatchObject({ code: 'ChecksumMismatch' });
  expect(await scene.contents()).toEqual([]);
});

test('a lockfile that the recipe does not know is refused', async () => {
  const lockfile = { ...(await recipe()).lockfile, sha256: '0'.repeat(64) };
  const work = ensureFrom({ tiny: { ...(await recipe()), lockfile } }, 'tiny', { environment: environment() });
  await expect(work).rejects.toMatchObject({ code: 'ChecksumMismatch', message: expect.stringContaining('0000') });
  expect(await scene.contents()).toEqual([]);
});

test('a registry that does not answer ends with one sentence and leaves nothing', async () => {
  const work = ensureFrom({ tiny: await recipe() }, 'tiny', { environment: environment('http://127.0.0.1:1') });
  await expect(work).rejects.toMatchObject({
    code: 'DownloadFailed',
    message: expect.stringMatching(
      /^tiny: installing tiny failed: .*ECONNREFUSED.*; check the network, or the registry that `npm config get registry` shows, then run the command again$/,
    ),
  });
  expect(await scene.contents()).toEqual([]);
});

test('on a machine without npm the error says so', async () => {
  const work = ensureFrom({ tiny: await recipe() }, 'tiny', {
    environment: scene.environment({ PATH: scene.directory }),
  });
  await expect(work).rejects.toMatchObject({ code: 'MissingPrerequisite' });
});
