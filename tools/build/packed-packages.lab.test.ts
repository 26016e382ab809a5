// SPDX-License-Identifier: Apache-2.0
/** Every package as its user gets it: packed, installed in an empty folder, and running its README's example. */
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePorts } from '../api-server/free-ports.ts';
import { blocksOf } from '../markdown/index.ts';
import { ownPackage, partsScope } from '../own-packages.ts';
import { ensurePart } from '../parts/index.ts';
import { outputOf, runProgram as runToEnd } from '../process/run-program.ts';
import { repositoryRoot as root } from '../repository-root.ts';
import { buildPackages } from './build-packages.ts';
import { repositoryOf, workspacesOf } from './workspace.ts';

const packages = workspacesOf(root, 'packages');
let user: string;

const installed = (name: string, file = '') => join(user, 'node_modules', partsScope, name, file);

/** Unpacks what npm packs. Packages of other projects come from this repository's node_modules, only on request. */
beforeAll(async () => {
  user = await mkdtemp(join(tmpdir(), 'packed-'));
  await writeFile(join(user, 'package.json'), '{ "type": "module" }\n');
  const built = join(user, 'built');
  await buildPackages(packages, { root, out: built });
  for (const { name, manifest } of packages) {
    const stdout = await outputOf(['npm', 'pack', '--silent', '--pack-destination', user], { cwd: join(built, name) });
    await mkdir(installed(name), { recursive: true });
    await outputOf(['tar', '-xzf', join(user, stdout.trim()), '--strip-components=1', '-C', installed(name)]);
    for (const dependency of Object.keys(manifest.dependencies ?? {})) await bring(dependency);
  }
  await rm(built, { recursive: true });
  await bring('vitest');
}, 300_000);

afterAll(() => rm(user, { recursive: true, force: true }));

async function bring(dependency: string): Promise<void> {
  if (ownPackage(dependency) !== undefined) return;
  const place = join(user, 'node_modules', dependency);
  await mkdir(dirname(place), { recursive: true });
  await symlink(join(root, 'node_modules', dependency), place).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}

/** The nth example of a README that begins with an import. */
async function exampleOf(name: string, number = 0): Promise<string> {
  const blocks = blocksOf(installed(name, 'README.md'));
  const block = blocks.filter(({ language, content }) => language === 'ts' && content.startsWith('import '))[number];
  if (block === undefined) throw new Error(`the README of ${name} has no example ${number}`);
  return `${block.content}\n`;
}

async function runProgram(file: string, text: string): Promise<string> {
  await writeFile(join(user, file), text);
  return outputOf([process.execPath, join(user, file)], { cwd: user, timeoutMilliseconds: 120_000 });
}

