// SPDX-License-Identifier: Apache-2.0
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { busyboxImage, corednsImage, pauseImage } from '../image/index.ts';
import { requireProgram } from '../image/require-program.ts';
import { acquireLock } from '../parts/build/build-lock.ts';
import type { ProcessIdentity } from '../parts/build/process-identity.ts';
import { ensurePart, type Part } from '../parts/index.ts';
import { makeCertificates, writeKubeconfig } from './certificates.ts';
import { createCgroup } from './cgroups.ts';
import { type Cluster, clusterAt } from './cluster.ts';
import { ClusterError } from './cluster-error.ts';
import { apiServerAsClient, apiServerCertificate, type ComponentName, clients, componentFlags } from './components.ts';
import { configurationFiles, inside } from './configuration.ts';
import { addresses, type Layout, layoutOf } from './layout.ts';
import { cniDirectories, prepareMachine } from './machine.ts';
import { dnsManifests } from './objects/dns.ts';
import { runProgram } from './run-program.ts';
import { createSandbox, entering, furnishSandbox, type Lifetime, type Sandbox } from './sandbox.ts';
import { type StartedComponent, startComponent } from './start-component.ts';
import { runningState, writeState } from './state.ts';
import { stopCluster } from './stop-cluster.ts';

export interface StartOptions {
  readonly name: string;
  readonly lifetime: Lifetime;
  /** The part with its programs: for another version than the current one. @default 'kubernetes' */
  readonly kubernetes?: string;
  /** Called with a line for every step that takes a while. */
  readonly report: (line: string) => void;
  /** Aborts the start and removes everything. */
  readonly signal?: AbortSignal;
}

/**
 * Starts a real Kubernetes with one node and waits until pods run and names resolve. Remains of an earlier one with the
 * same name are removed first; a running one is not touched.
 */
export async function startCluster(options: StartOptions): Promise<Cluster> {
  const layout = layoutOf(options.name);
  await prepareMachine(options.report);
  refuseRunning(layout);
  const kubernetes = options.kubernetes ?? 'kubernetes';
  const parts = await allParts(kubernetes, options);
  const started = performance.now();
  const sandbox = await beginAlone(layout, kubernetes, options);
  try {
    const cluster = await assemble(layout, sandbox.init, parts, options.signal);
    await writeState(layout, { init: sandbox.init, ready: true, kubernetes });
    sandbox.letStay();
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    options.report(`Kubernetes ${parts.kubernetes.version} is up after ${seconds} s.`);
    return cluster;
  } catch (error) {
    await stopCluster(layout);
    throw error;
  }
}

function refuseRunning(layout: Layout): void {
  const running = runningState(layout);
  if (!running) return;
  throw new ClusterError(
    'AlreadyRunning',
    `the cluster "${layout.name}" is running already (process ${running.init.pid}): stop it first, or wait until it is no longer used`,
  );
}

/** If several processes start a cluster with one name at the same moment, one succeeds and the others are refused. */
async function beginAlone(layout: Layout, kubernetes: string, { lifetime, signal }: StartOptions): Promise<Sandbox> {
  const lock = await acquireLock(dirname(layout.directory), `.${layout.name}`, signal ? { signal } : {});
  try {
    refuseRunning(layout);
    await stopCluster(layout);
    await mkdir(layout.directory, { recursive: true, mode: 0o700 });
    const sandbox = await createSandbox(lifetime);
    await writeState(layout, { init: sandbox.init, ready: false, kubernetes });
    return sandbox;
  } finally {
    await lock.release();
  }
}

interface Parts {
  readonly kubernetes: Part;
  readonly containerd: Part;
  readonly etcd: Part;
}

async function allParts(name: string, { report, signal }: StartOptions): Promise<Parts> {
  const options = { report, ...(signal && { signal }) };
  const etcd = await ensurePart('etcd@3.6', options);
  const kubernetes = await ensurePart(name, options);
  const containerd = await ensurePart('containerd', options);
  // Not used here, but by the images, whose builds report their own progress.
  for (const image of ['coredns', 'busybox']) await ensurePart(image, options);
  return { kubernetes, containerd, etcd };
}

