// SPDX-License-Identifier: Apache-2.0
import { lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seededRandom } from '@operator-parts/ports';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { BlobStore } from '../blob-store.ts';
import { all, bytesOf, chunked, collect } from '../testing/bodies.ts';
import { openDirectory } from './open-directory.ts';
import { isUploadFor, mayStartWith, parseUploadName, uploadName } from './upload-name.ts';

let base: string;
let root: string;
let outside: string;
let store: BlobStore;

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'blob-paths-'));
  root = join(base, 'root');
  outside = join(base, 'outside');
  await mkdir(root);
  await mkdir(outside);
  await writeFile(join(outside, 'secret'), 'secret');
  store = openDirectory({ root, partBytes: 1024 });
});
afterEach(() => rm(base, { recursive: true }));

const put = (key: string, length = 5_000) => store.put(key, chunked(bytesOf(length)));
const refused = { code: 'InvalidPath', retryable: false };

describe('symbolic links', () => {
  test('of directories are not followed, in no call', async () => {
    await symlink(outside, join(root, 'link'));
    await mkdir(join(root, 'a'));
    await symlink(outside, join(root, 'a', 'b'));
    for (const key of ['link/secret', 'a/b/secret', 'link/new', 'a/b/c/new']) {
      await expect(put(key)).rejects.toMatchObject(refused);
      await expect(put(key, 1)).rejects.toMatchObject(refused);
    }
    for (const key of ['link/secret', 'a/b/secret']) {
      await expect(collect(store.get(key))).rejects.toMatchObject(refused);
      await expect(store.stat(key)).rejects.toMatchObject(refused);
      await expect(store.delete(key)).rejects.toMatchObject(refused);
    }
    expect(await all(store.list(''))).toEqual([]);
    expect(await all(store.list('link/'))).toEqual([]);
    expect(await readdir(outside)).toEqual(['secret']);
    expect(await readFile(join(outside, 'secret'), 'utf8')).toBe('secret');
  });

  test('of files are neither read, nor written through, nor deleted', async () => {
    await symlink(join(outside, 'secret'), join(root, 'file'));
    await expect(collect(store.get('file'))).rejects.toMatchObject(refused);
    await expect(store.stat('file')).rejects.toMatchObject(refused);
    await expect(store.delete('file')).rejects.toMatchObject(refused);
    await expect(put('file')).rejects.toMatchObject(refused);
    expect(await readFile(join(outside, 'secret'), 'utf8')).toBe('secret');
    expect((await lstat(join(root, 'file'))).isSymbolicLink()).toBe(true);
  });

  test('above the root are followed', async () => {
    await symlink(root, join(base, 'volume'));
    const through = openDirectory({ root: join(base, 'volume') });
    await through.put('a/b', chunked(bytesOf(10)));
    expect(await collect(store.get('a/b'))).toEqual(bytesOf(10));
  });
});

describe('what is there already', () => {
  test('a directory is not replaced by an object, nor read as one', async () => {
    await mkdir(join(root, 'taken', 'deep'), { recursive: true });
    await expect(put('taken')).rejects.toMatchObject(refused);
    await expect(store.stat('taken')).rejects.toMatchObject({ code: 'NotFound' });
    await expect(collect(store.get('taken'))).rejects.toMatchObject({ code: 'NotFound' });
    await store.delete('taken');
    expect(await readdir(root)).toEqual(['taken']);
  });

  test('a file is not a directory', async () => {
    await put('file');
    await expect(put('file/below')).rejects.toMatchObject(refused);
    await expect(store.stat('file/below')).rejects.toMatchObject({ code: 'NotFound' });
    await store.delete('file/below');
  });

  test('a name that is too long is refused, and directories made for it are gone', async () => {
    await expect(put(`new/dirs/${'x'.repeat(300)}`)).rejects.toMatchObject(refused);
    expect(await readdir(root)).toEqual([]);
  });

  test('directories made for an object that failed are gone, those that were there stay', async () => {
    await mkdir(join(root, 'there'));
    async function* failing() {
      yield bytesOf(5_000);
      throw new Error('cut');
    }
    await expect(store.put('there/new/er/file', failing())).rejects.toThrow('cut');
    expect(await readdir(root, { recursive: true })).toEqual(['there']);
  });
});

