// SPDX-License-Identifier: Apache-2.0
/** A whole release, made twice and used as its users do, but for a real Kubernetes: that is `npm run release -- --verify`. */
import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTree } from '../check/tree.ts';
import { repositoryRoot as root } from '../repository-root.ts';
import { makeRelease } from './make-release.ts';
import { verifyRelease } from './verify/verify-release.ts';

let folder: string;
const at = (...path: readonly string[]) => join(folder, ...path);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'release-'));
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  writeFileSync(at('key'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
  writeFileSync(at('key.pub'), publicKey.export({ type: 'spki', format: 'pem' }));
  await makeRelease({ root, out: at('one'), keyFile: at('key'), allowUnreleased: true, say: () => undefined });
  const clone = at('a clone at another path');
  execFileSync('git', ['clone', '--quiet', root, clone]);
  // Of this tree as it is, also if it is not committed.
  for (const file of openTree(root).files) cpSync(join(root, file), join(clone, file));
  execFileSync('cp', ['-a', join(root, 'node_modules'), join(clone, 'node_modules')]);
  const command = ['tools/run.mjs', 'release', '--dry-run', '--key', at('key'), '--out', at('two')];
  execFileSync(process.execPath, command, { cwd: clone, stdio: 'ignore' });
}, 1_800_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a clone at another path gives the same bytes, signatures included', () => {
  for (const name of ['SHA256SUMS', 'SHA256SUMS.sig', 'provenance.intoto.json'])
    expect(readFileSync(at('two', name), 'utf8')).toBe(readFileSync(at('one', name), 'utf8'));
});

test('plugin, image and packages run from the folder alone, on every Node', { timeout: 1_800_000 }, async () => {
  const said: string[] = [];
  const options = { root, out: at('one'), keyFile: at('key.pub'), onCluster: false };
  await verifyRelease({ ...options, say: (line) => said.push(line) });
  expect(said.filter((line) => line.startsWith('packages: '))).toHaveLength(7);
  expect(said).toContainEqual(expect.stringContaining('linux-arm64.tar.gz runs'));
  expect(said).toContainEqual(expect.stringMatching(/^image: .* for arm64, its 5 programs run on its own Node/));
});
