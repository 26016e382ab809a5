// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import type { Entry } from './control/registry.ts';
import { runShell } from './shell.ts';

const entry: Entry = { pid: 1, socket: '', kubeconfig: '/k', bin: '/b', endpoint: '', aws: '' };

test('a shell says how to come back from it, a single command says nothing', async () => {
  const said: string[] = [];
  const say = (line: string) => said.push(line);
  expect(await runShell(entry, { env: { SHELL: '/bin/true' }, say })).toBe(0);
  expect(said).toEqual([expect.stringContaining('Type exit, or press Ctrl-D, to come back.')]);
  expect(await runShell(entry, { env: {}, command: ['/bin/true'], say })).toBe(0);
  expect(said).toHaveLength(1);
});

test('a shell that outlives its playground says so, one that has ended does not', async () => {
  const said: string[] = [];
  const say = (line: string) => said.push(line);
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  // It ends when its playground has, as if the user had typed exit.
  const command = ['/bin/sleep', '0.3'];
  const running = runShell(entry, { env: {}, command, ended, say });
  end();
  await running;
  expect(said).toEqual([
    expect.stringContaining('The playground has stopped; kubectl and etcdctl in this shell can no longer reach it.'),
  ]);
  const later = Promise.withResolvers<void>();
  await runShell(entry, { env: {}, command: ['/bin/true'], ended: later.promise, say });
  later.resolve();
  await later.promise;
  expect(said).toHaveLength(1);
});
