// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path';
import { type Block, exchangesOf } from '@etcd-operator/tools/markdown';
import { expect, test, vi } from 'vitest';
import { startLabCluster } from './lab-cluster.ts';
import { blocksOf, home, messageOf } from './readme.ts';
import { attempt, keepRunning, type Running } from './terminal.ts';

const patience = { timeout: 60_000, interval: 100 };

/** Ages differ, and so does the space beside them. */
const comparable = (text: string) => text.replace(/\b\d+s\b/g, 'N').replace(/ +/g, ' ');

/** Waits until these lines have appeared, in this order, after the line `from`. Returns the position. */
async function heard(controller: Running, { content }: Block, from: number): Promise<number> {
  let at = from;
  for (const wanted of content.split('\n').map(messageOf)) {
    at = await vi.waitFor(() => {
      const found = controller.lines.findIndex((line, index) => index >= at && messageOf(line) === wanted);
      expect(found, `${wanted}\nin\n${controller.lines.slice(from).join('\n')}`).toBeGreaterThanOrEqual(0);
      return found + 1;
    }, patience);
  }
  return at;
}

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
    if (block.language === 'log') at = await heard(controller, block, at);
    for (const { command, output } of block.language === 'console' ? exchangesOf(block) : []) {
      const { text } = await attempt(command, place);
      expect(`$ ${command}\n${comparable(text)}`).toBe(`$ ${command}\n${comparable(output)}`);
    }
  }
  expect(await (await fetch(`${url}/networks`)).json()).toEqual({});
});
