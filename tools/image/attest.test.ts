// SPDX-License-Identifier: Apache-2.0
import { generateKeyPairSync } from 'node:crypto';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { attest, verifyAttested } from './attest.ts';
import { type Image, program, text } from './image.ts';
import { writeOciArchive } from './oci-archive.ts';

let folder: string;
let archive: string;
let image: Image;
const inFolder = (name: string) => join(folder, name);

function writeKeys(name: string): void {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  writeFileSync(inFolder(`${name}.key`), privateKey.export({ type: 'pkcs8', format: 'pem' }));
  writeFileSync(inFolder(`${name}.pub`), publicKey.export({ type: 'spki', format: 'pem' }));
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'attest-'));
  archive = inFolder('image.oci.tar');
  writeKeys('ours');
  image = {
    names: ['example.test/thing:v1'],
    files: [program('/bin/key', inFolder('ours.pub')), text('/made', 'here')],
    command: ['/bin/key'],
    packages: [{ name: 'undici', version: '7.0.0', licence: 'MIT', integrity: 'sha512-AQI=' }],
  };
  await writeOciArchive(image, archive);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('what was built is verified with the public key, and its bill names packages and files of others', async () => {
  await attest(image, archive, inFolder('ours.key'));
  await expect(verifyAttested(archive, inFolder('ours.pub'))).resolves.toContain('image.oci.tar');
  const { components } = JSON.parse(readFileSync(`${archive}.cdx.json`, 'utf8')) as {
    components: readonly { name: string }[];
  };
  expect(components.map(({ name }) => name)).toEqual(['undici', '/bin/key']);
});

test.each(['image.oci.tar', 'image.oci.tar.cdx.json'])('one byte more in %s is refused', async (name) => {
  await attest(image, archive, inFolder('ours.key'));
  appendFileSync(inFolder(name), ' ');
  await expect(verifyAttested(archive, inFolder('ours.pub'))).rejects.toThrow(`${name} has the digest`);
});

test('a signature with another key is refused, and so is a missing one', async () => {
  writeKeys('theirs');
  await attest(image, archive, inFolder('theirs.key'));
  await expect(verifyAttested(archive, inFolder('ours.pub'))).rejects.toThrow('no signature');
  await attest(image, archive);
  await expect(verifyAttested(archive, inFolder('ours.pub'))).rejects.toThrow('not signed');
});
