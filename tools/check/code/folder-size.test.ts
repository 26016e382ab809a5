// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { problemsWith, source } from '../fixture-tree.ts';
import { folderSize } from './folder-size.ts';

const folder = 'packages/kube/src/many';
const files = (count: number, where = folder, ending = '.ts') =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${where}/f${index}${ending}`, source('')]));

describe('files in a folder', () => {
  test('a folder of more than 20 files is refused', async () => {
    const problems = await problemsWith(folderSize, files(21));
    expect(problems).toEqual([expect.objectContaining({ rule: 'folder-size', file: folder })]);
  });

  test('20 are just allowed; tests, folders below it and generated files do not count', async () => {
    const others = { ...files(9, folder, '.test.ts'), ...files(9, `${folder}/below`) };
    const generated = files(30, 'packages/kube/src/generated');
    expect(await problemsWith(folderSize, { ...files(20), ...others, ...generated })).toEqual([]);
  });
});
