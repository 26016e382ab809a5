// SPDX-License-Identifier: Apache-2.0

import { addresses } from '@etcd-operator/tools/cluster';
import type { Node } from '@operator-parts/kube';
import { expect, test } from 'vitest';
import { theCluster } from './testing/cluster.ts';
import { sceneIn } from './testing/scenes/scene.ts';

test('there is one node, and it is Ready', async () => {
  const scene = sceneIn(await theCluster(), 'default');
  const nodes = await scene.list<Node>('node');
  expect(nodes.map(({ metadata }) => metadata?.name)).toEqual([addresses.nodeName]);
  expect(nodes[0]?.status?.conditions).toContainEqual(expect.objectContaining({ type: 'Ready', status: 'True' }));
});

test('the server and kubectl are of the same version', async () => {
  const scene = sceneIn(await theCluster(), 'default');
  const { clientVersion, serverVersion } = JSON.parse(await scene.kubectl('version', '--output=json')) as {
    readonly clientVersion: { readonly gitVersion: string };
    readonly serverVersion: { readonly gitVersion: string };
  };
  expect(serverVersion.gitVersion).toMatch(/^v1\.36\./);
  expect(clientVersion.gitVersion).toBe(serverVersion.gitVersion);
});

test('there is no way out', async () => {
  const { run } = await theCluster();
  const routes = (await run(['ip', 'route'])).stdout;
  expect(routes).not.toContain('default');
  const links = (await run(['ip', '-brief', 'link'])).stdout
    .trim()
    .split('\n')
    .map((line) => line.split(/[@ ]/)[0]);
  expect(links.filter((link) => !/^(lo|node0|veth\w+|ifb\d+)$/.test(link ?? ''))).toEqual([]);
});
