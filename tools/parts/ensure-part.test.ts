// SPDX-License-Identifier: Apache-2.0
import { access, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type EnsureOptions, ensureFrom, ensurePart, knownParts } from './ensure-part.ts';
import { PartError } from './part.ts';
import type { PartTable } from './recipes/recipe.ts';
import { endlessBuild, goodBuild, goThat, processesWith, Scene, tiny, until } from './testing/scene.ts';

const table: PartTable = { tiny };
let scene: Scene;

beforeEach(async () => {
  scene = await Scene.create();
});
afterEach(() => scene.remove());

async function withGo(build: string, more: Partial<EnsureOptions> = {}): Promise<EnsureOptions> {
  const PATH = await scene.pathWith({ go: goThat(build) });
  return { environment: scene.environment({ PATH }), ...more };
}

async function failure(work: Promise<unknown>): Promise<PartError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof PartError) return error;
  throw new Error('expected a PartError', { cause: error });
}

describe('ensurePart', () => {
  test('makes a part, says so, and returns where its programs are', async () => {
    const lines: string[] = [];
    const part = await ensureFrom(table, 'tiny', await withGo(goodBuild, { report: (line) => lines.push(line) }));
    expect(part).toMatchObject({ name: 'tiny', version: '1.0.0', libraries: {} });
    expect(part.programs).toEqual({ tiny: join(part.directory, 'tiny') });
    expect(part.directory).toMatch(/\/parts\/tiny-1\.0\.0-linux-\w+-[0-9a-f]{12}$/);
    expect(lines[0]).toBe('tiny (1.0.0): building ...');
    expect(lines[1]).toMatch(/^tiny \(1\.0\.0\): ready in \d+\.\d s, /);
    expect(await scene.contents()).toHaveLength(1);
  });

  test('returns a cached part without a word and without needing any tool', async () => {
    const first = await ensureFrom(table, 'tiny', await withGo(goodBuild));
    const lines: string[] = [];
    const environment = scene.environment({ PATH: '' });
    const second = await ensureFrom(table, 'tiny', { environment, report: (line) => lines.push(line) });
    expect(second).toEqual(first);
    expect(lines).toEqual([]);
  });

  test('makes a part again that has lost a program', async () => {
    const options = await withGo(goodBuild);
    const first = await ensureFrom(table, 'tiny', options);
    await rm(join(first.directory, 'tiny'));
    expect(await ensureFrom(table, 'tiny', options)).toEqual(first);
    expect(await scene.contents()).toHaveLength(1);
  });

  test('makes a part again whose manifest is damaged', async () => {
    const options = await withGo(goodBuild);
    const first = await ensureFrom(table, 'tiny', options);
    await writeFile(join(first.directory, 'part.json'), '{"version": 3');
    expect(await ensureFrom(table, 'tiny', options)).toEqual(first);
  });

  test('keeps parts of different recipes apart', async () => {
    const options = await withGo(goodBuild);
    const first = await ensureFrom(table, 'tiny', options);
    const second = await ensureFrom({ tiny: { ...tiny, tags: ['other'] } }, 'tiny', options);
    expect(second.directory).not.toBe(first.directory);
  });

  test('two callers in one process share one build', async () => {
    const options = await withGo(`echo built >> ${scene.directory}/builds; ${goodBuild}`);
    const parts = await Promise.all([1, 2, 3].map(() => ensureFrom(table, 'tiny', options)));
    expect(new Set(parts.map((part) => part.directory)).size).toBe(1);
    expect(await readFile(join(scene.directory, 'builds'), 'utf8')).toBe('built\n');
  });

  test('a collection holds the programs of its parts in one directory', async () => {
    const both: PartTable = {
      tiny,
      other: { ...tiny, version: '2.0.0', programs: tiny.programs.map((program) => ({ ...program, name: 'other' })) },
      all: { kind: 'collection', version: '1', bytesNeeded: 1, parts: ['tiny', 'other'] },
    };
    const part = await ensureFrom(both, 'all', await withGo(goodBuild));
    expect(Object.keys(part.programs)).toEqual(['tiny', 'other']);
    expect(new Set(Object.values(part.programs).map(dirname))).toEqual(new Set([part.directory]));
    expect(await scene.contents()).toHaveLength(3);
  });
});

