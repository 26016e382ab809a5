// SPDX-License-Identifier: Apache-2.0
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ensureFrom } from '../ensure-part.ts';
import { ended, Scene, tiny } from '../testing/scene.ts';
import type { GoRecipe } from './recipe.ts';
import { isStaticProgram } from './static-program.ts';

const remote: GoRecipe = {
  ...tiny,
  modules: [{ path: 'example.com/tiny', version: 'v1.0.0', sum: 'h1:nothing' }],
  programs: tiny.programs.map((program) => ({ ...program, source: { package: 'example.com/tiny' } })),
};

let scene: Scene;

beforeEach(async () => {
  scene = await Scene.create();
});
afterEach(() => scene.remove());

test('the real Go compiles a static program that runs', async () => {
  const part = await ensureFrom({ tiny }, 'tiny', { environment: scene.environment({}) });
  const program = part.programs['tiny'] ?? '';
  expect(await isStaticProgram(program)).toBe(true);
  expect(execFileSync(program, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })).toBe('');
});

test('a static program on PATH of a later patch stands in for a build, unless that is forbidden', async () => {
  const later = tiny.programs.map((program) => ({
    ...program,
    source: { main: 'package main\n\nfunc main() {\n\tprintln("tiny 1.0.5")\n}\n', imports: [] },
    verify: { args: [], prints: 'tiny 1.0.5' },
  }));
  const onMachine = await ensureFrom({ tiny: { ...tiny, version: '1.0.5', programs: later } }, 'tiny', {
    environment: scene.environment({}),
  });
  const environment = scene.environment({ PATH: `${onMachine.directory}:${process.env['PATH']}` });
  const table = { tiny: { ...tiny, mayComeFromPath: true } };
  const lines: string[] = [];

  const found = await ensureFrom(table, 'tiny', { environment, report: (line) => lines.push(line) });
  expect(found).toMatchObject({ version: '1.0.5', directory: expect.stringMatching(/-path$/) });
  expect(lines[1]).toBe('tiny (1.0.0): building: using version 1.0.5 found on PATH');
  expect(await ensureFrom(table, 'tiny', { environment })).toEqual(found);

  const built = await ensureFrom(table, 'tiny', { environment, fromPath: false });
  expect(built.version).toBe('1.0.0');
  expect(await ensureFrom(table, 'tiny', { environment })).toEqual(built);
});

test('a module proxy that does not answer ends with one sentence and leaves nothing', async () => {
  const end = await ended(
    await scene.start({ tiny: remote }, ['tiny'], {
      GOPROXY: 'http://127.0.0.1:1',
      GOMODCACHE: join(scene.directory, 'modules'),
    }),
  );
  expect(end).toMatchObject({ status: 1, stdout: '' });
  expect(end.stderr).toMatch(
    /^tiny \(1\.0\.0\): building \.\.\.\netcd-operator: tiny: fetching Go modules failed: .*connection refused; check the network, or the module proxy that `go env GOPROXY` shows, then run the command again\n$/,
  );
  expect(await scene.contents()).toEqual([]);
});

test('a Go that may not use the network says so in one sentence', async () => {
  const environment = scene.environment({ GOPROXY: 'off', GOMODCACHE: join(scene.directory, 'modules') });
  await expect(ensureFrom({ tiny: remote }, 'tiny', { environment })).rejects.toMatchObject({ code: 'DownloadFailed' });
  expect(await scene.contents()).toEqual([]);
});
