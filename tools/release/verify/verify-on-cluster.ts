// SPDX-License-Identifier: Apache-2.0
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { type Cluster, layoutOf, loadImages, prepareMachine, startCluster, stopCluster } from '../../cluster/index.ts';
import { requireProgram } from '../../image/require-program.ts';
import { ensurePart } from '../../parts/index.ts';
import { bundleName } from '../bundle.ts';
import type { Release } from '../release.ts';
import { type ClusterServiceVersion, installedBundle } from './installed-bundle.ts';

const name = 'release';
const home = 'etcd-operator';
const crd = 'crd/etcdclusters.etcd.database.coreos.com';
const report = (line: string) => void process.stderr.write(`${line}\n`);

/** Installs the operator in each way from the release folder on a real Kubernetes of its own, and has it run an etcd cluster. */
export async function verifyOnCluster(release: Release): Promise<readonly string[]> {
  await prepareMachine(report);
  const helm = requireProgram(await ensurePart('helm', { report }), 'helm');
  const cluster = await startCluster({ name, lifetime: 'this-process', report });
  try {
    await cluster.importArchive(join(release.out, `etcd-operator-${release.version}-image.oci.tar`));
    await loadImages(cluster, ['etcd@3.6']);
    return [
      await verifyFile(cluster, join(release.out, 'install.yaml')),
      await verifyBundle(cluster, join(release.out, bundleName(release.version))),
      await verifyChart(cluster, helm, join(release.out, `etcd-operator-${release.version}.tgz`)),
    ];
  } finally {
    await stopCluster(layoutOf(name));
  }
}

async function verifyFile(cluster: Cluster, file: string): Promise<string> {
  await cluster.kubectl(['apply', '--server-side', '--filename', file]);
  await runsEtcd(cluster, 'by-file');
  await cluster.kubectl(['delete', '--filename', file, '--timeout=120s']);
  return 'install.yaml is applied, and its operator runs an etcd cluster';
}

/** Without the Operator Lifecycle Manager: what it would make of the bundle is applied. */
async function verifyBundle(cluster: Cluster, archive: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'etcd-operator-bundle-'));
  try {
    await cluster.run(['tar', '-xzf', archive, '-C', folder]);
    const manifests = join(folder, 'manifests');
    const file = join(manifests, 'etcd-operator.clusterserviceversion.yaml');
    const objects = installedBundle(parse(await readFile(file, 'utf8')) as ClusterServiceVersion, home);
    await rm(file);
    await cluster.kubectl(['create', 'namespace', home]);
    await cluster.kubectl(['apply', '--server-side', '--filename', manifests]);
    await cluster.apply(objects);
    await runsEtcd(cluster, 'by-bundle');
    await cluster.kubectl(['delete', 'clusterrole,clusterrolebinding', `olm-${home}`]);
    await cluster.kubectl(['delete', '--filename', manifests, '--timeout=120s']);
    await cluster.kubectl(['delete', 'namespace', home, '--timeout=120s']);
    return 'the objects of the OLM bundle are applied, and its operator runs an etcd cluster';
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** With CRDs that lack something, as those of an older release do: the upgrade puts it back. */
async function verifyChart(cluster: Cluster, helm: string, archive: string): Promise<string> {
  const run = async (...args: readonly string[]) => {
    const { status, stderr } = await cluster.run([helm, ...args, `--namespace=${home}`]);
    if (status !== 0) throw new Error(`helm ${args.join(' ')} ended with ${status}: ${stderr}`);
  };
  await run('install', 'etcd-operator', archive, '--create-namespace', '--wait', '--timeout=180s');
  await runsEtcd(cluster, 'by-chart');
  const columns = '/spec/versions/0/additionalPrinterColumns';
  const older = JSON.stringify([{ op: 'remove', path: columns }]);
  const newer = () => cluster.kubectl(['get', crd, '--output=jsonpath={.spec.versions[0].additionalPrinterColumns}']);
  const before = await newer();
  await cluster.kubectl(['patch', crd, '--type=json', `--patch=${older}`]);
  await run('upgrade', 'etcd-operator', archive, '--wait', '--timeout=180s');
  if ((await newer()) !== before) throw new Error('helm upgrade left the CRDs as they were');
  await run('uninstall', 'etcd-operator', '--wait', '--timeout=180s');
  return 'the chart is installed, runs an etcd cluster, and an upgrade brings older CRDs up to date';
}

async function runsEtcd(cluster: Cluster, etcd: string): Promise<void> {
  await cluster.kubectl(['rollout', 'status', 'deployment', `--namespace=${home}`, '--timeout=180s']);
  const apiVersion = 'etcd.database.coreos.com/v1beta2';
  const metadata = { name: etcd, namespace: 'default' };
  await cluster.apply([{ apiVersion, kind: 'EtcdCluster', metadata, spec: { size: 1, version: '3.6.16' } }]);
  await cluster.kubectl(['wait', '--for=condition=Available', `etcdcluster/${etcd}`, '--timeout=180s']);
  await cluster.kubectl(['delete', 'etcdcluster', etcd, '--timeout=120s']);
}