describe('ensurePart fails with one sentence and leaves nothing', () => {
  afterEach(async () => expect(await scene.contents()).toEqual([]));

  test('for a part that is not in the table', async () => {
    const error = await failure(ensureFrom(table, 'toString', { environment: scene.environment({}) }));
    expect(error.code).toBe('UnknownPart');
    expect(error.message).toBe('there is no part "toString"; known are: tiny');
  });

  test('without Go on PATH', async () => {
    const environment = scene.environment({ PATH: scene.directory });
    const error = await failure(ensureFrom(table, 'tiny', { environment }));
    expect(error.code).toBe('MissingPrerequisite');
    expect(error.message).toBe(
      'tiny is built from source, and Go 1.26 or newer was not found on PATH: install it (https://go.dev/dl) and run the command again',
    );
  });

  test('with a Go that is too old and fetches no newer one', async () => {
    const PATH = await scene.pathWith({ go: `#!/bin/sh\nprintf 'go1.22.3\\nlocal\\n'\n` });
    const error = await failure(ensureFrom(table, 'tiny', { environment: scene.environment({ PATH }) }));
    expect(error.code).toBe('MissingPrerequisite');
    expect(error.message).toContain('needs Go 1.26 or newer, but PATH has go1.22.3');
  });

  test('if the compiler fails', async () => {
    const error = await failure(ensureFrom(table, 'tiny', await withGo('echo "x.go:1: undefined: y" >&2; exit 1')));
    expect(error.code).toBe('BuildFailed');
    expect(error.message).toBe('tiny: compiling tiny failed: x.go:1: undefined: y; nothing of it was kept');
  });

  test('if the program is not the right one', async () => {
    const error = await failure(ensureFrom(table, 'tiny', await withGo(goodBuild.replace('1.0.0', '0.9.9'))));
    expect(error.code).toBe('VerificationFailed');
    expect(error.message).toContain('`tiny --version` should print "tiny 1.0.0", but printed "tiny 0.9.9"');
  });

  test('if the program does not run here', async () => {
    const error = await failure(ensureFrom(table, 'tiny', await withGo(`printf half > "$out"`)));
    expect(error.code).toBe('VerificationFailed');
  });

  test('if less space is free than it needs, before it begins', async () => {
    const greedy = { tiny: { ...tiny, bytesNeeded: 2 ** 60 } };
    const error = await failure(ensureFrom(greedy, 'tiny', await withGo(goodBuild)));
    expect(error.code).toBe('NoSpace');
    expect(error.message).toContain(`tiny needs ${2 ** 60} bytes`);
    expect(error.message).toContain(`in ${scene.cache}/parts, where `);
  });

  test('when it is aborted, with the processes of the build gone', async () => {
    const controller = new AbortController();
    const options = await withGo(`touch ${scene.directory}/begun; ${endlessBuild}`, { signal: controller.signal });
    const work = failure(ensureFrom(table, 'tiny', options));
    await until('the build', () =>
      access(join(scene.directory, 'begun')).then(
        () => true,
        () => undefined,
      ),
    );
    controller.abort();
    expect((await work).code).toBe('Aborted');
    expect(await processesWith(`ETCD_OPERATOR_BUILD=${scene.cache}`)).toEqual([]);
  });

  test('when it was aborted before', async () => {
    const error = await failure(ensureFrom(table, 'tiny', await withGo(goodBuild, { signal: AbortSignal.abort() })));
    expect(error.code).toBe('Aborted');
  });

  test('if the cache directory cannot be made', async () => {
    await writeFile(join(scene.directory, 'file'), '');
    const options = await withGo(goodBuild, { cacheDirectory: join(scene.directory, 'file', 'cache') });
    const error = await failure(ensureFrom(table, 'tiny', options));
    expect(error.code).toBe('CacheUnusable');
    expect(error.message).toContain('make that directory writable, or set ETCD_OPERATOR_CACHE to another one');
  });
});

test('the table of the project is known by name, and an unknown name is refused', async () => {
  expect(knownParts()).toEqual(expect.arrayContaining(['etcd@3.7', 'etcd@3.3', 'kubernetes', 'containerd']));
  expect((await failure(ensurePart('etcd@2'))).code).toBe('UnknownPart');
});
