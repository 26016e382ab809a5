// SPDX-License-Identifier: Apache-2.0
import { systemRandom } from '@operator-parts/ports';
import { describe, expect, test, vi } from 'vitest';
import { encryptBody, newFileCipher } from '../../../storage/encryption/encrypt-body.ts';
import type { KeyProvider } from '../../../storage/encryption/key-provider.ts';
import { withMac } from '../../../storage/encryption/manifest-mac.ts';
import { secretKeys } from '../../../storage/encryption/secret-keys.ts';
import { type Manifest, manifestPath } from '../../../storage/manifest.ts';
import { MemoryStore, madeBy, manifestFor } from '../../../storage/testing/memory-store.ts';
import { PlacesInUse, refuseNameInUse, refuseOtherKey, refusePathInUse } from './path-in-use.ts';

const { signal } = new AbortController();
const place = { key: 'only', path: 'bucket/only', uid: 'uid-mine' };
const refusal = (store: MemoryStore) =>
  refusePathInUse(store, place, signal).then(
    () => undefined,
    (error: Error) => error.message,
  );

function withBackupOf(name: string): MemoryStore {
  const store = new MemoryStore();
  store.seedBackup('only', 'data', { backup: madeBy(name) });
  return store;
}

describe('a single backup', () => {
  test('may go where nothing is, where something without a manifest is, and where its own is', async () => {
    const bare = new MemoryStore();
    bare.seed('only', 'of somebody');
    const results = await Promise.all([new MemoryStore(), bare, withBackupOf('mine')].map(refusal));
    expect(results).toEqual([undefined, undefined, undefined]);
  });

  test('is refused where another EtcdBackup has made one', async () => {
    expect(await refusal(withBackupOf('theirs'))).toMatch(
      /^path bucket\/only holds the backup that EtcdBackup ns\/theirs/,
    );
  });

  test('is refused where another one may be, whose manifest may not be read', async () => {
    const store = withBackupOf('theirs');
    store.refuse = (call) => (call === 'get' ? 'Denied' : undefined);
    const message =
      'path bucket/only may hold a backup, but the backup store denies reading the manifest of that backup. ' +
      'Allow the credentials to read and list objects at this path, or choose another path.';
    await expect(refusePathInUse(store, place, signal)).rejects.toMatchObject({
      fault: { kind: 'lasting', reason: 'PathOccupied', message },
    });
  });

  test('is refused where neither may be asked, also if nothing is there: the credentials may be wrong', async () => {
    const store = new MemoryStore();
    store.refuse = () => 'Denied';
    await expect(refusePathInUse(store, place, signal)).rejects.toMatchObject({
      fault: { kind: 'lasting', reason: 'AccessDenied', message: expect.stringContaining('may hold a backup') },
    });
  });

  test('may go where the store calls what is not there denied, as it does to whoever may not list', async () => {
    const store = new MemoryStore();
    store.refuse = (call, key) =>
      (call === 'stat' || call === 'get') && !store.objects.has(key) ? 'Denied' : undefined;
    const put = vi.spyOn(store, 'put');
    expect(await refusal(store)).toBeUndefined();
    expect([...store.objects.keys()]).toEqual([]);
    // A lock would prevent the deletion of the test object.
    expect(put.mock.calls.map(([, , options]) => options?.isUnlocked)).toEqual([true]);
  });

  test('may go where the store says that nothing is, although it lets no manifest be read', async () => {
    const store = new MemoryStore();
    store.refuse = (call) => (call === 'get' ? 'Denied' : undefined);
    expect(await refusal(store)).toBeUndefined();
  });

  test('is refused where bytes that are no manifest lie beside an object, or come so', async () => {
    const store = withBackupOf('theirs');
    store.garble = (key, bytes) => (key === manifestPath('only') ? Buffer.concat([Buffer.from('<'), bytes]) : bytes);
    expect(await refusal(store)).toContain('only.manifest.json is not a valid manifest');
  });

  test('is refused where only a look says that the object is not there, and not where reading says so, too', async () => {
    const store = withBackupOf('theirs');
    store.refuse = (call) => (call === 'stat' ? 'NotFound' : undefined);
    expect(await refusal(store)).toContain('That backup is not overwritten');
    store.objects.delete('only');
    expect(await refusal(store)).toBeUndefined();
  });
});

