// SPDX-License-Identifier: Apache-2.0
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { repositoryRoot as root } from '../repository-root.ts';
import { buildProgram, programsOf } from './build-programs.ts';

test('programs are what apps declare', () => {
  const manifest = { name: 'x', version: '0.1.0', programs: { 'etcd-operator': 'src/programs/etcd-operator.ts' } };
  expect(programsOf([{ name: 'operator', directory: '/apps/operator', manifest }])).toEqual([
    { name: 'etcd-operator', entry: '/apps/operator/src/programs/etcd-operator.ts' },
  ]);
});

test('a program becomes one file that runs without anything installed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'etcd-operator-program-'));
  try {
    const entry = join(folder, 'hello.ts');
    // A CommonJS package that requires Node's own modules, and one of ours.
    const text = `import { Agent } from '${join(root, 'node_modules', 'undici', 'index.js')}';
import { VirtualClock } from '${join(root, 'packages', 'ports', 'src', 'index.ts')}';
class ReadableName {}
const at: number = new VirtualClock(5).now();
process.stdout.write([at, typeof Agent, ReadableName.name].join(' '));\n`;
    writeFileSync(entry, text);
    const out = join(folder, 'out');
    const bytes = await buildProgram({ name: 'hello', entry }, { root, out });
    expect(readdirSync(out)).toEqual(['hello.mjs']);
    expect(readFileSync(join(out, 'hello.mjs')).length).toBe(bytes);
    expect(execFileSync(process.execPath, [join(out, 'hello.mjs')], { encoding: 'utf8' })).toBe(
      '5 function ReadableName',
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
