// SPDX-License-Identifier: Apache-2.0
/** The tutorials' Network controller, typed into shells of a playground as in its README. */
import { join } from 'node:path';
import { blocksOf, exchangesOf } from '@etcd-operator/tools/markdown';
import { expect, test } from 'vitest';
import { startTyping } from './testing/typed.ts';

const folder = 'example/network-controller';

/** The commands of the README's walk-through, in order. */
function typedLines(): readonly string[] {
  const blocks = blocksOf(join(import.meta.dirname, '../../..', folder, 'README.md'));
  return blocks
    .filter(({ section }) => section === 'Walk through')
    .flatMap((block) => {
      if (block.language === 'sh') return block.content.split('\n');
      return block.language === 'console' ? exchangesOf(block).map(({ command }) => command) : [];
    });
}

test('it starts before its CRD exists, creates, changes and deletes, and says so in the words of the tutorials', async () => {
  await using terminal = startTyping(['--empty']);
  await terminal.playground.says(/export KUBECONFIG/);
  const [neutron = '', controller = '', crd = '', create = '', ...more] = typedLines();
  expect(controller).toBe('./samplecrd-controller -kubeconfig=$KUBECONFIG -alsologtostderr=true');
  await using service = terminal.keepTyping(`cd ${folder} && ${neutron}`);
  await service.says(/Neutron listens at/);
  await using running = terminal.keepTyping(`cd ${folder} && ${controller}`);
  const type = (line: string) => terminal.type(`cd ${folder} && ${line}`);
  await running.says(/Setting up event handlers/);
  await running.says(/Starting Network control loop/);
  await running.says(/Waiting for informer caches to sync/);
  await running.says(
    /Failed to list .*the server could not find the requested resource \(get networks\.samplecrd\.k8s\.io\)/,
  );
  expect(await type(crd)).toContain('networks.samplecrd.k8s.io created');
  await running.says(/Started workers/);
  expect(await type(create)).toBe('network.samplecrd.k8s.io/example-network created\n');
  const line = await running.says(/\[Neutron\] Try to process network: .*Cidr:"192\.168\.0\.0\/16"/);
  const version = await type("kubectl get network example-network -o jsonpath='{.metadata.resourceVersion}'");
  expect(line).toContain(`ResourceVersion:"${version}"`);
  await running.says(/Successfully synced 'default\/example-network'/);

  const change = more.find((words) => words.includes('192.168.1')) ?? '';
  expect(await type(change)).toBe('network.samplecrd.k8s.io/example-network configured\n');
  await running.says(/\[Neutron\] Try to process network: .*Cidr:"192\.168\.1\.0\/16"/);
  await type('kubectl delete -f example/example-network.yaml');
  await running.says(/^W .*Network: default\/example-network is being deleted, will delete it from Neutron \.\.\.$/);
  await running.says(/\[Neutron\] Deleting network: default\/example-network \.\.\./);
}, 300_000);
