// SPDX-License-Identifier: Apache-2.0
import { systemRandom } from '@operator-parts/ports';
import { describe, expect, test } from 'vitest';
import { dataKeyBytes } from './key-provider.ts';
import { secretKeys, specKeys } from './secret-keys.ts';

const { signal } = new AbortController();
const raw = Buffer.from(systemRandom.bytes(32));
const base64 = raw.toString('base64');

describe('the key in a Secret', () => {
  test('is taken as 32 bytes or as their base64, with an end of line or without', () => {
    const ids = [raw.toString('latin1'), base64, `${base64}\n`].map((text) => secretKeys('k', text).keyId);
    expect(new Set(ids).size).toBe(1);
    expect(ids[0]).toMatch(/^[0-9a-f]{16}$/);
  });

  test.each([
    ['none', undefined],
    ['empty', ''],
    ['short', raw.toString('latin1').slice(1)],
    ['a password of 32 letters', 'correct horse battery staple 123'],
    ['hexadecimal', raw.toString('hex')],
    ['base64 of 16 bytes', raw.subarray(16).toString('base64')],
    ['very long', 'A'.repeat(1_000_000)],
  ])('that is %s is refused, and the message says how to make one', (_, text) => {
    const create = () => secretKeys('backup-key', text);
    expect(create).toThrow('secret backup-key must have 32 random bytes');
    expect(create).toThrow('openssl rand -base64 32');
  });

  test('is not in its ID, and has another one than any other key', () => {
    const { keyId } = secretKeys('k', base64);
    expect(raw.toString('hex')).not.toContain(keyId);
    expect(secretKeys('k', Buffer.from(systemRandom.bytes(32)).toString('base64')).keyId).not.toBe(keyId);
  });

  test('unwraps what it wrapped, whatever the Secret is called', async () => {
    const dataKey = systemRandom.bytes(dataKeyBytes);
    const wrapped = await secretKeys('one', base64).wrap(dataKey, signal);
    expect(Buffer.from(wrapped.wrapped).includes(Buffer.from(dataKey))).toBe(false);
    expect(Buffer.from(await secretKeys('two', base64).unwrap(wrapped, signal)).equals(dataKey)).toBe(true);
  });

  test('does not unwrap what another key wrapped, also under its own ID, and says what to do', async () => {
    const keys = secretKeys('mine', base64);
    const other = secretKeys('other', Buffer.from(systemRandom.bytes(32)).toString('base64'));
    const wrapped = await other.wrap(systemRandom.bytes(dataKeyBytes), signal);
    await expect(keys.unwrap(wrapped, signal)).rejects.toMatchObject({
      code: 'WrongKey',
      message: `the backup is encrypted with the key of ID ${other.keyId}, but the key in secret/mine has ID ${keys.keyId}. Set spec.encryption.secret to the Secret with the key of the backup.`,
    });
    const disguised = { ...wrapped, keyId: keys.keyId };
    await expect(keys.unwrap(disguised, signal)).rejects.toMatchObject({ code: 'WrongKey' });
    await expect(keys.unwrap({ ...disguised, wrapped: Buffer.alloc(5) }, signal)).rejects.toMatchObject({
      code: 'WrongKey',
    });
  });
});

describe('the encryption of a spec', () => {
  test('without a Secret is refused, and not taken for none', async () => {
    await expect(specKeys({ secret: '' }, async () => ({}))).rejects.toMatchObject({ code: 'SourceMissing' });
    await expect(specKeys({ secret: 'k' }, async () => undefined)).rejects.toMatchObject({ code: 'SecretMissing' });
    expect(await specKeys(undefined, async () => ({}))).toBeUndefined();
  });
});
