// SPDX-License-Identifier: Apache-2.0
import { cpSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { startLabCluster } from './lab-cluster.ts';
import { blocksOf, home } from './readme.ts';
import { attempt, keepRunning, type } from './terminal.ts';

const repository = join(home, '..', '..');
const patience = { timeout: 60_000, interval: 100 };

test('the steps under "Make it your own" give a controller of another kind that compiles and works', async () => {
  await using cluster = await startLabCluster();
  const root = cluster.userHome;
  // A clone with the files that these steps need.
  cpSync(home, join(root, 'example', 'network-controller'), { recursive: true });
  for (const file of ['package.json', 'tsconfig.json']) cpSync(join(repository, file), join(root, file));
  symlinkSync(join(repository, 'node_modules'), join(root, 'node_modules'));

  const [steps] = blocksOf('Make it your own');
  expect(await type(`set -e\n${steps?.content}`, cluster.place(root))).toContain('tools/generate-crd.ts');
  const copy = join(root, 'example', 'volume-controller');
  const place = cluster.place(copy);
  expect(await attempt('grep -rli network .', place)).toEqual({ status: 1, text: '' });
  expect(readFileSync(join(copy, 'crd', 'volume.yaml'), 'utf8')).toContain('name: volumes.storage.example.com');
  expect(await type('tsc --project .', cluster.place(root))).toBe('');

  await type('kubectl apply -f crd/volume.yaml', place);
  await type('kubectl apply -f example/example-volume.yaml', place);
  await using neutron = keepRunning('npm run neutron -- -port=0', place);
  const url = await neutron.says(/listens at (\S+)/);
  await using controller = keepRunning(`npm start -- -kubeconfig=$KUBECONFIG -neutron=${url}`, place);
  await vi.waitFor(async () => {
    expect(controller.lines.join('\n')).toContain("Successfully synced 'default/example-volume'");
    const actual = await (await fetch(`${url}/volumes`)).json();
    expect(actual).toEqual({ 'default/example-volume': { cidr: '192.168.0.0/16', gateway: '192.168.0.1' } });
  }, patience);
});