async function assemble(
  layout: Layout,
  init: ProcessIdentity,
  parts: Parts,
  signal: AbortSignal | undefined,
): Promise<Cluster> {
  await makeFiles(layout);
  await createCgroup(layout.cgroup);
  await furnishSandbox(init, layout);
  const cluster = await clusterAt(layout, init, parts.kubernetes);
  const begin = beginnerOf(layout, init, parts);
  await Promise.all([startControlPlane(cluster, begin, signal), startRuntime(cluster, begin, init, parts, signal)]);
  await startNode(cluster, begin, signal);
  signal?.throwIfAborted();
  return cluster;
}

async function makeFiles(layout: Layout): Promise<void> {
  for (const folder of [layout.configuration, layout.varLib, layout.varLog, layout.logs]) await mkdir(folder);
  await mkdir(join(layout.varLib, 'volumes'), { mode: 0o755 });
  await makeCertificates(layout.certificates, [apiServerCertificate, apiServerAsClient, ...clients]);
  for (const { name } of clients) {
    const file = name === 'admin' ? layout.kubeconfig : join(layout.configuration, `${name}.kubeconfig`);
    await writeKubeconfig(file, { server: addresses.server, certificates: layout.certificates, client: name });
  }
  const cniDirectory = cniDirectories.find((folder) => existsSync(join(folder, 'ptp'))) ?? cniDirectories[0];
  const [pause = ''] = (await pauseImage()).names;
  for (const { path, text } of configurationFiles({ layout, pauseImage: pause, cniDirectory })) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text, { mode: 0o600 });
  }
}

type Begin = (name: ComponentName) => Promise<StartedComponent>;

function beginnerOf(layout: Layout, init: ProcessIdentity, { kubernetes, containerd, etcd }: Parts): Begin {
  const flags = componentFlags(layout);
  const partOf = (name: ComponentName) => (name === 'etcd' ? etcd : name === 'containerd' ? containerd : kubernetes);
  return (name) =>
    startComponent(name, {
      layout,
      init,
      program: requireProgram(partOf(name), name),
      flags: flags[name],
      path: containerd.directory,
    });
}

async function startControlPlane(cluster: Cluster, begin: Begin, signal: AbortSignal | undefined): Promise<void> {
  // The API server waits for etcd itself.
  await begin('etcd');
  const server = await begin('kube-apiserver');
  await server.ready(() => answers(cluster, ['get', '--raw=/readyz']), signal);
  await begin('kube-controller-manager');
  await begin('kube-scheduler');
  await begin('kube-proxy');
}

async function startRuntime(
  cluster: Cluster,
  begin: Begin,
  init: ProcessIdentity,
  { containerd }: Parts,
  signal: AbortSignal | undefined,
): Promise<void> {
  const runtime = await begin('containerd');
  const ask = [requireProgram(containerd, 'ctr'), '--address', inside.containerdSocket, 'version'];
  await runtime.ready(async () => (await runProgram(entering(init, 'whole', ask))).status === 0, signal);
  for (const image of [await pauseImage(), await corednsImage(), await busyboxImage()])
    await cluster.importImage(image);
}

async function startNode(cluster: Cluster, begin: Begin, signal: AbortSignal | undefined): Promise<void> {
  const [image = ''] = (await corednsImage()).names;
  const kubelet = await begin('kubelet');
  await cluster.apply(dnsManifests(image));
  const node = `node/${addresses.nodeName}`;
  await kubelet.ready(() => answers(cluster, ['wait', '--for=condition=Ready', node, '--timeout=1s']), signal);
  await kubelet.ready(
    () =>
      answers(cluster, ['--namespace=kube-system', 'wait', '--for=condition=Ready', 'pod', '--all', '--timeout=2s']),
    signal,
  );
  await kubelet.ready(() => answers(cluster, ['--namespace=default', 'get', 'serviceaccount', 'default']), signal);
}

async function answers(cluster: Cluster, args: readonly string[]): Promise<boolean> {
  return (await cluster.run([cluster.kubectlProgram, ...args], { timeoutMilliseconds: 10_000 })).status === 0;
}
