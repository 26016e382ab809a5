// SPDX-License-Identifier: Apache-2.0
/** All published manifests, validated by a real API server, and a chart rendered by a real helm. */
import { readdirSync, readFileSync } from 'node:fs';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { theCluster } from './testing/cluster.ts';
import { chart, complaints, defineKinds, helm, root } from './testing/scenes/manifests.ts';
import { openScene, type Scene, sceneIn } from './testing/scenes/scene.ts';

let scene: Scene;

beforeAll(async () => {
  scene = await openScene('manifests', { podSecurity: 'restricted' });
  await defineKinds(scene);
});

afterAll(() => scene?.[Symbol.asyncDispose]());

const kustomize = async (folder: string) => (await theCluster()).kubectl(['kustomize', folder]);

/** Objects as kustomize writes them, in the order of their text. */
const objects = (text: string) =>
  text
    .split(/^---$/m)
    .map((part) => part.trim())
    .toSorted();

/** A file of manifests as kustomize would write it. */
async function rewritten(file: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'etcd-operator-kustomize-'));
  try {
    await copyFile(file, join(folder, 'all.yaml'));
    await writeFile(join(folder, 'kustomization.yaml'), 'resources: [all.yaml]\n');
    return await kustomize(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

describe('the manifests', () => {
  test('of kustomize make the same objects', async () => {
    const file = await rewritten(join(root, 'deploy', 'install.yaml'));
    expect(objects(await kustomize(join(root, 'deploy', 'cluster-wide')))).toEqual(objects(file));
  });

  test('of an operator for one namespace are accepted without a warning', async () => {
    expect(await complaints(scene, await kustomize(join(root, 'deploy', 'base')))).toEqual([]);
  });

  test('of the examples are accepted without a warning', async () => {
    const folders = ['.', 'etcd-backup-operator', 'etcd-restore-operator'].map((name) => join(root, 'example', name));
    const files = folders.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)));
    const manifests = files.filter((file) => file.endsWith('.yaml'));
    expect(manifests.length).toBeGreaterThan(6);
    for (const file of manifests) {
      const text = readFileSync(file, 'utf8')
        .replaceAll('<full-s3-path>', 'mybucket/etcd.backup')
        .replaceAll('<aws-secret>', 'aws')
        .replaceAll('<etcd-cluster-endpoints>', '"http://example-etcd-cluster-client:2379"');
      expect({ file, said: await complaints(scene, text) }).toEqual({ file, said: [] });
    }
  });
});

test('the roles of the examples, with their names filled in, and what the controllers of other people install are accepted too', async () => {
  const example = join(root, 'example');
  const roles = readdirSync(join(example, 'rbac')).filter((file) => file.endsWith('-template.yaml'));
  expect(roles.length).toBe(4);
  for (const file of roles) {
    const text = readFileSync(join(example, 'rbac', file), 'utf8')
      .replaceAll(/<ROLE_NAME>|<ROLE_BINDING_NAME>/g, 'judged')
      .replaceAll('<NAMESPACE>', scene.namespace);
    expect({ file, said: await complaints(scene, text) }).toEqual({ file, said: [] });
  }
  const ordinary = sceneIn(scene.cluster, 'default');
  const folders = ['network-controller/crd', 'network-controller/deploy', 'sidecar-injector/deploy'];
  const files = folders.flatMap((folder) =>
    readdirSync(join(example, folder)).map((file) => join(example, folder, file)),
  );
  for (const file of files.filter((name) => name.endsWith('.yaml'))) {
    expect({ file, said: await complaints(ordinary, readFileSync(file, 'utf8')) }).toEqual({ file, said: [] });
  }
});

