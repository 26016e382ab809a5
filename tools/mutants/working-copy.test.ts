// SPDX-License-Identifier: Apache-2.0
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ownScopes } from '../own-packages.ts';
import { WorkingCopy } from './working-copy.ts';

test('a working copy has the sources, the installed packages, and its own packages instead of those in the tree that was copied', () => {
  const original = realpathSync(mkdtempSync(join(tmpdir(), 'original-')));
  try {
    const [scope = ''] = ownScopes;
    mkdirSync(join(original, 'packages/one'), { recursive: true });
    mkdirSync(join(original, 'node_modules/foreign'), { recursive: true });
    for (const name of ownScopes) mkdirSync(join(original, 'node_modules', name));
    writeFileSync(join(original, 'packages/one/index.ts'), 'one');
    writeFileSync(join(original, 'node_modules/foreign/index.js'), 'foreign');
    writeFileSync(join(original, '.gitignore'), 'node_modules\n');
    symlinkSync('../../packages/one', join(original, 'node_modules', scope, 'one'));
    execFileSync('git', ['init', '-q'], { cwd: original });
    execFileSync('git', ['add', '.'], { cwd: original });

    const copy = new WorkingCopy(original);
    const read = (path: string) => readFileSync(join(copy.root, path), 'utf8');
    writeFileSync(join(copy.root, 'packages/one/index.ts'), 'changed');
    expect(read(`node_modules/${scope}/one/index.ts`)).toBe('changed');
    expect(read('node_modules/foreign/index.js')).toBe('foreign');
    expect(readFileSync(join(original, 'packages/one/index.ts'), 'utf8')).toBe('one');
    copy[Symbol.dispose]();
    expect(existsSync(copy.root)).toBe(false);
    expect(existsSync(join(original, 'node_modules/foreign/index.js'))).toBe(true);
  } finally {
    rmSync(original, { recursive: true, force: true });
  }
});