test('others may not read what is stored', async () => {
  await put('dir/file');
  expect((await stat(join(root, 'dir/file'))).mode & 0o007).toBe(0);
  expect((await stat(join(root, 'dir'))).mode & 0o007).toBe(0);
});

describe('uploads that are never finished', () => {
  const random = seededRandom(5);
  const leave = async (directory: string, name: string, age = 0) => {
    await mkdir(join(root, directory), { recursive: true });
    const path = join(root, directory, uploadName(name, random.uuid()));
    await writeFile(path, 'half');
    const time = Date.now() / 1000 - age;
    await utimes(path, time, time);
  };
  const uploads = async () => (await readdir(root, { recursive: true })).filter((name) => name.endsWith('.upload'));

  test('are never seen, and no key may look like one', async () => {
    await leave('a', 'b');
    await put('a/b');
    expect((await all(store.list(''))).map(({ key }) => key)).toEqual(['a/b']);
    const name = uploadName('b', random.uuid());
    await expect(put(`a/${name}`)).rejects.toMatchObject(refused);
    await expect(store.stat(`a/${name}`)).rejects.toMatchObject(refused);
  });

  test('are cleared away by the next put of several parts to the same key, and by no other', async () => {
    await leave('a', 'b');
    await leave('a', 'bc');
    await leave('', 'b');
    await put('a/b');
    expect(await uploads()).toHaveLength(2);
    await put('a/bc');
    await put('b');
    expect(await uploads()).toEqual([]);
  });

  test('of one key are cleared without those of keys that begin alike, which may be under way', async () => {
    await leave('a', 'b');
    await leave('a', 'bc');
    await store.clear('a/b');
    await store.clear('a/nothing');
    expect(await uploads()).toHaveLength(1);
    await store.clear('a/bc');
    expect(await uploads()).toEqual([]);
  });

  test('are swept by age and prefix', async () => {
    await leave('a', 'etcd_v1', 7200);
    await leave('a', 'etcd_v2', 60);
    await leave('a', 'other', 7200);
    await leave('a/etcd_dir', 'x', 7200);
    await leave('b', 'etcd_v1', 7200);
    const hourAgo = Date.now() - 3_600_000;
    expect(await store.sweep('a/', hourAgo, { isOwn: (key) => key === 'a/nothing' })).toBe(0);
    expect(await store.sweep('a/etcd', hourAgo)).toBe(2);
    expect(await uploads()).toHaveLength(3);
    expect(await store.sweep('a/', hourAgo)).toBe(1);
    expect(await store.sweep('', Date.now() + 1_000)).toBe(2);
    expect(await uploads()).toEqual([]);
  });

  test('bear names that every file system takes, and that tell what they are for', () => {
    for (const name of ['a', 'x'.repeat(255), '日'.repeat(85), '.hidden', 'a.upload']) {
      const upload = uploadName(name, random.uuid());
      expect(Buffer.byteLength(upload)).toBeLessThanOrEqual(255);
      const parsed = parseUploadName(upload);
      expect(parsed && isUploadFor(parsed, name) && mayStartWith(parsed, name.slice(0, 3))).toBe(true);
      expect(parsed && isUploadFor(parsed, `${name}x`)).toBe(false);
      expect(parsed && mayStartWith(parsed, `z${name}`)).toBe(false);
    }
    expect(parseUploadName('etcd.upload')).toBeUndefined();
  });
});

describe('lists', () => {
  test('are in the order of the bytes of whole keys, as object stores have it', async () => {
    const keys = ['a/b', 'a.b', 'a-b', 'a', 'ab', 'a0', 'ä', 'z/1', 'z0', 'é', '\u{1f5c4}', '\uffee'].filter(
      (key) => key !== 'a',
    );
    for (const key of keys) await put(key, 1);
    const expected = keys.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    expect((await all(store.list(''))).map(({ key }) => key)).toEqual(expected);
  });

  test('leave out what can be no key', async () => {
    await put('good', 1);
    await writeFile(join(root, 'back\\slash'), '');
    await writeFile(join(root, 'line\nbreak'), '');
    expect((await all(store.list(''))).map(({ key }) => key)).toEqual(['good']);
  });

  test('of a directory that is no directory are empty', async () => {
    await put('file', 1);
    expect(await all(store.list('file/'))).toEqual([]);
    expect(await all(store.list('none/deep/'))).toEqual([]);
  });
});
