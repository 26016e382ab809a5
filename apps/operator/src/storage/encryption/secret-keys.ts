// SPDX-License-Identifier: Apache-2.0
import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto';
import { type Random, systemRandom } from '@operator-parts/ports';
import type { SpecEncryption } from '../../api/storage-source.ts';
import type { ReadSecret } from '../secret-reader.ts';
import { StorageError } from '../storage-error.ts';
import { EncryptionError } from './encryption-error.ts';
import type { KeyProvider, WrappedKey } from './key-provider.ts';

const entry = 'key';
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

/** The key that a spec names; undefined if the spec asks for no encryption. Throws a `StorageError` if the key does not exist. */
export async function specKeys(
  encryption: SpecEncryption | undefined,
  readSecret: ReadSecret,
): Promise<KeyProvider | undefined> {
  if (!encryption) return undefined;
  const { secret: name } = encryption;
  if (!name) throw new StorageError('SourceMissing', 'spec.encryption.secret is missing');
  // latin1 keeps every byte, because a key need not be text.
  const data = await readSecret(name, 'latin1');
  if (!data) throw new StorageError('SecretMissing', `secret ${name} does not exist`);
  return secretKeys(name, data[entry]);
}

/** The key of 32 bytes, or its base64, from the entry `key` of a Secret. */
export function secretKeys(name: string, text: string | undefined, random: Random = systemRandom): KeyProvider {
  const key = keyOf(text);
  if (!key) {
    const create = `kubectl create secret generic ${name} --from-literal=${entry}="$(openssl rand -base64 32)"`;
    const message = `secret ${name} must have 32 random bytes, or their base64 text, in the entry ${entry}. To create such a Secret: ${create}`;
    throw new StorageError('SecretInvalid', message);
  }
  const wrapping = derive(key, 'wrap data keys');
  const authenticating = derive(key, 'authenticate manifests');
  const keyId = derive(key, 'key ID').subarray(0, 8).toString('hex');
  const source = `secret/${name}`;
  return {
    keyId,
    source,
    wrap: async (dataKey) => {
      const nonce = random.bytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', wrapping, nonce);
      const sealed = [nonce, cipher.update(dataKey), cipher.final(), cipher.getAuthTag()];
      return { keyId, wrapped: Buffer.concat(sealed) };
    },
    unwrap: async (wrapped) => {
      if (wrapped.keyId !== keyId) throw wrongKey(wrapped, `the key in ${source} has ID ${keyId}`);
      const dataKey = unwrapped(wrapping, wrapped.wrapped);
      if (!dataKey) throw wrongKey(wrapped, `the key in ${source}, which has the same ID, cannot decrypt the backup`);
      return dataKey;
    },
    mac: async (manifest) => createHmac('sha256', authenticating).update(manifest).digest(),
  };
}

function wrongKey({ keyId }: WrappedKey, why: string): EncryptionError {
  const next = 'Set spec.encryption.secret to the Secret with the key of the backup.';
  return new EncryptionError('WrongKey', `the backup is encrypted with the key of ID ${keyId}, but ${why}. ${next}`);
}

function unwrapped(wrapping: Uint8Array, bytes: Uint8Array): Uint8Array | undefined {
  if (bytes.byteLength < nonceBytes + tagBytes) return undefined;
  const end = bytes.byteLength - tagBytes;
  const decipher = createDecipheriv('aes-256-gcm', wrapping, bytes.subarray(0, nonceBytes));
  decipher.setAuthTag(bytes.subarray(end));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(nonceBytes, end)), decipher.final()]);
  } catch {
    return undefined;
  }
}

/** Derives a separate key for each purpose, so that the key ID reveals nothing about the key that wraps. */
function derive(key: Uint8Array, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, '', `etcd-operator backups: ${purpose}`, keyBytes));
}

const base64Form = /^[A-Za-z0-9+/]{43}=$/;

/** Rejects 32 printable characters, which are a password and not a key. 32 random bytes are all printable only once in 10^13 times. */
const lettersForm = /^[\x20-\x7e]*$/;

function keyOf(text: string | undefined): Uint8Array | undefined {
  if (text === undefined) return undefined;
  if (text.length === keyBytes) return lettersForm.test(text) ? undefined : Buffer.from(text, 'latin1');
  const trimmed = text.length <= 64 ? text.trim() : '';
  return base64Form.test(trimmed) ? Buffer.from(trimmed, 'base64') : undefined;
}
