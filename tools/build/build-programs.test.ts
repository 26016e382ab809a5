// SPDX-License-Identifier: Apache-2.0
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { repositoryRoot as root } from '../repository-root.ts';
import { buildProgram, buildPrograms, commandsOf, programsOf } from './build-programs.ts';

test('programs are what apps declare', () => {
  const manifest = { name: 'x', version: '0.1.0', programs: { 'etcd-operator': 'src/programs/etcd-operator.ts' } };
  expect(programsOf([{ name: 'operator', directory: '/apps/operator', manifest }])).toEqual([
    { name: 'etcd-operator', entry: '/apps/operator/src/programs/etcd-operator.ts' },
  ]);
});

test('commands are the programs that people type, and their app says which Node they need', () => {
  const manifest = {
    name: 'x',
    version: '0.1.0',
    engines: { node: '>=24' },
    programs: { typed: 'a.ts', other: 'b.ts' },
  };
  const app = { name: 'x', directory: '/apps/x', manifest };
  expect(commandsOf([app])).toEqual([]);
  expect(commandsOf([{ ...app, manifest: { ...manifest, commands: ['typed'] } }])).toEqual([
    { name: 'typed', entry: '/apps/x/a.ts', node: 24 },
  ]);
  expect(() => commandsOf([{ ...app, manifest: { ...manifest, commands: ['unknown'] } }])).toThrow('command unknown');
});

test('a program becomes one file that runs without anything installed', { timeout: 120_000 }, async () => {
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

test('programs beside each other share files; a CommonJS module that is imported when it is needed keeps its names', {
  timeout: 120_000,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'etcd-operator-programs-'));
  try {
    writeFileSync(join(folder, 'shared.ts'), "export const shared = 'shared';\n");
    writeFileSync(
      join(folder, 'late.cjs'),
      'class Late {}\nexports.Late = Late;\nexports.answer = 42;\nexports.default = { answer: 43 };\n',
    );
    const late = "const { Late, answer } = await import('./late.cjs');";
    const text = `import { shared } from './shared.ts';\n${late}\nconsole.log(shared, answer, new Late().constructor.name);\n`;
    for (const name of ['one', 'two']) writeFileSync(join(folder, `${name}.ts`), text);
    const out = join(folder, 'out');
    const programs = ['one', 'two'].map((name) => ({ name, entry: join(folder, `${name}.ts`) }));
    const { files, sources } = await buildPrograms(programs, { root, out });
    expect(files.filter((file) => !file.startsWith('parts/'))).toEqual(['one.mjs', 'two.mjs']);
    expect(files.length).toBeGreaterThan(3);
    expect(sources.map((path) => basename(path)).toSorted()).toEqual(['late.cjs', 'one.ts', 'shared.ts', 'two.ts']);
    for (const name of ['one', 'two']) {
      const said = execFileSync(process.execPath, [join(out, `${name}.mjs`)], { encoding: 'utf8' });
      expect(said).toBe('shared 42 Late\n');
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
