// SPDX-License-Identifier: Apache-2.0
/** The test cluster itself: however it ends, nothing of it remains. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { layoutOf, runningState, stopCluster } from '@etcd-operator/tools/cluster';
import { afterEach, expect, test } from 'vitest';
import { until, untilTrue } from './testing/until.ts';

const name = 'e2e-other';
const layout = layoutOf(name);

afterEach(() => stopCluster(layout));

function start(): ChildProcess {
  const program = join(import.meta.dirname, 'testing', 'start-cluster.ts');
  return spawn(process.execPath, [program, name], { stdio: ['pipe', 'pipe', 'pipe'] });
}

/** Waits until the cluster has started its kubelet, which has mounts and cgroups. */
async function untilKubelet(): Promise<void> {
  await untilTrue('the kubelet logs', async () => {
    const log = join(layout.logs, 'kubelet.log');
    // The output of an earlier one does not count.
    return (
      runningState(layout) !== undefined && existsSync(log) && readFileSync(log, 'utf8').includes('Started kubelet')
    );
  });
}

function processesOf(directory: string): readonly string[] {
  return readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(directory);
      } catch {
        return false;
      }
    });
}

function cgroups(): readonly string[] {
  const root = '/sys/fs/cgroup';
  const places = [root, ...readdirSync(root).map((entry) => join(root, entry))];
  return places.map((place) => join(place, layout.cgroup)).filter((group) => existsSync(group));
}

function expectNothingLeft(): void {
  expect(existsSync(layout.directory)).toBe(false);
  expect(cgroups()).toEqual([]);
  expect(processesOf(layout.directory)).toEqual([]);
  expect(readFileSync('/proc/self/mountinfo', 'utf8')).not.toContain(layout.directory);
}

test('when the process that runs it is killed, everything in it ends, and the next start cleans up', async () => {
  const owner = start();
  await untilKubelet();
  owner.kill('SIGKILL');
  await once(owner, 'exit');
  await untilTrue('its processes have ended', async () => processesOf(layout.directory).length === 0);
  expect(runningState(layout)).toBeUndefined();

  const next = start();
  await untilKubelet();
  next.kill('SIGINT');
  await once(next, 'exit');
  expectNothingLeft();
});

test('a second one of the same name is refused, and the first one runs on', async () => {
  const first = start();
  const state = await until('the first one runs', async () => runningState(layout));
  const second = start();
  let words = '';
  second.stderr?.setEncoding('utf8').on('data', (text: string) => {
    words += text;
  });
  // Not its exit: the last output may arrive after it.
  const [status] = (await once(second, 'close')) as [number];
  expect(status).toBe(1);
  expect(words).toContain('is running already');
  expect(runningState(layout)?.init).toEqual(state.init);
  first.kill('SIGINT');
  await once(first, 'exit');
  expectNothingLeft();
});
