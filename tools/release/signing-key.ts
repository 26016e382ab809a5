// SPDX-License-Identifier: Apache-2.0
import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';

/** A private key in PEM that can sign a release. Rejects with what is wrong with the file: read it before anything is built. */
export async function privateKeyIn(file: string): Promise<KeyObject> {
  return keyIn(file, 'private', createPrivateKey);
}

/** A public key in PEM that can verify a release. */
export async function publicKeyIn(file: string): Promise<KeyObject> {
  return keyIn(file, 'public', createPublicKey);
}

async function keyIn(file: string, kind: 'private' | 'public', parse: (text: string) => KeyObject): Promise<KeyObject> {
  const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    const why = cause.code === 'ENOENT' ? 'there is no such file' : cause.message;
    throw new Error(`the key ${file} cannot be read: ${why}`, { cause });
  });
  const wanted = `${kind} key in PEM, Ed25519 or ECDSA on P-256`;
  const key = (() => {
    try {
      return parse(text);
    } catch (cause) {
      throw new Error(`${file} is not a ${wanted}`, { cause });
    }
  })();
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key;
  if (type === 'ed25519' || (type === 'ec' && details?.namedCurve === 'prime256v1')) return key;
  throw new Error(`${file} is not a ${wanted}: it is ${details?.namedCurve ?? type}`);
}
