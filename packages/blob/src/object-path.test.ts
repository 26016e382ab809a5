// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseObjectPath } from './object-path.ts';

test.each([
  ['bucket/key', { bucket: 'bucket', key: 'key' }],
  ['bucket/a/b/c', { bucket: 'bucket', key: 'a/b/c' }],
  ['b/etcd.backup_v12_2019-12-15-15:57:59', { bucket: 'b', key: 'etcd.backup_v12_2019-12-15-15:57:59' }],
])('%s is split at the first slash', (path, expected) => {
  expect(parseObjectPath(path)).toEqual(expected);
});

test.each(['', '/', 'bucket', 'bucket/', '/key'])('%j is refused with the words of CoreOS etcd-operator', (path) => {
  expect(() => parseObjectPath(path)).toThrow(`Invalid S3 path (${path})`);
});

test('nothing is lost between the two parts', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), (bucket, key) => {
      fc.pre(!bucket.includes('/'));
      expect(parseObjectPath(`${bucket}/${key}`)).toEqual({ bucket, key });
    }),
  );
});