test.each(packages)('$name says what it is, where it comes from, and how it is used', async ({ name }) => {
  const manifest: unknown = JSON.parse(await readFile(installed(name, 'package.json'), 'utf8'));
  expect(manifest).toMatchObject({
    description: expect.stringMatching(/\w/),
    license: 'Apache-2.0',
    keywords: expect.arrayContaining([expect.any(String)]),
    repository: { ...repositoryOf(root), directory: `packages/${name}` },
  });
  expect(await readFile(installed(name, 'README.md'), 'utf8')).toMatch(/^# /);
  expect(await readFile(installed(name, 'LICENSE'), 'utf8')).toContain('Apache License');
});

describe('the example of the README runs with the packed package', { timeout: 180_000 }, () => {
  test('ports', async () => {
    expect(await runProgram('ports.ts', `${await exampleOf('ports')}\nconsole.log(result);`)).toBe('3\n');
  });

  test('crd', async () => {
    expect(await runProgram('crd.ts', `${await exampleOf('crd')}\nconsole.log(yaml);`)).toContain(
      'name: databases.example.com\n',
    );
  });

  test('blob', async () => {
    const example = (await exampleOf('blob')).replace("'/backups'", JSON.stringify(join(user, 'backups')));
    await mkdir(join(user, 'backups'));
    expect(await runProgram('blob.ts', example)).toMatch(/^21 [0-9a-f]{64}\nprod\/etcd\.backup\npart 2\ntrue\n$/);
  });

  test('kube, with an API server of kube-lab', async () => {
    const use = `
import { startLab } from '@operator-parts/kube-lab';
await using lab = await startLab({ nodes: 0 });
console.log(await countStart({ KUBECONFIG: lab.kubeconfigPath }), await countStart({ KUBECONFIG: lab.kubeconfigPath }));`;
    expect(await runProgram('kube.ts', `${await exampleOf('kube')}${use}`)).toBe('1 2\n');
  });

  test('controller-runtime, with an API server of kube-lab', async () => {
    const use = `
import { configMaps, createClient } from '@operator-parts/kube';
import { createApiServer } from '@operator-parts/kube-lab';
import { greetings, runGreetings } from './controller.ts';
const server = createApiServer();
const client = createClient(server.transport());
const stop = new AbortController();
const ended = runGreetings(client, stop.signal);
const greeting = { apiVersion: 'example.com/v1', kind: 'Greeting', metadata: { namespace: 'default', name: 'one' } };
const again = async (work) => { for (;;) try { return await work(); } catch { await new Promise((next) => setTimeout(next, 50)); } };
await again(() => client.resource(greetings.resource).create({ ...greeting, spec: { name: 'world' } }));
const made = await again(() => client.resource(configMaps).get({ namespace: 'default', name: 'one-greeting' }));
process.stderr.write(made.data.text);
stop.abort();
await ended;
await server.close();`;
    await writeFile(join(user, 'controller.ts'), await exampleOf('controller-runtime'));
    await writeFile(join(user, 'use-controller.ts'), use);
    const options = { cwd: user, timeoutMilliseconds: 120_000 };
    const result = await runToEnd([process.execPath, join(user, 'use-controller.ts')], options);
    expect(result).toMatchObject({ outcome: 'ok', stderr: 'Hello, world!' });
  });

  test('etcd, with a real member', async () => {
    const { programs } = await ensurePart('etcd@3.6', { fromPath: false });
    const [client = 0, peer = 0] = await freePorts(2);
    const url = (port: number) => `http://127.0.0.1:${port}`;
    const flags = ['--listen-client-urls', '--advertise-client-urls'].map((flag) => `${flag}=${url(client)}`);
    const peerFlags = ['--listen-peer-urls', '--initial-advertise-peer-urls'].map((flag) => `${flag}=${url(peer)}`);
    const first = `--initial-cluster=default=${url(peer)}`;
    const member = spawn(programs['etcd'] ?? '', [`--data-dir=${join(user, 'data')}`, ...flags, ...peerFlags, first], {
      stdio: 'ignore',
    });
    try {
      await expect
        .poll(
          () =>
            fetch(`${url(client)}/readyz`).then(
              ({ ok }) => ok,
              () => false,
            ),
          { timeout: 60_000 },
        )
        .toBe(true);
      const example = (await exampleOf('etcd')).replace('port: 2379', `port: ${client}`);
      expect(await runProgram('etcd.ts', example)).toMatch(
        /^3\.6\.\d+, learner: false, revision 1\n[0-9a-f]+ default\n/,
      );
    } finally {
      member.kill('SIGKILL');
    }
  });

  test('kube-lab, a whole test file', async () => {
    await writeFile(join(user, 'greeter.test.ts'), await exampleOf('kube-lab'));
    const vitest = join(user, 'node_modules', 'vitest', 'vitest.mjs');
    const argv = [process.execPath, vitest, 'run', '--root', user];
    const stdout = await outputOf(argv, { cwd: user, timeoutMilliseconds: 120_000 });
    expect(stdout).toMatch(/2 passed/);
  });

  test('kube-lab, with nodes that run a pod', async () => {
    const { programs, libraries } = await ensurePart('busybox');
    const given = "{ programs: { busybox: '/bin/busybox' }, libraries: {} }";
    const example = await exampleOf('kube-lab', 1);
    expect(example).toContain(given);
    expect(await runProgram('nodes.ts', example.replace(given, JSON.stringify({ programs, libraries })))).toMatch(
      /^10\.\d+\.\d+\.\d+\n$/,
    );
  });
});
