// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { PartTable } from '../recipes/recipe.ts';
import { ended, endlessBuild, goodBuild, goThat, processesWith, Scene, tiny, until } from '../testing/scene.ts';

const table: PartTable = { tiny };
let scene: Scene;

beforeEach(async () => {
  scene = await Scene.create();
});
afterEach(() => scene.remove());

const start = async (go: string, folder: string): Promise<ChildProcess> =>
  scene.start(table, ['tiny'], { PATH: await scene.pathWith({ go: goThat(go) }, folder) });

/** A command line in the middle of an endless build. */
async function startEndless(): Promise<ChildProcess> {
  const child = await start(`touch ${scene.directory}/begun; ${endlessBuild}`, 'endless');
  await untilBegun();
  return child;
}

const untilBegun = () =>
  until('the build to begin', () =>
    access(join(scene.directory, 'begun')).then(
      () => true,
      () => undefined,
    ),
  );

/** A build's directory and two tickets for its lock. */
const bothInQueue = () =>
  until('one to build and one to wait', async () => ((await scene.contents()).length === 3 ? true : undefined));

const childrenOfBuilds = () => processesWith(`ETCD_OPERATOR_BUILD=${scene.cache}`);

describe('a build that is stopped', () => {
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('by %s ends its children, leaves nothing and gives status %i', async (signal, status) => {
    const child = await startEndless();
    const end = ended(child);
    child.kill(signal);
    expect(await end).toMatchObject({
      status,
      stdout: '',
      stderr:
        'tiny (1.0.0): building ...\netcd-operator: tiny: stopped before it was complete; nothing was left behind\n',
    });
    expect(await scene.contents()).toEqual([]);
    expect(await childrenOfBuilds()).toEqual([]);
  });

  test('by SIGKILL is never taken as complete, and the next run clears it away, its orphans included', async () => {
    const child = await startEndless();
    const end = ended(child);
    child.kill('SIGKILL');
    await end;
    const left = await scene.contents();
    expect(left.filter((name) => name.startsWith('.building-tiny-'))).toHaveLength(1);
    expect(left.filter((name) => name.startsWith('tiny-1.0.0-') && !name.includes('.building'))).toHaveLength(1);
    expect(await childrenOfBuilds()).not.toEqual([]);

    const next = await ended(await start(goodBuild, 'good'));
    expect(next).toMatchObject({ status: 0 });
    expect(await scene.contents()).toEqual([expect.stringMatching(/^tiny-1\.0\.0-linux-\w+-[0-9a-f]{12}$/)]);
    expect(await childrenOfBuilds()).toEqual([]);
  });

  test('by SIGKILL is cleared away by listing the parts, too', async () => {
    const child = await startEndless();
    const end = ended(child);
    child.kill('SIGKILL');
    await end;
    const list = await ended(await scene.start(table, [], {}));
    expect(list.stdout).toBe('PART   VERSION   STATE        SIZE\ntiny   1.0.0     not cached\n');
    expect((await scene.contents()).filter((name) => name.startsWith('.building'))).toEqual([]);
    expect(await childrenOfBuilds()).toEqual([]);
  });
});

describe('a program that calls ensurePart and knows nothing of signals', () => {
  const module = new URL('../ensure-part.ts', import.meta.url).href;

  async function startCaller(before = ''): Promise<ChildProcess> {
    const code = `${before}
import { ensureFrom } from ${JSON.stringify(module)};
await ensureFrom(${JSON.stringify(table)}, 'tiny').catch((error) => console.log(error.code));`;
    const PATH = await scene.pathWith({ go: goThat(`touch ${scene.directory}/begun; ${endlessBuild}`) });
    const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
      env: scene.environment({ PATH }),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    scene.children.push(child);
    await untilBegun();
    return child;
  }

  test('ends by the signal, once the build has been ended', async () => {
    const child = await startCaller();
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await exit).toEqual([null, 'SIGTERM']);
    expect(await scene.contents()).toEqual([]);
    expect(await childrenOfBuilds()).toEqual([]);
  });

  test('gets an error and goes on if it listens to the signal itself', async () => {
    const child = await startCaller(`process.on('SIGTERM', () => {});`);
    const end = ended(child);
    child.kill('SIGTERM');
    expect(await end).toMatchObject({ status: 0, stdout: 'Aborted\n' });
    expect(await scene.contents()).toEqual([]);
  });
});

describe('two processes that want the same part', () => {
  test('make it once; the second one waits and says for whom', async () => {
    const goOn = join(scene.directory, 'go-on');
    const build = `echo built >> ${scene.directory}/builds; until [ -e ${goOn} ]; do sleep 0.05; done; ${goodBuild}`;
    const both = [await start(build, 'slow'), await start(build, 'slow')].map(ended);
    await bothInQueue();
    await writeFile(goOn, '');
    const ends = await Promise.all(both);
    expect(ends.map(({ status }) => status)).toEqual([0, 0]);
    expect(ends[0]?.stdout).toBe(ends[1]?.stdout);
    expect(await readFile(join(scene.directory, 'builds'), 'utf8')).toBe('built\n');
    const said = ends.map(({ stderr }) => stderr).join('');
    expect(said).toMatch(/tiny \(1\.0\.0\): waiting for process \d+, which is making it \.\.\.\n/);
    expect(said.match(/ready in/g)).toHaveLength(1);
    expect(await scene.contents()).toHaveLength(1);
  });

  test('the one that waits takes over when the other is killed', async () => {
    const owner = await startEndless();
    const waiter = await start(goodBuild, 'good');
    const end = ended(waiter);
    await bothInQueue();
    owner.kill('SIGKILL');
    expect(await end).toMatchObject({ status: 0 });
    expect(await scene.contents()).toHaveLength(1);
    expect(await childrenOfBuilds()).toEqual([]);
  });

  test('the one that waits can be stopped', async () => {
    await startEndless();
    const waiter = await start(goodBuild, 'good');
    const end = ended(waiter);
    await bothInQueue();
    waiter.kill('SIGTERM');
    expect(await end).toMatchObject({ status: 143 });
    expect(await scene.contents()).toHaveLength(2);
  });
});
