// SPDX-License-Identifier: Apache-2.0
import { systemRandom } from '@operator-parts/ports';
import { describe, expect, test } from 'vitest';
import { MemoryStore } from '../testing/memory-store.ts';
import { openBackup } from './backup-reader.ts';
import { encryptBody, newFileCipher } from './encrypt-body.ts';
import { secretKeys } from './secret-keys.ts';

const { signal } = new AbortController();
const newKeys = () => secretKeys('k', Buffer.from(systemRandom.bytes(32)).toString('base64'));

async function store(content: string, keys = newKeys()) {
  const memory = new MemoryStore();
  const body = async function* () {
    yield Buffer.from(content);
  };
  await memory.put('sealed', encryptBody(body(), await newFileCipher(keys, signal)));
  memory.seed('plain', content);
  memory.seed('empty', '');
  return { memory, keys };
}

describe('a stored backup', () => {
  test('that is encrypted is read as it was taken, beside others that are read as they are', async () => {
    const { memory, keys } = await store('content');
    const reader = await openBackup(memory, { key: 'sealed', keys }, signal);
    const texts = await Promise.all(
      ['sealed', 'plain'].map(async (key) => {
        let text = '';
        for await (const piece of reader.get(key)) text += Buffer.from(piece).toString();
        return [text, (await reader.stat(key)).bytes];
      }),
    );
    expect(texts).toEqual([
      ['content', 7],
      ['content', 7],
    ]);
    expect((await reader.stat('sealed')).etag).toBe((await memory.stat('sealed')).etag);
  });

  test('that is encrypted gets no presigned URL', async () => {
    const { memory, keys } = await store('content');
    const presigned = { url: 'http://store/sealed', headers: {} };
    const presigning = Object.assign(memory, { presign: async () => presigned });
    const reader = await openBackup(presigning, { key: 'sealed', keys }, signal);
    expect(await reader.presign('sealed', { expiresIn: 1 })).toBeUndefined();
    expect(await reader.presign('plain', { expiresIn: 1 })).toBe(presigned);
  });

  test.each(['plain', 'empty'])('that is %s is refused where encryption is demanded', async (key) => {
    const { memory, keys } = await store('content');
    const opening = openBackup(memory, { key, keys }, signal);
    await expect(opening).rejects.toMatchObject({ code: 'NotEncrypted' });
    await expect(opening).rejects.toThrow('is not encrypted, but spec.encryption is set');
    expect(await openBackup(memory, { key, keys: undefined }, signal)).toBe(memory);
  });

  test('that is encrypted is refused without a key, and with another one', async () => {
    const { memory } = await store('content');
    const without = openBackup(memory, { key: 'sealed', keys: undefined }, signal);
    await expect(without).rejects.toThrow('Set spec.encryption.secret to the Secret with the key of this backup');
    const other = openBackup(memory, { key: 'sealed', keys: newKeys() }, signal);
    await expect(other).rejects.toMatchObject({ code: 'WrongKey' });
  });

  test('that was replaced after it was opened is not taken for it', async () => {
    const { memory, keys } = await store('content');
    const reader = await openBackup(memory, { key: 'sealed', keys }, signal);
    const { memory: others } = await store('another', keys);
    memory.seed('sealed', others.objects.get('sealed')?.bytes ?? '');
    const reading = async () => {
      for await (const _piece of reader.get('sealed')) expect.fail('something came');
    };
    await expect(reading()).rejects.toMatchObject({ code: 'Damaged' });
  });
});
