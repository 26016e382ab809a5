// SPDX-License-Identifier: Apache-2.0
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testStore } from '../testing/conformance.ts';
import { openDirectory } from './open-directory.ts';
import { parseUploadName } from './upload-name.ts';

testStore(async () => {
  const root = await mkdtemp(join(tmpdir(), 'blob-directory-'));
  const partBytes = 64 * 1024;
  return {
    partBytes,
    store: openDirectory({ root, partBytes }),
    withoutBucket: openDirectory({ root: join(root, 'not', 'there'), partBytes }),
    leftovers: async () => {
      const names = await readdir(root, { recursive: true });
      return names.filter((name) => parseUploadName(name.split('/').at(-1) ?? ''));
    },
    close: () => rm(root, { recursive: true }),
  };
});
