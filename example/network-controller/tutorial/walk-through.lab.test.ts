// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path';
import { exchangesOf } from '@etcd-operator/tools/markdown';
import { expect, test } from 'vitest';
import { comparable, heard } from './heard.ts';
import { startLabCluster } from './lab-cluster.ts';
import { blocksOf, home } from './readme.ts';
import { attempt, keepRunning } from './terminal.ts';

const patience = { timeout: 60_000, interval: 100 };

test('the walk-through of the README, typed as written against a cluster, with no more rights than deploy/rbac.yaml gives', async () => {
  await using cluster = await startLabCluster();
  const place = cluster.place(home);
  const [neutronBlock, controllerBlock, ...rest] = blocksOf('Walk through');
  await using neutron = keepRunning(`${neutronBlock?.content} -- -port=0`, place);
  const url = await neutron.says(/listens at (\S+)/);
  const account = { ...place, env: { ...place.env, KUBECONFIG: join(cluster.userHome, '.kube', 'config') } };
  await using controller = keepRunning(`${controllerBlock?.content} -neutron=${url}`, account);
  let at = 0;
  for (const block of rest) {
    if (block.language === 'log') at = await heard(controller, block, at, patience);
    for (const { command, output } of block.language === 'console' ? exchangesOf(block) : []) {
      const { text } = await attempt(command, place);
      expect(`$ ${command}\n${comparable(text)}`).toBe(`$ ${command}\n${comparable(output)}`);
    }
  }
  expect(await (await fetch(`${url}/networks`)).json()).toEqual({});
});
