// SPDX-License-Identifier: Apache-2.0
/**
 * The first step of every npm script. It works on the machine's own Node (20 or newer) without installed packages: it
 * installs package-lock.json if that has changed, then runs the pinned Node 24, which runs TypeScript directly. If
 * nothing has changed it takes about 50 ms.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** npm script -> its program. */
const programs = {
  start: 'apps/playground/src/main.ts',
  test: 'tools/test/main.ts',
  'test:conformance': 'tools/test/conformance.ts',
  'test:long': 'tools/test/long.ts',
  'test:e2e': 'tools/test/e2e.ts',
  'test:mutants': 'tools/mutants/main.ts',
  check: 'tools/check/main.ts',
  format: 'tools/check/format.ts',
  build: 'tools/build/main.ts',
  tools: 'tools/parts/main.ts',
  generate: 'tools/generate/main.ts',
  cluster: 'tools/cluster/main.ts',
  image: 'tools/image/main.ts',
  lab: 'apps/playground/src/lab.ts',
  bench: 'bench/main.ts',
  checklist: 'tools/checklist/main.ts',
  'set-version': 'tools/version/main.ts',
  release: 'tools/release/main.ts',
  audit: 'tools/supply-chain/main.ts',
  docs: 'tools/site/main.ts',
};

const [name, ...args] = process.argv.slice(2);
const program = programs[name];
if (!program) fail(`there is no command "${name ?? ''}"; known are: ${Object.keys(programs).join(', ')}`);

requireNode20();
install();
run(pinnedNode(), join(root, program), args);

function requireNode20() {
  const major = Number(process.versions.node.split('.')[0]);
  if (major < 20)
    fail(`Node ${process.versions.node} is too old to set up this project: install Node 20 or newer (nodejs.org)`);
}

/**
 * Installs if the lockfile or a package.json has changed since the last install. Two concurrent first runs do not
 * collide.
 */
function install() {
  const stamp = join(root, 'node_modules', '.etcd-operator-install');
  const isCurrent = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === fingerprint();
  if (isCurrent()) return;
  const unlock = lock(join(root, '.install-lock'));
  let problem;
  try {
    if (isCurrent()) return;
    problem = runInstall();
    // npm may have completed the lockfile: its final state counts.
    if (!problem) writeFileSync(stamp, fingerprint());
  } finally {
    unlock();
  }
  if (problem) fail(problem);
}

/** Returns the error, if any. */
function runInstall() {
  process.stderr.write('Installing npm packages (first run, or package-lock.json changed) ...\n');
  const started = performance.now();
  const result = spawnSync('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', '--ignore-scripts'], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (result.error) return 'npm was not found on PATH: install npm 10 or newer (it comes with Node)';
  if (result.status !== 0) {
    return 'npm install failed (its own message is above): check the network or the registry set in your npm configuration, then run the command again';
  }
  process.stderr.write(`Installed in ${((performance.now() - started) / 1000).toFixed(1)} s.\n`);
  return undefined;
}

function fingerprint() {
  const hash = createHash('sha256');
  for (const file of ['package.json', 'package-lock.json', ...workspaceManifests()]) {
    const path = join(root, file);
    if (existsSync(path)) hash.update(file).update(readFileSync(path));
  }
  return hash.digest('hex');
}

function workspaceManifests() {
  const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return workspaces.flatMap((pattern) => {
    if (!pattern.endsWith('/*')) return [`${pattern}/package.json`];
    const folder = pattern.slice(0, -2);
    return existsSync(join(root, folder))
      ? readdirSync(join(root, folder))
          .sort()
          .map((n) => `${folder}/${n}/package.json`)
      : [];
  });
}

/** Only one process can create a folder; a lock without a living owner is taken over. */
function lock(folder) {
  const owner = join(folder, 'pid');
  for (let waited = false; ; ) {
    try {
      mkdirSync(folder);
      writeFileSync(owner, String(process.pid));
      return () => rmSync(folder, { recursive: true, force: true });
    } catch (error) {
      if (error.code !== 'EEXIST') fail(`cannot write to ${root}: ${error.message}`);
    }
    if (!isAlive(owner, folder)) {
      rmSync(folder, { recursive: true, force: true });
      continue;
    }
    if (!waited) process.stderr.write('Another process is installing; waiting for it ...\n');
    waited = true;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  }
}

function isAlive(owner, folder) {
  try {
    process.kill(Number(readFileSync(owner, 'utf8')), 0);
    return true;
  } catch (error) {
    if (error.code === 'EPERM') return true;
    if (error.code !== 'ENOENT') return false;
    // Just created without its pid yet, or left by a process that died in between.
    return existsSync(folder) && Date.now() - statSync(folder).mtimeMs < 2000;
  }
}

/** Node 24 comes as an npm package, so that all machines use the same version. */
function pinnedNode() {
  const pinned = join(root, 'node_modules', '.bin', 'node');
  if (existsSync(pinned)) return pinned;
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath;
  fail(
    `there is no packaged Node 24 for ${process.platform}/${process.arch}: install Node 24 or newer and run the command again`,
  );
}

function run(node, file, programArgs) {
  const env = { ...process.env, PATH: `${join(root, 'node_modules', '.bin')}:${process.env.PATH ?? ''}` };
  const child = spawn(node, [file, ...programArgs], { cwd: root, stdio: 'inherit', env });
  // A terminal sends Ctrl-C to the whole group, including the child; other signals are forwarded.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => (signal === 'SIGINT' && process.stdin.isTTY ? undefined : child.kill(signal)));
  }
  child.on('error', (error) => fail(`cannot run ${node}: ${error.message}`));
  child.on('exit', (code, signal) => {
    if (signal) process.exitCode = 128 + (signal === 'SIGINT' ? 2 : signal === 'SIGTERM' ? 15 : 1);
    else process.exitCode = code ?? 1;
  });
}

function fail(message) {
  process.stderr.write(`etcd-operator: ${message}\n`);
  process.exit(1);
}
