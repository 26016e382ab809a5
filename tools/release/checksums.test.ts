// SPDX-License-Identifier: Apache-2.0
import { generateKeyPairSync } from 'node:crypto';
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { repositoryRoot } from '../repository-root.ts';
import { sealRelease, verifySums } from './checksums.ts';
import { releaseOf } from './release.ts';
import { privateKeyIn, publicKeyIn } from './signing-key.ts';

let folder: string;
let out: string;
const key = (name: string) => join(folder, name);

function writeKeys(name: string, type: 'ed25519' | 'ec'): void {
  const options = { namedCurve: 'P-256' };
  const { publicKey, privateKey } = type === 'ec' ? generateKeyPairSync('ec', options) : generateKeyPairSync('ed25519');
  writeFileSync(key(`${name}.key`), privateKey.export({ type: 'pkcs8', format: 'pem' }));
  writeFileSync(key(`${name}.pub`), publicKey.export({ type: 'spki', format: 'pem' }));
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sums-'));
  out = join(folder, 'out');
  mkdirSync(out);
  writeFileSync(join(out, 'a.txt'), 'a');
  writeFileSync(join(out, 'b.txt'), 'b');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test.each(['ed25519', 'ec'] as const)(
  'what is sealed with an %s key is verified with it, and with no other',
  async (type) => {
    writeKeys('ours', type);
    writeKeys('theirs', type);
    await sealRelease(await releaseOf(repositoryRoot, out), await privateKeyIn(key('ours.key')));
    expect(await verifySums(out, await publicKeyIn(key('ours.pub')))).toBe(2);
    await expect(verifySums(out, await publicKeyIn(key('theirs.pub')))).rejects.toThrow('not signed by this key');
  },
);

test('without a key it is not signed, and the provenance names every file and the commit', async () => {
  await sealRelease(await releaseOf(repositoryRoot, out));
  expect(await verifySums(out)).toBe(2);
  const statement = JSON.parse(readFileSync(join(out, 'provenance.intoto.json'), 'utf8')) as {
    readonly subject: readonly { readonly name: string }[];
  };
  expect(statement.subject.map(({ name }) => name)).toEqual(['a.txt', 'b.txt']);
});

test('a changed, a missing and an added file are noticed', async () => {
  await sealRelease(await releaseOf(repositoryRoot, out));
  writeFileSync(join(out, 'c.txt'), 'c');
  await expect(verifySums(out)).rejects.toThrow('c.txt is not the file');
  rmSync(join(out, 'c.txt'));
  appendFileSync(join(out, 'a.txt'), '!');
  await expect(verifySums(out)).rejects.toThrow('a.txt is not the file');
  rmSync(join(out, 'a.txt'));
  await expect(verifySums(out)).rejects.toThrow('a.txt is missing');
});

test('no release, and one that is not signed, are told apart from one that is not whole', async () => {
  await expect(verifySums(out)).rejects.toThrow('holds no release: make one with "npm run release -- --dry-run"');
  await sealRelease(await releaseOf(repositoryRoot, out));
  writeKeys('ours', 'ed25519');
  await expect(verifySums(out, await publicKeyIn(key('ours.pub')))).rejects.toThrow('SHA256SUMS is not signed');
});
