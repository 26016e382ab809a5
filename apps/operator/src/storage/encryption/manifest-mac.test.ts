// SPDX-License-Identifier: Apache-2.0
import { systemRandom } from '@operator-parts/ports';
import { describe, expect, test } from 'vitest';
import { type Manifest, parseManifest, renderManifest } from '../manifest.ts';
import { isAuthentic, withMac } from './manifest-mac.ts';
import { secretKeys } from './secret-keys.ts';

const { signal } = new AbortController();
const newKeys = () => secretKeys('k', Buffer.from(systemRandom.bytes(32)).toString('base64'));
const keys = newKeys();
const encryption = {
  algorithm: 'AES-256-GCM',
  keyId: keys.keyId,
  contentBytes: 20_000,
  contentSha256: 'cd'.repeat(32),
} as const;
const manifest: Manifest = {
  backup: { namespace: 'default', name: 'nightly', uid: '0d1e8c5f' },
  cluster: { name: 'staging', size: 3, version: '3.6.16', storage: '1Gi' },
  encryption,
  etcdVersion: '3.6.16',
  revision: 42,
  bytes: 20_512,
  sha256: 'ab'.repeat(32),
  clusterId: 'cdf818194e3a8c32',
  time: '2026-11-15T12:00:00Z',
  storageVersion: '3.6.0',
};

const stored = async () => parseManifest(renderManifest(await withMac(manifest, keys, signal))) ?? expect.fail('none');

describe('the manifest of an encrypted backup', () => {
  test('is authentic as it was written, in whatever order its fields were given', async () => {
    expect(await isAuthentic(await stored(), keys, signal)).toBe(true);
  });

  test('is not authentic after any change, without its proof, or for another key', async () => {
    const honest = await stored();
    const { storageVersion: _version, ...less } = honest;
    const { cluster: _cluster, ...ownerless } = honest;
    const changed: readonly Manifest[] = [
      { ...honest, cluster: { name: 'production', size: 3, version: '3.6.16', storage: '1Gi' } },
      { ...honest, cluster: { name: 'staging', size: 1, version: '3.6.16', storage: '1Gi' } },
      { ...honest, cluster: { name: 'staging', size: 3, version: '3.6.16' } },
      { ...honest, etcdVersion: '3.4.0' },
      { ...honest, revision: 43 },
      { ...honest, bytes: 1 },
      { ...honest, sha256: 'ef'.repeat(32) },
      { ...honest, clusterId: 'ab' },
      { ...honest, time: '2026-11-16T12:00:00Z' },
      { ...honest, backup: { namespace: 'default', name: 'nightly', uid: 'other' } },
      { ...honest, encryption: { ...encryption, mac: honest.encryption?.mac ?? '', contentBytes: 1 } },
      { ...honest, encryption: { ...encryption, mac: '00'.repeat(32) } },
      less,
      ownerless,
      manifest,
    ];
    for (const one of changed) expect([one, await isAuthentic(one, keys, signal)]).toEqual([one, false]);
    expect(await isAuthentic(honest, newKeys(), signal)).toBe(false);
  });

  test('has no proof where nothing is encrypted', async () => {
    const { encryption: _encryption, ...plain } = manifest;
    expect(await withMac(plain, undefined, signal)).toBe(plain);
    expect(await isAuthentic(plain, keys, signal)).toBe(false);
  });
});
