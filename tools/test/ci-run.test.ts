// SPDX-License-Identifier: Apache-2.0
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { repositoryRoot } from '../repository-root.ts';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'etcd-operator-ci-'));
  write('.ci/run', '');
  copyFileSync(join(repositoryRoot, '.ci', 'run'), join(root, '.ci', 'run'));
  const scripts = { check: '', test: '', 'test:conformance': '' };
  write('package.json', JSON.stringify({ scripts }, null, 2));
});

afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

/** Runs `.ci/run` with a fake npm that runs a line of shell for each script. */
function ci(answers: Readonly<Record<string, string>>) {
  const cases = Object.entries(answers).map(([script, line]) => `*" ${script} "*) ${line} ;;`);
  write('bin/npm', `#!/bin/sh\ncase " $* " in\n${cases.join('\n')}\nesac\n`);
  chmodSync(join(root, 'bin', 'npm'), 0o755);
  const env = { ...process.env, PATH: `${join(root, 'bin')}:${process.env['PATH'] ?? ''}` };
  const { status, stdout } = spawnSync('bash', [join(root, '.ci', 'run')], { encoding: 'utf8', env, cwd: tmpdir() });
  return { status, stdout, last: stdout.trimEnd().split('\n').at(-1) };
}

const good = { check: 'echo "14 passed, 0 failed"', test: 'echo "100 passed, 0 failed"' };

describe('.ci/run', () => {
  test('adds up what its parts say', () => {
    expect(ci(good)).toMatchObject({ status: 0, last: '114 passed, 0 failed' });
  });

  test('goes on after a failure, and fails in the end', () => {
    const answers = { ...good, check: 'echo "12 passed, 2 failed"; exit 1' };
    expect(ci(answers)).toMatchObject({ status: 1, last: '112 passed, 2 failed' });
  });

  test('a part that breaks down without a word is a failure', () => {
    expect(ci({ ...good, test: 'exit 3' })).toMatchObject({ status: 1, last: '14 passed, 1 failed' });
  });

  test('a part that says all is well and fails is a failure', () => {
    expect(ci({ ...good, test: 'echo "5 passed, 0 failed"; exit 1' })).toMatchObject({
      status: 1,
      last: '19 passed, 1 failed',
    });
  });

  test('only the last such line of a part counts, and only if it stands alone', () => {
    const test = 'echo "1 passed, 1 failed"; echo "note: 9 passed, 9 failed"; echo "3 passed, 0 failed"';
    expect(ci({ ...good, test })).toMatchObject({ status: 0, last: '17 passed, 0 failed' });
  });

  test('tells at its end what failed, after all parts have run', () => {
    const told = 'echo "FAILED: 1"; echo "  watch.test.ts > a watch ends"; echo; echo "all of it"';
    const test = `echo "a test passed"; ${told}; echo "5 passed, 1 failed"; exit 1`;
    write('test/conformance/watch.test.ts', '');
    const { stdout } = ci({ ...good, test, 'test:conformance': 'echo "7 passed, 0 failed"' });
    const end = stdout.slice(stdout.indexOf('7 passed'));
    expect(end).toContain('FAILED: 1\n  watch.test.ts > a watch ends');
    expect(end).not.toMatch(/a test passed|all of it/);
  });

  test('runs the conformance tier only if it has tests', () => {
    const answers = { ...good, 'test:conformance': 'echo "7 passed, 0 failed"' };
    expect(ci(answers).last).toBe('114 passed, 0 failed');
    write('test/conformance/watch.test.ts', '');
    expect(ci(answers).last).toBe('121 passed, 0 failed');
  });

  test('runs the end-to-end tier, which may say that this machine cannot', () => {
    write('package.json', JSON.stringify({ scripts: { check: '', test: '', 'test:e2e': '' } }, null, 2));
    write('test/e2e/node.e2e.test.ts', '');
    const answers = { ...good, 'test:e2e -- --if-possible': 'echo "0 passed, 0 failed"' };
    expect(ci(answers)).toMatchObject({ status: 0, last: '114 passed, 0 failed' });
    expect(ci({ ...good, 'test:e2e -- --if-possible': 'exit 1' }).status).toBe(1);
  });

  test('says how long each part took', () => {
    expect(ci(good).stdout).toMatch(
      /^check +14 passed +0 failed +\d+ s\ntest +100 passed +0 failed +\d+ s\ntotal +\d+ s$/m,
    );
  });

  test('runs as in continuous integration: CI is set and nothing can be typed', () => {
    const answers = { ...good, test: '[ "$CI" = true ] && ! read -r line && echo "1 passed, 0 failed"' };
    expect(ci(answers)).toMatchObject({ status: 0, last: '15 passed, 0 failed' });
  });
});
