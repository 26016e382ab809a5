// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BlobStore } from '@operator-parts/blob';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { renderManifest } from '../../storage/manifest.ts';
import { type OpenedStorage, openStore } from '../../storage/open-store.ts';
import type { SourceFacts } from '../observation.ts';
import { inspectSource } from '../source/inspect-source.ts';
import type { Source } from '../source/inspected-source.ts';
import { verifySource } from '../source/verify-source.ts';
import { AgentScene } from '../testing/agent-scene.ts';
import { databaseFile } from '../testing/database-file.ts';
import { deliverSource } from './deliver-source.ts';

let root = '';
let sound: Buffer;
let scene: AgentScene;
let opened: OpenedStorage & Pick<Source, 'keys'>;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'deliver-source-'));
  await mkdir(join(root, 'default'));
  sound = await databaseFile();
});
afterAll(() => rm(root, { recursive: true, force: true }));
beforeEach(async () => {
  scene = await AgentScene.open();
});
afterEach(async () => {
  opened.store.close();
  await scene[Symbol.asyncDispose]();
});

const file = (path: string) => join(root, 'default', path);

async function open(path: string, bytes: Uint8Array, manifest?: Uint8Array): Promise<void> {
  await writeFile(file(path), bytes);
  if (manifest) await writeFile(file(`${path}.manifest.json`), manifest);
  const readSecret = async () => undefined;
  const request = { type: 'Directory', sources: { directory: { path } }, namespace: 'default', readSecret };
  opened = { ...(await openStore(request, { directory: root })), keys: undefined };
}

const context = { signal: AbortSignal.timeout(300_000), onProgress: () => undefined };

const inspected = (acceptWithoutHash = false) => inspectSource(opened, { acceptWithoutHash }, context);

async function delivered(source: SourceFacts, acceptWithoutHash = false, store = opened.store): Promise<SourceFacts> {
  const agent = scene.address();
  return deliverSource({ ...opened, store }, { source, agent, kept: undefined, acceptWithoutHash }, context);
}

const manifestOf = (sha256: string) =>
  renderManifest({
    ...{ etcdVersion: '3.6.16', revision: 7, bytes: sound.byteLength, sha256, clusterId: 'abc' },
    ...{ time: '2026-11-15T12:00:00Z', cluster: { name: 'example', size: 3, version: '3.6.16' } },
  });

const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** A store that calls `disturb` once the first bytes of the object have been read. */
function disturbed(store: BlobStore, disturb: () => Promise<void>): BlobStore {
  return Object.assign(Object.create(store) as BlobStore, {
    stat: store.stat.bind(store),
    async *get(...given: Parameters<BlobStore['get']>) {
      let isFirst = given[1] === undefined;
      for await (const piece of store.get(...given)) {
        yield piece;
        if (isFirst) await disturb();
        isFirst = false;
      }
    },
  });
}

describe('a source that is read while it is sent to the new member', () => {
  test('is known in the end as if it had been read before', async () => {
    await open('plain.db', sound);
    const source = await inspected();
    expect(source).toMatchObject({ verified: 'Pending', sha256: undefined, bytes: sound.byteLength });
    expect(await delivered(source)).toEqual(await verifySource(opened, { acceptWithoutHash: false }, context));
    await scene.received;
    expect((await readFile(scene.file)).equals(sound)).toBe(true);
  });

  test.each([
    ['fits', () => hashOf(sound), { verified: 'Manifest', cluster: { name: 'example', size: 3, version: '3.6.16' } }],
    ['is of other bytes', () => 'a'.repeat(64), { verified: 'Embedded', cluster: undefined }],
  ])('operator rule 21: whose manifest %s', async (what, sha256, expected) => {
    await open(`${what.replaceAll(' ', '-')}.db`, sound, manifestOf(sha256()));
    const source = await inspected();
    // Only its length can be compared before the transfer.
    expect(source.cluster).toMatchObject({ name: 'example' });
    expect(await delivered(source)).toMatchObject(expected);
  });

  test('operator rule 21: without a hash at its end is taken only if that is asked for', async () => {
    await open('bare.db', sound.subarray(0, -32));
    await expect(inspected()).rejects.toMatchObject({ code: 'NoHash' });
    const source = await inspected(true);
    await expect(delivered(source)).rejects.toMatchObject({ code: 'NoHash' });
    await expect.poll(() => readdir(scene.directory)).toEqual([]);
    await expect.poll(() => delivered(source, true).catch(String)).toMatchObject({ verified: 'Nothing' });
  });

  test('[92] and broken is refused in the words of one that is read before, and the new member keeps nothing', async () => {
    const broken = Buffer.from(sound);
    broken[sound.byteLength - 40] = (broken[sound.byteLength - 40] ?? 0) ^ 1;
    await open('broken.db', broken);
    const words = await verifySource(opened, { acceptWithoutHash: false }, context).catch(String);
    const source = await inspected();
    expect(await delivered(source).catch(String)).toBe(words);
    await expect.poll(() => readdir(scene.directory)).toEqual([]);
  });

  test('and replaced meanwhile is refused, whatever has come', async () => {
    await open('replaced.db', sound);
    const source = await inspected();
    const store = disturbed(opened.store, async () => {
      await rm(file('replaced.db'));
      await writeFile(file('replaced.db'), Buffer.from(sound));
    });
    await expect(delivered(source, false, store)).rejects.toMatchObject({ code: 'SourceReplaced' });
    await expect.poll(() => readdir(scene.directory)).toEqual([]);
    await writeFile(file('replaced.db'), sound.subarray(0, -512));
    await expect(delivered(source)).rejects.toMatchObject({ code: 'SourceReplaced' });
  });
});

test('a source that was verified must arrive byte for byte', async () => {
  await open('verified.db', sound);
  const source = await verifySource(opened, { acceptWithoutHash: false }, context);
  const other = Buffer.concat([Buffer.from('x'), sound.subarray(1)]);
  await writeFile(file('verified.db'), other);
  await expect(delivered(source)).rejects.toThrow(
    'the backup changed after it was verified: its size or SHA-256 differs',
  );
  await writeFile(file('verified.db'), sound);
  await expect.poll(() => delivered(source).catch(String)).toEqual(source);
});
