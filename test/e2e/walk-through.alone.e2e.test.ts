// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensurePart } from '@etcd-operator/tools';
import { etcdImage, operatorImageName } from '@etcd-operator/tools/image';
import { afterAll, describe, expect, test } from 'vitest';
import { theCluster } from './testing/cluster.ts';

const root = join(import.meta.dirname, '..', '..');
const read = (file: string) => readFileSync(join(root, 'example', file), 'utf8');

describe('the walk-through', () => {
  // Whatever step it has come to: the next file finds an empty cluster.
  afterAll(async () => {
    const cluster = await theCluster();
    const gone = ['--ignore-not-found', '--wait=false'];
    await cluster.run([cluster.kubectlProgram, 'delete', 'etcdclusters', '--all', '--namespace=default', ...gone]);
    await cluster.kubectl(['delete', 'deployment', 'etcd-operator', '--namespace=default', ...gone]);
    await cluster.kubectl(['delete', 'pod', 'etcd-client', '--namespace=default', '--now', ...gone]);
    await cluster.kubectl(['delete', 'clusterrole,clusterrolebinding', 'etcd-operator', ...gone]);
    await cluster.kubectl(['delete', 'crd', 'etcdclusters.etcd.database.coreos.com', ...gone]);
  });

  test('works from the first line to the last, as written', { timeout: 600_000 }, async () => {
    const cluster = await theCluster();
    const { status, stdout, stderr } = await cluster.run([join(root, 'example', 'walk-through.sh')], {
      cwd: root,
      timeoutMilliseconds: 580_000,
    });
    const output = `${stdout}\n${stderr}`;
    expect({ status, output: status === 0 ? '' : output }).toEqual({ status: 0, output: '' });
    expect(output).toContain('The walk-through is complete.');
    expect(output).toMatch(/example-etcd-cluster-[bcdfghjklmnpqrstvwxz2456789]{10} /);
  });
});

describe('its files', () => {
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
