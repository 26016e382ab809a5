// SPDX-License-Identifier: Apache-2.0
import { mkdtemp, readdir, readFile, readlink, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pod, Volume } from '@operator-parts/kube';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { writeVolume } from '../../runtime/atomic-files.ts';
import type { WrittenFile } from '../../runtime/container-runtime.ts';
import type { ConfigSource } from '../environment/config-source.ts';
import { volumeFiles } from './volume-files.ts';

const pod: Pod = { metadata: { name: 'p', namespace: 'ns' }, spec: { containers: [] } };
const where = { nodeName: 'n', hostIps: ['h'], podIps: ['i'] } as const;
const config: ConfigSource = {
  secret: (_, name) => (name === 's' ? { data: { a: Buffer.from('one').toString('base64'), b: '' } } : undefined),
  configMap: (_, name) =>
    name === 'c' ? { data: { x: 'text' }, binaryData: { y: Buffer.from([1, 2]).toString('base64') } } : undefined,
  services: () => [],
  claim: () => undefined,
  volume: () => undefined,
  token: async (_, audience, seconds) => `token for ${audience} of ${seconds} s`,
};

async function files(volume: Omit<Volume, 'name'>): Promise<Record<string, [string, number]>> {
  const found = await volumeFiles({ pod, where, config }, { name: 'v', ...volume });
  return Object.fromEntries(
    [...(found ?? [])].map(([path, file]) => [path, [Buffer.from(file.bytes).toString(), file.mode]]),
  );
}

describe('the files of a volume', () => {
  test('are the keys of a Secret, all or some, under other names if wanted', async () => {
    expect(await files({ secret: { secretName: 's' } })).toEqual({ a: ['one', 0o644], b: ['', 0o644] });
    const items = [{ key: 'a', path: 'dir/file', mode: 0o400 }];
    expect(await files({ secret: { secretName: 's', items, defaultMode: 0o600 } })).toEqual({
      'dir/file': ['one', 0o400],
    });
  });

  test('are the keys of a ConfigMap, binary ones too', async () => {
    expect(await files({ configMap: { name: 'c' } })).toEqual({ x: ['text', 0o644], y: ['\u0001\u0002', 0o644] });
  });

  test('may come from several sources', async () => {
    const sources = [
      { secret: { name: 's', items: [{ key: 'a', path: 'a' }] } },
      { configMap: { name: 'none', optional: true } },
      { downwardAPI: { items: [{ path: 'name', fieldRef: { fieldPath: 'metadata.name' } }] } },
      { serviceAccountToken: { path: 'token', audience: 'vault', expirationSeconds: 600 } },
    ];
    expect(await files({ projected: { sources } })).toEqual({
      a: ['one', 0o644],
      name: ['p', 0o644],
      token: ['token for vault of 600 s', 0o600],
    });
  });

  test('that are missing are refused unless they are optional', async () => {
    await expect(files({ secret: { secretName: 'none' } })).rejects.toThrow('secret "none" not found');
    await expect(files({ configMap: { name: 'c', items: [{ key: 'z', path: 'z' }] } })).rejects.toThrow(
      'references non-existent configmap key: z',
    );
    expect(await files({ secret: { secretName: 'none', optional: true } })).toEqual({});
    expect(await volumeFiles({ pod, where, config }, { name: 'v', emptyDir: {} })).toBeUndefined();
  });
});

describe('a volume on disk', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'kube-lab-test-'));
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  const content = (entries: Record<string, string>): readonly WrittenFile[] =>
    Object.entries(entries).map(([path, text]) => ({
      path,
      base64: Buffer.from(text).toString('base64'),
      mode: 0o640,
    }));

  test('changes all at once, by one link', async () => {
    await writeVolume(directory, content({ a: '1', 'd/b': '2' }), 'v1');
    expect(await readFile(join(directory, 'd/b'), 'utf8')).toBe('2');
    expect((await stat(join(directory, 'a'))).mode & 0o777).toBe(0o640);
    const before = await readlink(join(directory, '..data'));
    await writeVolume(directory, content({ a: '3' }), 'v2');
    expect(await readlink(join(directory, '..data'))).not.toBe(before);
    expect(await readFile(join(directory, 'a'), 'utf8')).toBe('3');
    expect((await readdir(directory)).toSorted()).toEqual(['..data', '..v2', 'a']);
  });

  test('is left alone if nothing changed, and no path leads out of it', async () => {
    await writeVolume(directory, content({ '../../escape': 'x' }), 'v1');
    expect(await readFile(join(directory, 'escape'), 'utf8')).toBe('x');
    const before = await stat(join(directory, '..v1'));
    await writeVolume(directory, content({ '../../escape': 'x' }), 'v1');
    expect((await stat(join(directory, '..v1'))).ino).toBe(before.ino);
  });
});