describe('the chart', () => {
  const monitor = ['serviceMonitor', 'podMonitor', 'prometheusRule'].map((name) => `--set=${name}.enabled=true`);
  const all = [
    'createCRD=true',
    'secureMetrics.enabled=true',
    'secureMetrics.secretName=metrics-certificate',
    'networkPolicy.egress.enabled=true',
    'networkPolicy.members.enabled=true',
    'dashboard.enabled=true',
    'networkPolicy.members.egress.enabled=true',
    'customResources.createEtcdClusterCRD=true',
    'etcdCluster.enableTLS=true',
    'etcdOperator.commandArgs.log-level=debug',
    'etcdOperator.image.tag=v9.9.9',
    'commonLabels.team=storage',
    'etcdOperator.extraArgs={-log-format=json}',
    'backupOperator.extraEnv[0].name=TZ',
    'backupOperator.extraEnv[0].value=UTC',
    'extraObjects[0].apiVersion=v1',
    'extraObjects[0].kind=ConfigMap',
    'extraObjects[0].metadata.name=beside',
    'serviceAccount.etcdOperatorServiceAccount.create=false',
    'serviceAccount.etcdOperatorServiceAccount.name=mine',
  ].map((value) => `--set=${value}`);
  const render = (...flags: readonly string[]) => helm(scene, 'template', 'etcd', chart, '--namespace=etcd', ...flags);

  /** The Pods of helm test use accounts of the chart: in a namespace without them, Kubernetes refuses the Pods. */
  const withKnownAccount = (text: string) =>
    text.replaceAll(/^ {2}serviceAccountName: .*$/gm, '  serviceAccountName: default');

  test('passes its linter', async () => {
    expect(await helm(scene, 'lint', '--strict', chart)).toContain('1 chart(s) linted, 0 chart(s) failed');
  });

  test('renders as it always did', async () => {
    await expect(await render()).toMatchFileSnapshot('golden/chart-default.yaml');
    const [near, two] = ['--set=clusterWide=false', '--set=watchNamespaces={a,b}'];
    await expect(await render(near, '--set=separateDeployments=true')).toMatchFileSnapshot(
      'golden/chart-separate.yaml',
    );
    await expect(await render(near, two)).toMatchFileSnapshot('golden/chart-namespaces.yaml');
    await expect(await render(...all, ...monitor)).toMatchFileSnapshot('golden/chart-everything.yaml');
    const limited = ['--set=rbac.secretNamespaces={a,b}', '--set=separateDeployments=true'];
    await expect(await render(...limited)).toMatchFileSnapshot('golden/chart-limited-secrets.yaml');
  });

  test.each([
    [
      'a number that is none',
      'etcdOperator.replicaCount=two',
      "at '/etcdOperator/replicaCount': got string, want integer",
    ],
    [
      'a name that is misspelt',
      'etcdOperator.replicas=3',
      "at '/etcdOperator': additional properties 'replicas' not allowed",
    ],
    [
      'a word that is none of the known',
      'etcdOperator.image.pullPolicy=Sometimes',
      "'Always', 'IfNotPresent', 'Never'",
    ],
    ['a word for a boolean', 'clusterWide=yes', "at '/clusterWide': got string, want boolean"],
    ['an operator that is root', 'etcdOperator.securityContext.runAsUser=0', "runAsUser': minimum: got 0, want 1"],
    [
      'a flag that is the chart’s own',
      'etcdOperator.commandArgs.listen-addr=:1',
      "at '/etcdOperator/commandArgs/listen-addr'",
    ],
    [
      'the same written out',
      'etcdOperator.extraArgs={--listen-addr=:1}',
      "at '/etcdOperator/extraArgs/0': 'not' failed",
    ],
    [
      'a variable that is the chart’s own',
      'etcdOperator.extraEnv[0].name=MY_POD_NAME',
      "at '/etcdOperator/extraEnv/0/name': 'not' failed",
    ],
    ['a cluster of nine', 'etcdCluster.size=9', "at '/etcdCluster/size': maximum: got 9, want 7"],
  ])('refuses %s and says where', async (_, value, words) => {
    await expect(render(`--set=${value}`)).rejects.toThrow(words);
  });

  test('runs as one process whatever operators are wanted, with the flags of each', async () => {
    const text = await render(
      '--set=deployments.etcdOperator=false',
      '--set=backupOperator.commandArgs.allow-endpoints=s3.example',
      '--set=restoreOperator.commandArgs.agent-image=mine',
      '--no-hooks',
    );
    const container = text.slice(text.indexOf('command:'), text.indexOf('env:'));
    expect(container.split('\n').map((line) => line.trim().replace(/^- /, ''))).toEqual(
      expect.arrayContaining([
        'etcd-operator',
        '-controllers=backup,restore',
        '"-agent-image=mine"',
        '"-allow-endpoints=s3.example"',
      ]),
    );
    expect(text.match(/^ +command:$/gm)).toHaveLength(1);
  });

  test('has the names that are asked for, in names and labels', async () => {
    const named = async (flag: string) => {
      const text = await render(flag, '--set=separateDeployments=true', '--skip-crds');
      return [...text.matchAll(/^kind: Deployment\nmetadata:\n {2}name: (\S+)$/gm)].map(([, name]) => name);
    };
    expect(await named('--set=nameOverride=mine')).toEqual(['etcd-mine', 'etcd-mine-backup', 'etcd-mine-restore']);
    expect(await named('--set=fullnameOverride=mine')).toEqual(['mine', 'mine-backup', 'mine-restore']);
  });

  test.each(['123', 'a.b', 'a'.repeat(53)])(
    'of a release called %s has three Deployments that differ',
    async (release) => {
      const flags = [`--namespace=${scene.namespace}`, '--set=separateDeployments=true', '--skip-crds'];
      const text = await helm(scene, 'template', release, chart, ...flags);
      const names = [...text.matchAll(/^kind: Deployment\nmetadata:\n {2}name: (\S+)$/gm)].map(([, name]) => name);
      expect(new Set(names).size).toBe(3);
      expect(await complaints(scene, withKnownAccount(text))).toEqual([]);
    },
  );

  test('is accepted without a warning, in its default and with everything on', async () => {
    for (const flags of [[], all, ['--set=separateDeployments=true']]) {
      const text = await helm(scene, 'template', 'etcd', chart, `--namespace=${scene.namespace}`, ...flags);
      expect({ flags, said: await complaints(scene, withKnownAccount(text)) }).toEqual({ flags, said: [] });
    }
  });
});
