// SPDX-License-Identifier: Apache-2.0
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { documentation } from '@etcd-operator/tools/release';
import { afterAll, expect, test } from 'vitest';
import { actionsOf } from './page.ts';
import { releasePages } from './typed-pages.ts';

const repository = join(import.meta.dirname, '../../..');
const site = mkdtempSync(join(tmpdir(), 'site-'));
afterAll(() => rmSync(site, { recursive: true, force: true }));

test('the documentation of a release says to do what the pages say to do', async () => {
  await documentation.make({ root: repository, out: site, version: '0.0.0', repository: '' });
  execFileSync('tar', ['-xzf', 'etcd-operator-0.0.0-documentation.tar.gz', '--strip-components=1'], { cwd: site });
  for (const page of Object.values(releasePages)) {
    const file = page.replace(/^docs\//, '').replace(/\.md$/, '.html');
    const without = (path: string) => actionsOf(path).map(({ line: _, ...action }) => action);
    expect(without(join(site, file))).toEqual(without(join(repository, page)));
  }
});
