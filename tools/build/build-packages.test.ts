// SPDX-License-Identifier: Apache-2.0
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { partsScope } from '../own-packages.ts';
import { outputOf, runProgram } from '../process/run-program.ts';
import { repositoryRoot as root } from '../repository-root.ts';
import { buildPackages } from './build-packages.ts';
import { workspacesOf } from './workspace.ts';

let user: string;

/** A project that uses the installed package. */
beforeAll(async () => {
  user = mkdtempSync(join(tmpdir(), 'etcd-operator-user-'));
  const ports = workspacesOf(root, 'packages').filter(({ name }) => name === 'ports');
  await buildPackages(ports, { root, out: join(user, 'node_modules', partsScope) });
  writeFileSync(join(user, 'package.json'), '{ "type": "module" }\n');
}, 60_000);

afterAll(() => {
  rmSync(user, { recursive: true, force: true });
});

describe('a built package', { timeout: 60_000 }, () => {
  test('is imported by plain Node', async () => {
    const text =
      "import { VirtualClock } from '@operator-parts/ports';\n" +
      "const clock = new VirtualClock('2026-01-01T00:00:00Z');\n" +
      'await clock.advance(1000);\nprocess.stdout.write(new Date(clock.now()).toISOString());\n';
    writeFileSync(join(user, 'main.mjs'), text);
    const stdout = await outputOf([process.execPath, '--no-strip-types', join(user, 'main.mjs')]);
    expect(stdout).toBe('2026-01-01T00:00:01.000Z');
  });

  test('carries types that a strict compiler accepts and enforces', async () => {
    mkdirSync(join(user, 'node_modules', '@types'), { recursive: true });
    symlinkSync(join(root, 'node_modules', '@types', 'node'), join(user, 'node_modules', '@types', 'node'));
    symlinkSync(join(root, 'node_modules', 'undici-types'), join(user, 'node_modules', 'undici-types'));
    const tsc = join(root, 'node_modules', '.bin', 'tsc');
    const compile = (text: string) => {
      writeFileSync(join(user, 'typed.ts'), text);
      const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024', '--types', 'node'];
      return runProgram([tsc, ...options, join(user, 'typed.ts')], { cwd: user });
    };
    const use =
      "import type { Clock } from '@operator-parts/ports';\nexport const at = (clock: Clock): number => clock.";
    expect(await compile(`${use}now();\n`)).toMatchObject({ outcome: 'ok' });
    expect(await compile(`${use}never();\n`)).toMatchObject({
      outcome: 'failed',
      stdout: expect.stringContaining('TS2339'),
    });
  });

  test('has a manifest that leads to JavaScript, and the licence', () => {
    const folder = join(user, 'node_modules', partsScope, 'ports');
    expect(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))).toMatchObject({
      name: '@operator-parts/ports',
      exports: { '.': { types: './index.d.ts', default: './index.js' } },
    });
    expect(readFileSync(join(folder, 'LICENSE'), 'utf8')).toContain('Apache License');
  });
});
