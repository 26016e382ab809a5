// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensurePart } from '@etcd-operator/tools';
import { etcdImage, operatorImageName } from '@etcd-operator/tools/image';
import { afterAll, describe, expect, test } from 'vitest';
import { theCluster } from './testing/cluster.ts';
import { startStore } from './testing/scenes/s3.ts';
import { openScene } from './testing/scenes/scene.ts';

const root = join(import.meta.dirname, '..', '..');
const read = (file: string) => readFileSync(join(root, 'example', file), 'utf8');

describe('the walk-through', () => {
  // Whichever step it has reached: the next file finds an empty cluster.
  afterAll(async () => {
    const cluster = await theCluster();
    const gone = ['--ignore-not-found', '--wait=false'];
    await cluster.run([cluster.kubectlProgram, 'delete', 'etcdclusters', '--all', '--namespace=default', ...gone]);
    const operators = ['etcd-operator', 'etcd-backup-operator', 'etcd-restore-operator'];
    await cluster.kubectl(['delete', 'deployment', ...operators, '--namespace=default', ...gone]);
    await cluster.kubectl(['delete', 'secret', 'aws', '--namespace=default', ...gone]);
    await cluster.kubectl(['delete', 'pod', 'etcd-client', '--namespace=default', '--now', ...gone]);
    await cluster.kubectl(['delete', 'clusterrole,clusterrolebinding', 'etcd-operator', ...gone]);
    await cluster.kubectl(['delete', 'crd', 'etcdclusters.etcd.database.coreos.com', ...gone]);
  });

  test('[105] works from the first line to the last, as written', { timeout: 600_000 }, async () => {
    await using scene = await openScene('walk-through', { podSecurity: 'restricted' });
    const { cluster } = scene;
    const store = await startStore(scene);
    await using home = await temporaryFolder();
    await mkdir(join(home.path, '.aws'));
    for (const [name, text] of Object.entries(store.files)) await writeFile(join(home.path, '.aws', name), text);
    const { status, stdout, stderr } = await cluster.run([join(root, 'example', 'walk-through.sh')], {
      cwd: root,
      environment: { HOME: home.path, S3_PATH: `${store.bucket}/etcd.backup` },
      timeoutMilliseconds: 580_000,
    });
    const output = `${stdout}\n${stderr}`;
    expect({ status, output: status === 0 ? '' : output }).toEqual({ status: 0, output: '' });
    expect(output).toContain('The walk-through is complete.');
    expect(await store.keys()).toContain('etcd.backup');
    expect(output).toMatch(/example-etcd-cluster-[bcdfghjklmnpqrstvwxz2456789]{10} /);
  });
});

async function temporaryFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'etcd-operator-walk-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

describe('its files', () => {
  test('[105] deploy the operator under the label, by the command and with the environment of CoreOS etcd-operator', () => {
    const lines = read('deployment.yaml')
      .split('\n')
      .map((line) => line.trim());
    expect(lines).toContain('name: etcd-operator');
    expect(lines.slice(lines.indexOf('command:'))[1]).toBe('- etcd-operator');
    for (const name of ['MY_POD_NAMESPACE', 'MY_POD_NAME']) expect(lines).toContain(`- name: ${name}`);
  });

  test('name the image that is built here', () => {
    expect(read('deployment.yaml')).toContain(`image: ${operatorImageName}\n`);
  });

  test('name versions of etcd that are built here', async () => {
    const [from, to] = [(await ensurePart('etcd@3.6')).version, (await ensurePart('etcd@3.7')).version];
    expect(read('example-etcd-cluster.yaml')).toContain(`version: "${from}"`);
    expect(read('walk-through.sh')).toContain((await etcdImage('etcd@3.6')).names[0]);
    expect(read('walk-through.sh')).toContain(`version: "${to}"`);
  });
});
