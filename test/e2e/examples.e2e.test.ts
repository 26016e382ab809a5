// SPDX-License-Identifier: Apache-2.0
/** The two example controllers on a real cluster, with the commands of their READMEs typed as written. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Cluster } from '@etcd-operator/tools/cluster';
import { sidecarInjectorImage } from '@etcd-operator/tools/image';
import { blocksOf as blocksOfPage, exchangesOf } from '@etcd-operator/tools/markdown';
import { expect, test, vi } from 'vitest';
import { comparable, heard } from '../../example/network-controller/tutorial/heard.ts';
import { blocksOf, home } from '../../example/network-controller/tutorial/readme.ts';
import { attempt, keepRunning, type Place, type } from '../../example/network-controller/tutorial/terminal.ts';
import { theCluster } from './testing/cluster.ts';
import { root } from './testing/scenes/manifests.ts';

const patience = { timeout: 120_000, interval: 100 };

/** A home folder from which kubectl connects to the cluster as an administrator. */
async function openPlace(cluster: Cluster, folder: string): Promise<Place & AsyncDisposable> {
  const userHome = await mkdtemp(join(tmpdir(), 'etcd-operator-example-'));
  const path = [dirname(cluster.kubectlProgram), dirname(process.execPath), process.env['PATH']].join(':');
  const env = { PATH: path, HOME: userHome, KUBECONFIG: cluster.kubeconfig, npm_config_update_notifier: 'false' };
  return { folder, env, [Symbol.asyncDispose]: () => rm(userHome, { recursive: true, force: true }) };
}

/** `~/.kube/config` with only the rights of a service account. */
async function becomeAccount(cluster: Cluster, place: Place, account: string): Promise<void> {
  const config = join(place.env['HOME'] ?? '', '.kube', 'config');
  await mkdir(dirname(config), { recursive: true });
  await writeFile(config, await readFile(cluster.kubeconfig, 'utf8'));
  const token = (await type(`kubectl create token ${account}`, place)).trim();
  await type(`kubectl config set-credentials account --token=${token} --kubeconfig=${config}`, place);
  await type(`kubectl config set-context --kubeconfig=${config} --current --user=account`, place);
}

/** The output of a command, once the API server has seen earlier changes: CAs, Services, kinds. */
function answerTo(command: string, place: Place): Promise<string> {
  return vi.waitFor(async () => {
    const { text } = await attempt(command, place);
    expect(text).not.toContain('failed calling webhook');
    expect(text).not.toContain('ensure CRDs are installed first');
    return text;
  }, patience);
}

test('network-controller: the walk-through of its README', async () => {
  const cluster = await theCluster();
  await using place = await openPlace(cluster, home);
  await using _cleared = removedAtTheEnd(
    place,
    '-f example/example-network.yaml -f crd/network.yaml -f deploy/rbac.yaml',
  );
  await type('kubectl apply -f deploy/rbac.yaml', place);
  await becomeAccount(cluster, place, 'network-controller');
  const [neutronBlock, controllerBlock, ...rest] = blocksOf('Walk through');
  await using neutron = keepRunning(`${neutronBlock?.content} -- -port=0`, place);
  const url = await neutron.says(/listens at (\S+)/);
  const account = { ...place, env: { ...place.env, KUBECONFIG: join(place.env['HOME'] ?? '', '.kube', 'config') } };
  await using controller = keepRunning(`${controllerBlock?.content} -neutron=${url}`, account);
  let at = 0;
  for (const block of rest) {
    if (block.language === 'log') at = await heard(controller, block, at, patience);
    for (const { command, output } of block.language === 'console' ? exchangesOf(block) : []) {
      const text = await answerTo(command, place);
      expect(`$ ${command}\n${comparable(text)}`).toBe(`$ ${command}\n${comparable(output)}`);
    }
  }
  expect(await (await fetch(`${url}/networks`)).json()).toEqual({});
});

test('sidecar-injector: the walk-through of its README', async () => {
  const cluster = await theCluster();
  const folder = join(root, 'example', 'sidecar-injector');
  await cluster.importImage(await sidecarInjectorImage());
  await using place = await openPlace(cluster, folder);
  const files = [
    'deploy/webhook',
    'deploy/deployment',
    'deploy/rbac',
    'example/example-pod',
    'example/envoy-initializer',
  ];
  await using _cleared = removedAtTheEnd(place, files.map((file) => `-f ${file}.yaml`).join(' '));
  await using _forgotten = removedAtTheEnd(place, 'secret/sidecar-injector lease/sidecar-injector');
  const blocks = blocksOfPage(join(folder, 'README.md')).filter(({ language }) => language === 'console');
  for (const { command, output } of blocks.flatMap(exchangesOf)) {
    // On a busy machine longer than the limit of a command.
    if (command.includes('rollout status')) {
      await cluster.kubectl(
        ['--namespace=default', 'rollout', 'status', 'deployment/sidecar-injector', '--timeout=180s'],
        {
          timeoutMilliseconds: 200_000,
        },
      );
    }
    const text = await answerTo(command, place);
    const lines = text.split('\n').filter((line) => !line.startsWith('Waiting for'));
    expect(`$ ${command}\n${lines.join('\n')}`).toBe(`$ ${command}\n${output}`);
  }
});

/** Also if the tests run twice on one cluster. */
function removedAtTheEnd(place: Place, files: string): AsyncDisposable {
  return {
    [Symbol.asyncDispose]: async () =>
      void (await attempt(`kubectl delete --ignore-not-found --wait=false ${files}`, place)),
  };
}
