// SPDX-License-Identifier: Apache-2.0
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ensureFrom } from '../ensure-part.ts';
import { ended, Scene } from '../testing/scene.ts';
import { mirrorRoots } from './apt-mirror.ts';
import { followLinks } from './debian-package.ts';
import type { DebianRecipe } from './recipe.ts';

const path = 'pool/main/t/tiny/tiny_1.0.0-1.deb';

let scene: Scene;

beforeEach(async () => {
  scene = await Scene.create();
});
afterEach(() => scene.remove());

/** A package with one script and a link with an absolute target, like Debian's loader. */
async function buildPackage(): Promise<Buffer> {
  const root = join(scene.directory, 'package');
  await mkdir(join(root, 'DEBIAN'), { recursive: true });
  await mkdir(join(root, 'usr/bin'), { recursive: true });
  const control = 'Package: tiny\nVersion: 1.0.0-1\nArchitecture: all\nMaintainer: nobody\nDescription: tiny\n';
  await writeFile(join(root, 'DEBIAN/control'), control);
  await writeFile(join(root, 'usr/bin/tiny-real'), '#!/bin/sh\necho tiny 1.0.0\n');
  await chmod(join(root, 'usr/bin/tiny-real'), 0o755);
  await symlink('/usr/bin/tiny-real', join(root, 'usr/bin/tiny'));
  const file = join(scene.directory, 'tiny.deb');
  execFileSync('dpkg-deb', ['--root-owner-group', '-b', root, file], { stdio: 'ignore' });
  return readFile(file);
}

/** The environment of a machine whose apt uses only these archives. */
async function aptWith(...roots: string[]): Promise<NodeJS.ProcessEnv> {
  const sources = join(scene.directory, 'sources.list');
  await writeFile(sources, roots.map((root) => `deb [trusted=yes] ${root} bookworm main\n`).join(''));
  const settings = { 'Dir::Etc::sourcelist': sources, 'Dir::Etc::sourceparts': '/dev/null', 'Acquire::Retries': '0' };
  const file = join(scene.directory, 'apt.conf');
  await writeFile(
    file,
    Object.entries(settings)
      .map(([key, value]) => `${key} "${value}";\n`)
      .join(''),
  );
  return { APT_CONFIG: file };
}

function recipe(sha256: string): DebianRecipe {
  const packages = [{ path, sha256 }];
  return {
    kind: 'debian',
    version: '1.0.0',
    bytesNeeded: 1000,
    packages: { amd64: packages, arm64: packages },
    programs: [{ name: 'tiny', path: '/usr/bin/tiny', verify: { args: [], prints: 'tiny 1.0.0' } }],
  };
}

describe('a Debian package', () => {
  let server: Server;
  let mirror: string;
  let content: Buffer;

  beforeEach(async () => {
    content = await buildPackage();
    server = createServer((request, response) => {
      if (request.url === `/debian/${path}`) response.end(content);
      else response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    mirror = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  test('is fetched from the first of the configured archives that has it, and unpacked', async () => {
    const environment = scene.environment(await aptWith(`${mirror}/other`, `${mirror}/debian`));
    const sum = createHash('sha256').update(content).digest('hex');
    const part = await ensureFrom({ tiny: recipe(sum) }, 'tiny', { environment });
    expect(execFileSync(part.programs['tiny'] ?? '', { encoding: 'utf8' })).toBe('tiny 1.0.0\n');
    expect(await scene.contents()).toHaveLength(1);
  });

  test('with another checksum is refused, and nothing of it is kept', async () => {
    const environment = scene.environment(await aptWith(`${mirror}/debian`, `${mirror}/other`));
    const work = ensureFrom({ tiny: recipe('0'.repeat(64)) }, 'tiny', { environment });
    await expect(work).rejects.toMatchObject({
      code: 'ChecksumMismatch',
      message: expect.stringContaining(`${mirror}/debian/${path} has the SHA-256 `),
    });
    expect(await scene.contents()).toEqual([]);
  });

  test('that no archive has ends with one sentence that names it', async () => {
    const environment = scene.environment(await aptWith(`${mirror}/other`));
    const work = ensureFrom({ tiny: recipe('0'.repeat(64)) }, 'tiny', { environment });
    await expect(work).rejects.toMatchObject({ code: 'DownloadFailed', message: expect.stringContaining('404') });
    expect(await scene.contents()).toEqual([]);
  });
});

test('an archive that does not answer ends with one sentence and leaves nothing', async () => {
  const table = { tiny: recipe('0'.repeat(64)) };
  const end = await ended(await scene.start(table, ['tiny'], await aptWith('http://127.0.0.1:1/debian')));
  expect(end).toMatchObject({ status: 1, stdout: '' });
  expect(end.stderr).toMatch(
    /^tiny \(1\.0\.0\): unpacking \.\.\.\netcd-operator: tiny: downloading pool\S+ failed: .*Connection refused.*; check the network, or the mirrors and proxies that apt is set up to use, then run the command again\n$/,
  );
  expect(await scene.contents()).toEqual([]);
});

test('an apt without archives is named as what is missing', async () => {
  const environment = scene.environment(await aptWith());
  await expect(ensureFrom({ tiny: recipe('') }, 'tiny', { environment })).rejects.toMatchObject({
    code: 'MissingPrerequisite',
  });
});

test('on a machine without apt the error says so', async () => {
  const environment = scene.environment({ PATH: scene.directory });
  await expect(ensureFrom({ tiny: recipe('') }, 'tiny', { environment })).rejects.toMatchObject({
    code: 'MissingPrerequisite',
    message: expect.stringContaining('apt-get was not found on PATH'),
  });
});

test('the roots of archives are read from what apt prints, each once', () => {
  const output = `'http://a.test/debian/dists/bookworm/InRelease' a.test_debian_dists_bookworm_InRelease 0 
'http://a.test/debian/dists/bookworm-updates/InRelease' x 0 
'https://b.test/dists/nodistro/InRelease' y 0 
'http://a.test/debian/dists/bookworm/main/binary-amd64/Packages.xz' z 0 
`;
  expect(mirrorRoots(output)).toEqual(['http://a.test/debian', 'https://b.test']);
});

describe('links inside unpacked packages', () => {
  test('are followed inside them, not on this machine', async () => {
    const root = join(scene.directory, 'root');
    await mkdir(join(root, 'usr/lib'), { recursive: true });
    await symlink('usr/lib', join(root, 'lib'));
    await writeFile(join(root, 'usr/lib/libc-2.31.so'), '');
    await symlink('libc-2.31.so', join(root, 'usr/lib/libc.so.6'));
    await symlink('/lib/libc.so.6', join(root, 'usr/lib/libc.so'));
    await symlink('../../../../../../etc/passwd', join(root, 'usr/lib/escape'));
    expect(await followLinks(root, '/lib/libc.so')).toBe('/usr/lib/libc-2.31.so');
    expect(await followLinks(root, '/lib/escape')).toBe('/etc/passwd');
  });

  test('without end are refused', async () => {
    await symlink('b', join(scene.directory, 'a'));
    await symlink('a', join(scene.directory, 'b'));
    await expect(followLinks(scene.directory, '/a')).rejects.toThrow('a chain of links without end');
  });
});
