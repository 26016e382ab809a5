// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SnapshotError } from '@operator-parts/etcd';
import { seededRandom } from '@operator-parts/ports';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { renderManifest } from '../../storage/manifest.ts';
import { openStore } from '../../storage/open-store.ts';
import { databaseFile } from '../testing/database-file.ts';
import { verifySource } from './verify-source.ts';

let root = '';
let sound: Buffer;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'verify-source-'));
  await mkdir(join(root, 'default'));
  sound = await databaseFile();
});
afterAll(() => rm(root, { recursive: true, force: true }));

const signal = AbortSignal.timeout(180_000);

async function verify(path: string, acceptWithoutHash = false) {
  const request = {
    type: 'Directory',
    sources: { directory: { path } },
    namespace: 'default',
    readSecret: async () => undefined,
  };
  const opened = await openStore(request, { directory: root });
  try {
    return await verifySource(
      { ...opened, keys: undefined },
      { acceptWithoutHash },
      { signal, onProgress: () => undefined },
    );
  } finally {
    opened.store.close();
  }
}

const put = (path: string, bytes: Uint8Array) => writeFile(join(root, 'default', path), bytes);

const manifestOf = (bytes: Uint8Array, sha256 = createHash('sha256').update(bytes).digest('hex')) =>
  renderManifest({
    etcdVersion: '3.6.16',
    revision: 7,
    bytes: bytes.byteLength,
    sha256,
    clusterId: 'abc',
    time: '2026-11-15T12:00:00Z',
    cluster: { name: 'example', size: 3, version: '3.6.16' },
  });

describe('a source that is sound', () => {
  test('operator rule 21: without a manifest is proven by the hash at its end', async () => {
    await put('plain.db', sound);
    expect(await verify('plain.db')).toMatchObject({
      verified: 'Embedded',
      bytes: sound.byteLength,
      cluster: undefined,
    });
  });

  test('operator rule 21: with a manifest that fits is proven by that, and says whose it is', async () => {
    await put('ours.db', sound);
    await put('ours.db.manifest.json', manifestOf(sound));
    expect(await verify('ours.db')).toMatchObject({ verified: 'Manifest', cluster: { name: 'example', size: 3 } });
  });

  test('operator rule 21: with a manifest of other bytes falls back to the hash, and the manifest says nothing', async () => {
    await put('stale.db', sound);
    await put('stale.db.manifest.json', manifestOf(sound, 'a'.repeat(64)));
    expect(await verify('stale.db')).toMatchObject({ verified: 'Embedded', cluster: undefined });
  });

  test('operator rule 21: a database without a hash is refused unless that is asked for', async () => {
    await put('bare.db', sound.subarray(0, sound.byteLength - 32));
    await expect(verify('bare.db')).rejects.toMatchObject({ code: 'NoHash' });
    expect(await verify('bare.db', true)).toMatchObject({ verified: 'Nothing' });
  });
});

describe('[92] fault 49: of 100 broken sources', () => {
  const random = seededRandom(8);
  const at = () => Math.floor(random.next() * sound.byteLength);
  const flipped = () => {
    const copy = Buffer.from(sound);
    const place = at();
    copy[place] = (copy[place] ?? 0) ^ (1 << Math.floor(random.next() * 8));
    return copy;
  };
  const kinds: readonly (readonly [string, number, () => Uint8Array])[] = [
    ['one bit flipped', 50, flipped],
    ['cut off', 25, () => sound.subarray(0, at())],
    ['hash of something else', 10, () => Buffer.concat([sound.subarray(0, -32), random.bytes(32)])],
    ['bytes added', 5, () => Buffer.concat([sound, random.bytes(1 + Math.floor(random.next() * 600))])],
    ['empty', 1, () => Buffer.alloc(0)],
    ['another kind of file', 5, () => Buffer.concat([Buffer.from('PK\x03\x04'), random.bytes(9_000)])],
    ['a hash of rubbish that fits', 4, () => signed(Buffer.from(random.bytes(8192)))],
  ];

  function signed(body: Buffer): Buffer {
    return Buffer.concat([body, createHash('sha256').update(body).digest()]);
  }

  test.each(kinds)('every one that is %s (%i) is refused', async (kind, count, make) => {
    for (let index = 0; index < count; index++) {
      const path = `broken-${kind.replaceAll(' ', '-')}-${index}.db`;
      const bytes = make();
      await put(path, bytes);
      // Half of them have a manifest that was written for the valid file.
      if (index % 2 === 0) await put(`${path}.manifest.json`, manifestOf(sound));
      const refusal = await verify(path).then(
        () => undefined,
        (error: unknown) => error,
      );
      expect(refusal).toBeInstanceOf(SnapshotError);
    }
    expect(await readFile(join(root, 'default', 'plain.db'))).toEqual(sound);
  });

  test('one that is not there is refused', async () => {
    await expect(verify('nothing.db')).rejects.toMatchObject({ code: 'NotFound' });
  });
});
