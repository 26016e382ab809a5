// SPDX-License-Identifier: Apache-2.0
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Entry } from './control/registry.ts';
import { descendants, isAlive, lab, PlaygroundProcess, playgroundCommand } from './testing/playground-process.ts';
import { openTerminal, sees } from './testing/terminal.ts';

let runtime: string;
let env: NodeJS.ProcessEnv;
beforeEach(() => {
  runtime = mkdtempSync(join(tmpdir(), 'playground-test-'));
  env = { ...process.env, XDG_RUNTIME_DIR: runtime, TERM: 'xterm-256color', SHELL: '/bin/sh' };
});
afterEach(() => rmSync(runtime, { recursive: true, force: true }));

const registry = () => join(runtime, 'etcd-operator', 'playgrounds');
const entries = () => (existsSync(registry()) ? readdirSync(registry()) : []);

async function gone(pids: readonly number[]): Promise<readonly number[]> {
  const end = performance.now() + 60_000;
  for (;;) {
    const left = pids.filter(isAlive);
    if (left.length === 0 || performance.now() > end) return left;
    await new Promise((done) => setTimeout(done, 100));
  }
}

test('a person plays with keys, sees on the screen what happens, and leaves nothing behind', async () => {
  await using terminal = await openTerminal({ command: playgroundCommand(), env, columns: 120, rows: 36 });
  await sees(terminal, /Running {2}3 of 3 ready/);
  await sees(terminal, /leader .*healthy/);
  await sees(terminal, /export KUBECONFIG=/);
  await sees(terminal, /backups can be taken/);
  const [file = ''] = entries();
  const { pid, kubeconfig } = JSON.parse(readFileSync(join(registry(), file), 'utf8')) as Entry;

  await terminal.press('k');
  await sees(terminal, /you: member example-\w+ was killed/);
  await sees(terminal, /Replacing Dead Member/);
  await sees(terminal, /3 of 3 ready[\s\S]*nothing to do/);

  await terminal.press('c');
  await sees(terminal, /node-\d cut off/);
  await sees(terminal, /2 of 3 ready/);
  await terminal.press('h');
  await sees(terminal, /back on the network/);
  await sees(terminal, /3 of 3 ready[\s\S]*nothing to do/);

  await terminal.press('b');
  const [, blank = ''] =
    /the data of member (example-\w+) was deleted/.exec(await sees(terminal, /the data of member \S+ was deleted/)) ??
    [];
  // Not an old line on the screen: another member has replaced it.
  await sees(terminal, new RegExp(`^(?![\\s\\S]*\\n[> ] ${blank})[\\s\\S]*3 of 3 ready[\\s\\S]*nothing to do`));

  await terminal.press('x');
  await sees(terminal, /are lost with their data; example-\w+ is left/);
  await sees(terminal, /QuorumLost[\s\S]*v to recover/);
  await terminal.press('v');
  await sees(terminal, /you: recovered from member example-\w+/);
  await sees(terminal, /3 of 3 ready[\s\S]*nothing to do/);

  await terminal.press('r');
  await sees(terminal, /5 nodes rebooted/);
  await sees(terminal, /3 of 3 ready[\s\S]*nothing to do/);

  await terminal.press('-');
  await sees(terminal, /1 of 1 ready[\s\S]*nothing to do/);

  await terminal.press('s');
  await sees(terminal, /you: backed up to backups\/example-1/);
  // The only member is killed, and all data is lost: the screen says which key helps.
  await terminal.press('k');
  await sees(terminal, /DataLost {2}0 of 1 ready[\s\S]*press l to restore backups\/example-1, or n/);
  await terminal.press('l');
  await sees(terminal, /you: restored from backups\/example-1/);
  await sees(terminal, /1 of 1 ready[\s\S]*nothing to do/);
  await terminal.press('k');
  await sees(terminal, /DataLost {2}0 of 1 ready/);
  await terminal.press('n');
  await sees(terminal, /you: EtcdCluster example was created again, empty/);
  await sees(terminal, /Running {2}1 of 1 ready[\s\S]*nothing to do/);
  await terminal.press('u');
  await sees(terminal, /1 of 1 ready {2}etcd 3\.7\.\d+ [\s\S]*nothing to do/);
  await terminal.press('+');
  await sees(terminal, /3 of 3 ready[\s\S]*nothing to do/);

  await terminal.press('!');
  // Input before the shell has the terminal goes to the playground.
  await sees(terminal, /Type exit, or press Ctrl-D, to come back\.\s+[#$]\s*$/m);
  await terminal.press('kubectl-etcd status; sleep 2; exit\n');
  await sees(terminal, /EtcdCluster default\/example {3}Running/);
  await terminal.resize(64, 16);
  const small = await sees(terminal, /MEMBER +ROLE +HEALTH/);
  expect(small).not.toContain('REVISION');
  await terminal.press('?');
  await sees(terminal, /Arrows choose a member/);

  const below = descendants(pid);
  expect(below.length).toBeGreaterThan(3);
  await terminal.press('\u0003');
  expect(await gone([pid, ...below])).toEqual([]);
  expect(entries()).toEqual([]);
  expect(existsSync(kubeconfig)).toBe(false);
}, 300_000);

test('two playgrounds do not collide, a busy port is no trouble, and SIGKILL leaves nothing', async () => {
  const one = new PlaygroundProcess(['--plain', '--size', '1', '--port', '0'], env);
  const port = /127\.0\.0\.1:(\d+)/.exec(await one.says(/kube-lab is up/))?.[1] ?? '';
  const two = new PlaygroundProcess(['--plain', '--size', '1', '--port', port], env);
  await two.says(/port \d+ is already in use: the API server uses another port/);
  await Promise.all([one.says(/ s {2}available/), two.says(/ s {2}available/)]);
  await Promise.all([one.says(/npm run lab/), two.says(/npm run lab/)]);

  const both = await lab(['status'], env);
  expect(both).toMatchObject({ status: 1, text: expect.stringContaining('several playgrounds are running') });
  const chosen = await lab(['status'], { ...env, PLAYGROUND: String(two.pid) });
  expect(chosen).toMatchObject({ status: 0, text: expect.stringContaining('1 of 1 ready') });

  const below = [...descendants(one.pid), ...descendants(two.pid)];
  expect(await one.end('SIGTERM')).toBe(0);
  expect(await two.end('SIGKILL')).toBe('SIGKILL');
  expect(await gone(below)).toEqual([]);
  expect(await lab(['status'], env)).toMatchObject({
    status: 1,
    text: expect.stringContaining('no playground is running'),
  });
  expect(entries()).toEqual([]);
}, 300_000);
