// SPDX-License-Identifier: Apache-2.0
import { generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { repositoryRoot as root } from '../repository-root.ts';
import { makeRelease } from './make-release.ts';

let folder: string;
const at = (name: string) => join(folder, name);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'make-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A release of one file; resolves with how often it was made. */
async function make(keyFile: string): Promise<number> {
  let made = 0;
  const kind = {
    name: 'one file',
    make: async ({ out }: { readonly out: string }) => {
      made += 1;
      writeFileSync(join(out, 'file'), 'x');
    },
  };
  const options = { root, out: at('out'), keyFile, allowUnreleased: true, kinds: [kind], say: () => undefined };
  await makeRelease(options).catch((error: unknown) => {
    throw new Error(`${error instanceof Error ? error.message : String(error)} (made: ${made})`, { cause: error });
  });
  return made;
}

test('with a key it is made once and signed', async () => {
  const { privateKey } = generateKeyPairSync('ed25519');
  writeFileSync(at('key'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
  expect(await make(at('key'))).toBe(1);
  expect(readdirSync(at('out'))).toContain('SHA256SUMS.sig');
});

test('a key that cannot sign is named before anything is built, which takes minutes', async () => {
  await expect(make(at('none'))).rejects.toThrow(/the key .*none cannot be read: there is no such file \(made: 0\)/);
  writeFileSync(at('text'), 'not a key');
  await expect(make(at('text'))).rejects.toThrow(
    /text is not a private key in PEM, Ed25519 or ECDSA on P-256 \(made: 0\)/,
  );
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' });
  writeFileSync(at('other'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
  await expect(make(at('other'))).rejects.toThrow(/other is not a private key .*: it is secp384r1 \(made: 0\)/);
  expect(existsSync(at('out.half'))).toBe(false);
});
