// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type VerifiedSnapshot, verifySnapshot } from './verify-snapshot.ts';

const sealed = (data: Uint8Array) => Buffer.concat([data, createHash('sha256').update(data).digest()]);
const database = sealed(Buffer.alloc(2048, 'etcd'));

async function* pieces(data: Uint8Array, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  let position = 0;
  for (const cut of [...cuts, data.byteLength]) {
    // The network reuses buffers: previously delivered ones are overwritten.
    const piece = Buffer.from(data.subarray(position, position + cut));
    position += cut;
    yield piece;
    piece.fill(0);
  }
}

async function pass(source: AsyncIterable<Uint8Array>) {
  const passed: Buffer[] = [];
  let verified: VerifiedSnapshot | undefined;
  let error: unknown;
  try {
    for await (const piece of verifySnapshot(source, (result) => (verified = result))) passed.push(Buffer.from(piece));
  } catch (reason) {
    error = reason;
  }
  return { data: Buffer.concat(passed), verified, error };
}

describe('operator rule 20: a snapshot is checked while it streams', () => {
  test('a sound one passes unchanged, however it is cut', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(300), { maxLength: 40 }), async (cuts) => {
        const { data, verified, error } = await pass(pieces(database, cuts));
        expect(error).toBeUndefined();
        expect(data.equals(database)).toBe(true);
        expect(verified).toEqual({
          bytes: 2080,
          sha256: database.subarray(2048).toString('hex'),
          wholeSha256: createHash('sha256').update(database).digest('hex'),
        });
      }),
    );
  });

  test('any flipped bit is found, and the last 32 bytes are never let through', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(database.byteLength - 1), fc.nat(7), fc.nat(500), async (offset, bit, cut) => {
        const broken = Buffer.from(database);
        broken[offset] = (broken[offset] ?? 0) ^ (1 << bit);
        const { data, verified, error } = await pass(pieces(broken, [cut]));
        expect(error).toMatchObject({ code: 'HashMismatch' });
        expect(verified).toBeUndefined();
        expect(data.byteLength).toBeLessThanOrEqual(2048);
      }),
    );
  });

  test.each([
    ['nothing', Buffer.alloc(0), 'WrongLength'],
    ['a bare database', database.subarray(0, 2048), 'NoHash'],
    ['a snapshot cut off in the middle', database.subarray(0, 1000), 'WrongLength'],
    ['a snapshot without its last byte', database.subarray(0, 2079), 'WrongLength'],
    ['a snapshot with a byte too many', Buffer.concat([database, Buffer.alloc(1)]), 'WrongLength'],
    ['a hash of nothing', sealed(Buffer.alloc(0)), 'WrongLength'],
    ['a snapshot cut off at a sector and 32 bytes', database.subarray(0, 544), 'HashMismatch'],
  ])('%s is refused', async (_, data, code) => {
    expect((await pass(pieces(data, [100]))).error).toMatchObject({ code });
  });

  test('an error of the source comes through as it is', async () => {
    const failing = async function* () {
      yield database.subarray(0, 100);
      throw new Error('connection lost');
    };
    expect((await pass(failing())).error).toMatchObject({ message: 'connection lost' });
  });
});
