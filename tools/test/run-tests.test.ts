// SPDX-License-Identifier: Apache-2.0
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { repositoryRoot } from '../repository-root.ts';

let root: string;

const files = {
  'vitest.config.ts': `export default { test: { projects: [
    { test: { name: 'unit', include: ['*/*.test.ts'], sequence: { groupOrder: 1 } } },
    { test: { name: 'late', include: ['*/*.late.ts'], sequence: { groupOrder: 2 } } },
  ] } };`,
  'late/three.late.ts': body("import './used.ts';\ntest('g', () => {});"),
  'late/used.ts': 'export const used = 1;',
  'good/two.test.ts': body("test('a', () => {});\ntest('b', () => {});"),
  'bad/one.test.ts': body("test('c', () => {\n  throw new Error('c');\n});\ntest('d', () => {});"),
  'left/behind.test.ts': body(`import { spawn } from 'node:child_process';
test('f', () => {
  spawn('sleep', ['30'], { stdio: 'inherit', detached: true }).unref();
});`),
  'bad/no-load.test.ts': 'await Promise.reject(new Error("does not load"));',
  'bad/stray.test.ts': body("test('e', async () => {\n  void Promise.reject(new Error('stray'));\n});"),
};

function body(text: string): string {
  return `import { test } from 'vitest';\n${text}\n`;
}

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'etcd-operator-tests-'));
  symlinkSync(join(repositoryRoot, 'node_modules'), join(root, 'node_modules'));
  for (const [path, text] of Object.entries({ 'package.json': '{ "type": "module" }', ...files })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
});

afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

/** Runs the runner like the commands, in a separate process, and returns its status and last line. */
function run(
  args: readonly string[],
  options = '',
  ci?: 'true',
): { status: number | null; last: string; output: string } {
  const runner = join(import.meta.dirname, 'run-tests.ts');
  const text = `
    const { runTests } = await import(${JSON.stringify(runner)});
    await runTests({ projects: ['unit', 'late'], root: ${JSON.stringify(root)}, args: ${JSON.stringify(args)}, ${options} });`;
  const { VITEST: _, CI: __, ...inherited } = process.env;
  const env = { ...inherited, NO_COLOR: '1', ...(ci && { CI: ci }) };
  const child = spawnSync(process.execPath, ['--input-type=module', '-e', text], { encoding: 'utf8', cwd: root, env });
  const output = `${child.stdout}${child.stderr}`;
  return { status: child.status, last: child.stdout.trimEnd().split('\n').at(-1) ?? '', output };
}

describe('a run of tests', { timeout: 60_000 }, () => {
  test('ends with the sum of what passed and failed, and fails if anything did', () => {
    expect(run(['good', 'bad'])).toMatchObject({ status: 1, last: '4 passed, 3 failed' });
  });

  test('ends though a test has left a process behind that holds its output, and counts that as a failure', () => {
    const { status, last, output } = run(['left'], 'patience: 2000');
    expect({ status, last }).toEqual({ status: 1, last: '1 passed, 1 failed' });
    expect(output).toContain('has not ended');
  });

  test('tells a machine what failed at a glance, then in full, and nothing of what passed', () => {
    const { output } = run(['good', 'bad'], '', 'true');
    const [glance = '', ...full] = output.slice(output.indexOf('FAILED')).split('\n\n');
    expect(glance.split('\n')).toEqual([
      'FAILED: 3',
      '  bad/no-load.test.ts',
      expect.stringMatching(/^ {4}does not load/),
      '  bad/one.test.ts > c',
      '    c (bad/one.test.ts:3)',
      '  outside of any test',
      expect.stringMatching(/^ {4}stray/),
    ]);
    expect(full.join('\n')).toContain('--- bad/one.test.ts > c\nError: c\n');
    expect(output).not.toContain('two.test.ts');
  });

  test('can be narrowed by path', () => {
    expect(run(['good'])).toMatchObject({ status: 0, last: '2 passed, 0 failed' });
  });

  test('can be narrowed by name', () => {
    expect(run(['good', '-t', 'a'])).toMatchObject({ status: 0, last: '1 passed, 0 failed' });
  });

  test('can be narrowed by the command that runs it', () => {
    expect(run([], "select: (file) => file === 'good/two.test.ts'")).toMatchObject({ status: 0 });
  });

  test('fails with a sentence if no file matches', () => {
    const { status, last, output } = run(['nowhere']);
    expect({ status, last }).toEqual({ status: 1, last: '0 passed, 1 failed' });
    expect(output).toContain('no test file matches nowhere');
  });

  test('is content with nothing where that is allowed', () => {
    expect(run(['nowhere'], 'allowNone: true')).toMatchObject({ status: 0, last: '0 passed, 0 failed' });
  });

  test('prepares for the files of a project when it is their turn; what cannot be had is one failure beside the results', () => {
    const prepare = `prepare: async ([file]) => {
      console.log('before ' + file);
      if (file.startsWith('late')) throw new Error('install the package iproute2');
    }`;
    const { status, last, output } = run(['good', 'late'], prepare);
    expect({ status, last }).toEqual({ status: 1, last: '2 passed, 1 failed' });
    expect(output).toMatch(/before good\/two.*✓.*before late\/three.*iproute2/s);
  });

  test('adds up the projects, and counts nothing twice', () => {
    expect(run(['bad', 'late'])).toMatchObject({ status: 1, last: '3 passed, 3 failed' });
  });

  test('goes no further than --bail asks for', () => {
    expect(run(['bad/one', 'late', '--bail', '1']).output).not.toContain('three.late');
  });

  test('runs what a change touches', () => {
    const git = (...args: string[]) =>
      spawnSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: root });
    git('init', '--quiet');
    onTestFinished(() => rmSync(join(root, '.git'), { recursive: true }));
    git('add', '.');
    git('commit', '--quiet', '--no-verify', '--message', 'a');
    expect(run(['--changed'])).toMatchObject({ status: 0, last: '0 passed, 0 failed' });
    writeFileSync(join(root, 'late', 'used.ts'), 'export const used = 22;');
    expect(run(['--changed'])).toMatchObject({ status: 0, last: '1 passed, 0 failed' });
  });

  test('runs nothing if its preparation fails, and says why', () => {
    const prepare = "prepare: () => Promise.reject(new Error('install the package iproute2'))";
    const { status, last, output } = run(['good'], prepare);
    expect({ status, last }).toEqual({ status: 1, last: '0 passed, 1 failed' });
    expect(output).toContain('install the package iproute2');
  });
});