describe('a single backup that was made before', () => {
  const newKeys = (name: string) => secretKeys(name, Buffer.from(systemRandom.bytes(32)).toString('base64'));

  async function sealed(keys: KeyProvider) {
    const store = new MemoryStore();
    const body = async function* () {
      yield Buffer.from('content');
    };
    const { bytes, sha256 } = await store.put('only', encryptBody(body(), await newFileCipher(keys, signal)));
    const content = { contentBytes: 7, contentSha256: 'ab'.repeat(32) };
    const encryption = { algorithm: 'AES-256-GCM', keyId: keys.keyId, ...content } as const;
    const manifest = await withMac({ ...manifestFor(''), bytes, sha256, encryption }, keys, signal);
    return { store, manifest };
  }

  const refusedFor = (store: MemoryStore, keys: KeyProvider, manifest: Manifest) =>
    refuseOtherKey(store, place, { keys, manifest }, signal).then(
      () => undefined,
      (error: unknown) => error,
    );

  test('counts if its bytes are encrypted with the key of the spec', async () => {
    const keys = newKeys('mine');
    const { store, manifest } = await sealed(keys);
    expect(await refusedFor(store, keys, manifest)).toBeUndefined();
  });

  test('is refused with another key, damaged, and in the clear whatever its manifest says, and stays', async () => {
    const keys = newKeys('mine');
    const plain = withBackupOf('mine');
    const { manifest } = await sealed(keys);
    const { store: others } = await sealed(newKeys('other'));
    const damaged = new MemoryStore();
    damaged.seed('only', 'ETCDENC1');
    const cases = [
      [others, 'encrypted with a key other than the key in secret/mine'],
      [plain, 'not encrypted, although spec.encryption is set'],
      [damaged, 'damaged'],
    ] as const;
    for (const [store, state] of cases) {
      const message = `path bucket/only holds an earlier backup of this EtcdBackup, and that backup is ${state}. Choose another path, or delete the stored backup.`;
      const fault = { kind: 'lasting', reason: 'PathOccupied', message };
      expect(await refusedFor(store, keys, manifest)).toMatchObject({ fault });
      expect(store.keys).toContain('only');
    }
  });

  test('is refused if its manifest was rewritten without the key', async () => {
    const keys = newKeys('mine');
    const { store, manifest } = await sealed(keys);
    const message =
      'path bucket/only holds an earlier backup of this EtcdBackup, and its manifest was not authenticated with the key in secret/mine. Choose another path, or delete the stored backup.';
    expect(await refusedFor(store, keys, { ...manifest, revision: 9 })).toMatchObject({
      fault: { kind: 'lasting', reason: 'PathOccupied', message },
    });
  });

  test('is not called unreadable because the store does not answer', async () => {
    const keys = newKeys('mine');
    const { store, manifest } = await sealed(keys);
    store.refuse = () => 'Unavailable';
    expect(await refusedFor(store, keys, manifest)).toMatchObject({ code: 'Unavailable' });
  });
});

describe('a series', () => {
  const inStore = { server: 'https://s3.example/', location: 's3://b', key: 's', path: 'b/s' };

  test('does not write under a name that another EtcdBackup has just finished', async () => {
    const store = withBackupOf('theirs');
    await expect(refuseNameInUse(store, 'only', 'uid-mine', signal)).rejects.toThrow(
      'EtcdBackup ns/theirs has just stored a backup',
    );
    await refuseNameInUse(store, 'only', 'uid-theirs', signal);
  });

  test('waits while another one is written to its place', () => {
    const places = new PlacesInUse();
    const first = places.take(inStore);
    expect(() => places.take(inStore)).toThrow('another EtcdBackup is writing to b/s');
    first[Symbol.dispose]();
    places.take(inStore);
  });

  test.each([
    ['bucket and path on another server', { server: 'https://other.example/' }],
    ['path in another bucket', { location: 's3://other' }],
    ['bucket and path of another kind of storage', { location: 'gs://b' }],
    ['place by somebody of another namespace whom the backup store has not let in', { namespace: 'theirs' }],
  ])('does not wait for one to the same %s', (_, other) => {
    const places = new PlacesInUse();
    places.take({ ...inStore, ...other });
    expect(places.take(inStore)).toBeDefined();
  });
});
