// SPDX-License-Identifier: Apache-2.0
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { operatorImageName } from '@etcd-operator/operator';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ownPackage } from '../own-packages.ts';
import { repositoryRoot } from '../repository-root.ts';
import { layOut } from './lay-out.ts';
import { operatorPrograms, operatorSettings } from './operator-image.ts';

// Long limits: real files and processes on a possibly busy machine.
vi.setConfig({ testTimeout: 120_000 });

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'etcd-operator-programs-'));
  await layOut((await operatorPrograms()).files, folder);
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const declared = () => {
  return ['operator', 'kubectl-etcd'].flatMap((app) => {
    const file = join(repositoryRoot, 'apps', app, 'package.json');
    return Object.keys((JSON.parse(readFileSync(file, 'utf8')) as { readonly programs: object }).programs);
  });
};

test('[17] programs are executable files that say what runs them, and links with the names that people type', () => {
  const originals = ['etcd-operator', 'etcd-backup-operator', 'etcd-restore-operator'];
  expect(readdirSync(join(folder, 'usr', 'local', 'bin'))).toEqual(expect.arrayContaining(originals));
  expect(readdirSync(join(folder, 'usr', 'local', 'bin')).sort()).toEqual(declared().sort());
  for (const name of declared()) {
    const target = readlinkSync(join(folder, 'usr', 'local', 'bin', name));
    expect(target).toBe(`/usr/local/lib/etcd-operator/${name}.mjs`);
    expect(readFileSync(join(folder, target), 'utf8').startsWith('#!/usr/local/bin/node --optimize-for-size\n')).toBe(
      true,
    );
    expect(statSync(join(folder, target)).mode & 0o777).toBe(0o755);
  }
});

test('each program starts without anything installed and knows its version', () => {
  for (const name of declared()) {
    const file = join(folder, 'usr', 'local', 'lib', 'etcd-operator', `${name}.mjs`);
    const output = execFileSync(process.execPath, [file, '--version'], { encoding: 'utf8', cwd: '/' });
    expect(output).toContain(operatorImageName.split(':v')[1]);
  }
});

test('the Containerfile starts it as the same user, with the same environment, and says the same of it', () => {
  const stages = readFileSync(join(repositoryRoot, 'Containerfile'), 'utf8').split(/^FROM /m);
  const { command, environment, user, labels } = operatorSettings;
  const said = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
  expect(stages.at(-1)?.split('\n')).toEqual(
    expect.arrayContaining([
      'scratch',
      // The folders of --files have container engines' names of the architectures.
      'COPY $TARGETARCH/ /',
      `LABEL ${said.join(' ')}`,
      `ENV ${environment.join(' ')}`,
      `USER ${user}`,
      'WORKDIR /',
      'ENTRYPOINT []',
      `CMD ${JSON.stringify(command)}`,
    ]),
  );
});

test('the bill of materials names every package that is bundled, with the version that is installed, and none of ours', () => {
  const file = join(folder, 'usr', 'share', 'sbom', 'etcd-operator.cdx.json');
  const { components } = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly components: readonly { readonly name: string; readonly version: string }[];
  };
  const names = components.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['undici', '@aws-sdk/client-s3']));
  expect(names.filter((name) => ownPackage(name) !== undefined || name === 'vitest')).toEqual([]);
  const undici = JSON.parse(readFileSync(join(repositoryRoot, 'node_modules', 'undici', 'package.json'), 'utf8'));
  expect(components.find(({ name }) => name === 'undici')?.version).toBe(undici.version);
});
