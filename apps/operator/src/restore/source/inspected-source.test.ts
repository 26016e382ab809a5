// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { systemRandom } from '@operator-parts/ports';
import { describe, expect, test } from 'vitest';
import { openBackup } from '../../storage/encryption/backup-reader.ts';
import { encryptBody, newFileCipher } from '../../storage/encryption/encrypt-body.ts';
import { withMac } from '../../storage/encryption/manifest-mac.ts';
import { secretKeys } from '../../storage/encryption/secret-keys.ts';
import { type Manifest, manifestPath, renderManifest } from '../../storage/manifest.ts';
import { MemoryStore, manifestFor } from '../../storage/testing/memory-store.ts';
import { Measure } from '../delivery/measure.ts';
import { inspectStored } from './inspected-source.ts';
import { judge } from './judge.ts';

const { signal } = new AbortController();
const keys = secretKeys('k', Buffer.from(systemRandom.bytes(32)).toString('base64'));
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const page = Buffer.alloc(16_384, 3);
const content = Buffer.concat([page, createHash('sha256').update(page).digest()]);
const cluster = { name: 'staging', size: 3, version: '3.6.16', storage: '100Gi' };

/** Stores an encrypted backup of `staging` under another name, and returns the manifest that belongs to it. */
async function stored() {
  const store = new MemoryStore();
  const body = async function* () {
    yield content;
  };
  const { bytes, sha256: sealed } = await store.put(
    'production',
    encryptBody(body(), await newFileCipher(keys, signal)),
  );
  const summary = { contentBytes: content.byteLength, contentSha256: sha256(content) };
  const encryption = { algorithm: 'AES-256-GCM', keyId: keys.keyId, ...summary } as const;
  const honest = await withMac({ ...manifestFor(''), bytes, sha256: sealed, cluster, encryption }, keys, signal);
  return { store, honest, encryption };
}

async function verdictOn(store: MemoryStore, manifest: Manifest) {
  store.seed(manifestPath('production'), renderManifest(manifest));
  const reader = await openBackup(store, { key: 'production', keys }, signal);
  const place = { type: 'S3', path: 'bucket/production', bucket: 'bucket', key: 'production' } as const;
  const inspected = await inspectStored({ store: reader, place, keys }, signal);
  const measure = new Measure();
  for await (const piece of reader.get('production')) measure.update(piece);
  return judge(measure.result(), { manifest: inspected.manifest, acceptWithoutHash: false });
}

describe('the manifest beside an encrypted source', () => {
  test('counts as it was written with the key', async () => {
    const { store, honest } = await stored();
    expect(await verdictOn(store, honest)).toMatchObject({ verified: 'Manifest', cluster, etcdVersion: '3.6.16' });
  });

  test('that was rewritten without the key says nothing: not whose it is, nor which version', async () => {
    const { store, honest, encryption } = await stored();
    const other = { name: 'production', size: 1, version: '3.4.0', storage: '1Gi' };
    const forged = { ...honest, etcdVersion: '3.4.0', cluster: other };
    for (const manifest of [forged, { ...forged, encryption }]) {
      const verdict = await verdictOn(store, manifest);
      expect(verdict).toMatchObject({ verified: 'Embedded', cluster: undefined });
      expect(verdict.etcdVersion).toBeUndefined();
    }
  });
});
