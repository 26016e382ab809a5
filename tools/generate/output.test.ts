// SPDX-License-Identifier: Apache-2.0
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { differences, writeAll } from './output.ts';

const files = [
  { path: 'a/one.ts', text: 'one' },
  { path: 'a/deep/two.json.gz', text: '{"two":2}' },
];

describe('generated files', () => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'etcd-operator-output-'));
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  test('are missing before they are written and the same afterwards', async () => {
    expect(await differences(root, ['a'], files)).toEqual(['a/one.ts is missing', 'a/deep/two.json.gz is missing']);
    await writeAll(root, ['a'], files);
    expect(await differences(root, ['a'], files)).toEqual([]);
    expect(gunzipSync(await readFile(join(root, 'a/deep/two.json.gz'))).toString()).toBe('{"two":2}');
  });

  test('differ if a file was changed or added', async () => {
    await writeAll(root, ['a'], files);
    await writeFile(join(root, 'a/one.ts'), 'changed');
    await writeFile(join(root, 'a/other.ts'), '');
    expect(await differences(root, ['a'], files)).toEqual(['a/other.ts should not be there', 'a/one.ts differs']);
    await writeAll(root, ['a'], files);
    expect(await differences(root, ['a'], files)).toEqual([]);
  });

  test('are compared by what they hold, not by how it is compressed, and then left alone', async () => {
    await writeAll(root, ['a'], files);
    const path = join(root, 'a/deep/two.json.gz');
    await writeFile(path, gzipSync('{"two":2}', { level: 0 }));
    const before = await stat(path);
    expect(await differences(root, ['a'], files)).toEqual([]);
    await writeAll(root, ['a'], files);
    expect((await stat(path)).size).toBe(before.size);
  });
});
