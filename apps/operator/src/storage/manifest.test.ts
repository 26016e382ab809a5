// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Manifest, manifestLimit, manifestPath, parseManifest, renderManifest } from './manifest.ts';

const manifest: Manifest = {
  etcdVersion: '3.6.16',
  revision: 42,
  bytes: 20_512,
  sha256: 'ab'.repeat(32),
  clusterId: 'cdf818194e3a8c32',
  time: '2026-11-15T12:00:00Z',
  storageVersion: '3.6.0',
  cluster: { name: 'example', size: 3, version: '3.6.16', storage: '1Gi' },
  backup: { namespace: 'default', name: 'nightly', uid: '0d1e8c5f-7a11-4b8e-9a35-1d6f5a7d2b1c' },
};

const parsed = (value: unknown) => parseManifest(Buffer.from(JSON.stringify(value)));
const rendered = JSON.parse(Buffer.from(renderManifest(manifest)).toString());

describe('the manifest beside a backup', () => {
  test('lies beside the object and cannot be taken for one', () => {
    expect(manifestPath('prod/etcd.backup_v12_2019-12-15-15:57:59')).toBe(
      'prod/etcd.backup_v12_2019-12-15-15:57:59.manifest.json',
    );
  });

  test('is read as it was written', () => {
    expect(parseManifest(renderManifest(manifest))).toEqual(manifest);
  });

  test('may lack what is not known of every backup', () => {
    const { cluster: _cluster, backup: _backup, storageVersion: _version, ...least } = manifest;
    expect(parseManifest(renderManifest(least))).toEqual(least);
  });

  test.each([
    ['another format', { ...rendered, format: 'etcd-backup/v9' }],
    ['no revision', { ...rendered, revision: undefined }],
    ['a negative length', { ...rendered, bytes: -1 }],
    ['a hash that is none', { ...rendered, sha256: 'x' }],
    ['a version with a line in it', { ...rendered, etcdVersion: '3.6.16\n' }],
    ['a list', [rendered]],
    ['null', null],
  ])('with %s is none', (_, value) => {
    expect(parsed(value)).toBeUndefined();
  });

  test('operator rule 22: what it says beyond size, version and storage of the cluster is dropped', () => {
    const hostile = { ...rendered, cluster: { ...rendered.cluster, image: 'evil', pod: { hostNetwork: true } } };
    expect(parsed(hostile)).toEqual(manifest);
    expect(parsed({ ...rendered, cluster: { ...rendered.cluster, size: 99 } })?.cluster).toBeUndefined();
    expect(parsed({ ...rendered, cluster: { ...rendered.cluster, storage: '1Gi; rm' } })?.cluster?.storage).toBe(
      undefined,
    );
  });

  test('that is longer than any manifest is none', () => {
    expect(parseManifest(Buffer.alloc(manifestLimit + 1, ' '))).toBeUndefined();
  });

  test('whatever lies there, reading it does not fail', () => {
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array(), fc.json().map(Buffer.from)), (bytes) => {
        const value = parseManifest(bytes);
        expect(value === undefined || typeof value.sha256 === 'string').toBe(true);
      }),
    );
    fc.assert(
      fc.property(
        fc
          .record({ format: fc.constant(rendered.format), cluster: fc.anything(), backup: fc.anything() })
          .map((odd) => ({ ...rendered, ...odd })),
        (value) => {
          expect(() =>
            parseManifest(Buffer.from(JSON.stringify(value, (_, v) => (typeof v === 'bigint' ? 1 : v)))),
          ).not.toThrow();
        },
      ),
    );
  });
});
