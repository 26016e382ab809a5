// SPDX-License-Identifier: Apache-2.0
/**
 * The page on upgrading the operator, typed on a real Kubernetes: from another build with the CRDs of an older release, and back to that
 * build. A client writes all the time. `npm run test:long -- operator-upgrade` runs it.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { operatorImage, operatorImageName } from '@etcd-operator/tools/image';
import { olderCRDs } from '@etcd-operator/tools/release';
import type { Pod } from '@operator-parts/kube';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { actionsOf } from '../guide/testing/page.ts';
import { troublePages } from '../guide/testing/typed-pages.ts';
import { theCluster } from './testing/cluster.ts';
import { adminClient } from './testing/kube-client.ts';
import { recordWhile } from './testing/recording-client.ts';
import { root } from './testing/scenes/manifests.ts';
import { etcdCluster, nothingLost, selector } from './testing/scenes/operator-scene.ts';
import { openScene, type Scene, sceneIn } from './testing/scenes/scene.ts';

const { operatorUpgrade } = troublePages;
const older = '0.0.9';
const version = operatorImageName.split(':v').at(-1) ?? '';
let home: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'operator-upgrade-'));
  const cluster = await theCluster();
  const built = await operatorImage(olderTree());
  await cluster.importImage({ ...built, names: [operatorImageName.replace(version, older)] });
  const program = join(home, 'bin', 'kubectl-etcd');
  mkdirSync(dirname(program));
  const source = join(root, 'apps/kubectl-etcd/src/programs/kubectl-etcd.ts');
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${source}' "$@"\n`);
  await chmod(program, 0o755);
}, 300_000);
afterAll(() => rm(home, { recursive: true, force: true }));

/** A copy of the sources with another version: its operator is another build. */
function olderTree(): string {
  const copy = join(home, 'older');
  const isSource = (path: string) => !path.slice(root.length).split('/').includes('node_modules');
  for (const path of ['apps', 'packages', 'package.json', 'package-lock.json', 'tsconfig.json', 'LICENSE'])
    cpSync(join(root, path), join(copy, path), { recursive: true, filter: isSource });
  // Links to our own packages are relative: those of the copy lead to the copy.
  execFileSync('cp', ['-a', join(root, 'node_modules'), join(copy, 'node_modules')]);
  const file = join(copy, 'apps/operator/src/version.ts');
  writeFileSync(file, readFileSync(file, 'utf8').replace(version, older));
  return copy;
}

async function follow(scene: Scene, section: string): Promise<string> {
  const scripts = actionsOf(join(root, operatorUpgrade)).flatMap((action) =>
    action.kind === 'type' && action.section === section ? [action.script] : [],
  );
  expect(scripts).toHaveLength(1);
  const environment = {
    PATH: `${join(home, 'bin')}:${dirname(scene.cluster.kubectlProgram)}:/usr/local/bin:/usr/bin:/bin`,
    PREVIOUS: `v${older}`,
  };
  const argv = ['bash', '-e', '-u', '-x', '-o', 'pipefail', '-c', scripts.join('\n')];
  const { status, stdout, stderr } = await scene.cluster.run(argv, { cwd: root, environment });
  if (status !== 0) throw new Error(`${operatorUpgrade}, ${section}: ended with status ${status}:\n${stdout}${stderr}`);
  return stdout;
}

test('to the newer build and back, no member restarts, nothing is lost, and each build repairs', {
  timeout: 900_000,
}, async () => {
  const cluster = await theCluster();
  const operators = sceneIn(cluster, 'etcd-operator');
  const list = { apiVersion: 'v1', kind: 'List', items: olderCRDs() };
  const flags = ['--server-side', '--force-conflicts', '--filename=-'];
  await cluster.kubectl(['apply', ...flags], {
    input: readFileSync(join(root, 'deploy/install.yaml'), 'utf8').replace(
      operatorImageName,
      operatorImageName.replace(version, older),
    ),
  });
  await cluster.kubectl(['apply', ...flags], { input: JSON.stringify(list) });
  await using scene = await openScene('operator-upgrade');
  await using admin = await adminClient(cluster);
  const pods = async () =>
    new Set((await scene.list<Pod>('pod', selector('kept'))).map(({ metadata }) => metadata?.uid));
  const running = async () => {
    await operators.kubectl('rollout', 'status', 'deployment/etcd-operator', '--timeout=180s');
    const log = await operators.kubectl('logs', 'deployment/etcd-operator', '--tail=-1');
    return /"starting".*?"version":"([\d.]+)"/.exec(log)?.[1];
  };
  try {
    expect(await running()).toBe(older);
    await scene.create(etcdCluster('kept', { size: 3, version: '3.6.16' }));
    await scene.kubectl('wait', '--for=jsonpath={.status.readySize}=3', 'etcdcluster/kept', '--timeout=180s');
    const before = await pods();
    const client = { client: admin.client, namespace: scene.namespace, labelSelector: selector('kept') };
    const history = await recordWhile(client, async () => {
      for (const section of ['Before', 'First the CRDs, then the operator', 'Afterwards']) await follow(scene, section);
      expect(await running()).toBe(version);
      expect(await pods()).toEqual(before);
      await follow(scene, 'And back');
      expect(await running()).toBe(older);
    });
    expect(history).toMatchObject(nothingLost);
    expect(await pods()).toEqual(before);
    const columns = ['get', 'crd', 'etcdclusters.etcd.database.coreos.com', '--output=yaml'];
    expect(await cluster.kubectl(columns)).toContain('observedGeneration: -1');
    await scene.kubectl('scale', 'etcdcluster/kept', '--replicas=1');
    await scene.kubectl('wait', '--for=jsonpath={.status.size}=1', 'etcdcluster/kept', '--timeout=180s');
    await scene.kubectl('delete', 'etcdcluster', 'kept');
  } finally {
    await operators.kubectl('delete', 'deployment,serviceaccount,role,rolebinding,pdb,networkpolicy', '--all');
    await cluster.kubectl([
      'delete',
      'clusterrole,clusterrolebinding',
      '--selector=app.kubernetes.io/name=etcd-operator',
    ]);
  }
});
