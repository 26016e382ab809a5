// SPDX-License-Identifier: Apache-2.0
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Transport } from '@etcd-operator/kube';
import { ensurePart } from '@etcd-operator/tools';
import type { Backend } from './backend.ts';
import { httpsTransport } from './https-transport.ts';
import { LeashedProcess } from './leashed-process.ts';

const startLimit = 90_000;

/** Those that finish what the API server begins; the others would only change what the cases look at. */
const controllers = [
  'clusterrole-aggregation-controller',
  'garbage-collector-controller',
  'namespace-controller',
  'persistentvolume-protection-controller',
  'persistentvolumeclaim-protection-controller',
  'serviceaccount-controller',
];

/** Storage without a watch cache, so that cases about a forgotten history need not wait until the cache forgets, too. */
const uncached = ['endpointslices.discovery.k8s.io#0'];

/** What a server makes by itself a moment after it is ready. */
const ownPaths = ['default', 'kube-node-lease', 'kube-public', 'kube-system'].map(
  (name) => `/api/v1/namespaces/${name}`,
);

/** etcd, kube-apiserver and kube-controller-manager as processes on loopback, ready in a few seconds. */
export async function startRealBackend(): Promise<Backend> {
  for (let triesLeft = 2; ; triesLeft -= 1) {
    try {
      return await startOnce();
    } catch (error) {
      // Somebody else may have taken a port that was free a moment ago.
      if (triesLeft === 0 || !/address already in use/.test(String(error))) throw error;
    }
  }
}

async function startOnce(): Promise<Backend> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'etcd-operator-conformance-'));
  stack.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
  const [client, peer, secure] = await freePorts();
  stack.use(await startEtcd(folder, client, peer));
  const token = randomBytes(24).toString('hex');
  const server = stack.use(await startServer(folder, token, client, secure));
  const url = `https://127.0.0.1:${secure}`;
  const ca = await certificateOf(server, folder);
  const transports: Transport[] = [];
  const reach = (bearer?: string) => {
    const transport = httpsTransport({ url, ca, ...(bearer !== undefined && { token: bearer }) });
    transports.push(transport);
    return transport;
  };
  stack.defer(() => Promise.all(transports.map((transport) => transport.close())).then(() => undefined));
  const admin = reach(token);
  for (const path of ['/readyz', ...ownPaths]) await server.until(() => isThere(admin, path), startLimit);
  stack.use(await startControllers(folder, url, ca, token));
  const kept = stack.move();
  return {
    name: 'kube-apiserver',
    patience: 90_000,
    admin,
    bearer: reach,
    compact: () => compactEtcd(`http://127.0.0.1:${client}`),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

async function programOf(part: string, program: string): Promise<string> {
  const path = (await ensurePart(part)).programs[program];
  if (path === undefined) throw new Error(`the part ${part} has no program ${program}`);
  return path;
}

async function startEtcd(folder: string, client: number, peer: number): Promise<LeashedProcess> {
  const peerUrl = `http://127.0.0.1:${peer}`;
  const url = `http://127.0.0.1:${client}`;
  const flags = [
    `--data-dir=${join(folder, 'etcd')}`,
    `--listen-client-urls=${url}`,
    `--advertise-client-urls=${url}`,
    `--listen-peer-urls=${peerUrl}`,
    `--initial-advertise-peer-urls=${peerUrl}`,
    `--initial-cluster=default=${peerUrl}`,
    '--unsafe-no-fsync',
  ];
  const etcd = await LeashedProcess.start('etcd', await programOf('etcd@3.6', 'etcd'), flags, join(folder, 'etcd.log'));
  const ready = () =>
    fetch(`${url}/readyz`)
      .then(({ ok }) => ok)
      .catch(() => false);
  await etcd.until(ready, startLimit);
  return etcd;
}

async function startServer(folder: string, token: string, etcdPort: number, port: number): Promise<LeashedProcess> {
  const certs = join(folder, 'certs');
  await mkdir(certs);
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const key = join(certs, 'service-account.key');
  await writeFile(key, privateKey.export({ type: 'sec1', format: 'pem' }), { mode: 0o600 });
  const tokens = join(certs, 'tokens.csv');
  await writeFile(tokens, `${token},kubernetes-admin,,system:masters\n`, { mode: 0o600 });
  const flags = [
    `--etcd-servers=http://127.0.0.1:${etcdPort}`,
    `--secure-port=${port}`,
    '--bind-address=127.0.0.1',
    '--advertise-address=127.0.0.1',
    `--cert-dir=${certs}`,
    `--token-auth-file=${tokens}`,
    '--authorization-mode=RBAC',
    '--allow-privileged=true',
    '--service-cluster-ip-range=10.96.0.0/16',
    '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
    `--service-account-key-file=${key}`,
    `--service-account-signing-key-file=${key}`,
    `--watch-cache-sizes=${uncached.join(',')}`,
  ];
  const program = await programOf('kube-apiserver', 'kube-apiserver');
  return LeashedProcess.start('kube-apiserver', program, flags, join(folder, 'kube-apiserver.log'));
}

/** The certificate the server makes itself a moment after its start. */
async function certificateOf(server: LeashedProcess, folder: string): Promise<string> {
  const file = join(folder, 'certs', 'apiserver.crt');
  const read = () => readFile(file, 'utf8').catch(() => '');
  await server.until(async () => (await read()).includes('END CERTIFICATE'), startLimit);
  return read();
}

async function isThere(admin: Transport, path: string): Promise<boolean> {
  try {
    const { status, body } = await admin.request({ method: 'GET', path });
    for await (const _piece of body);
    return status === 200;
  } catch {
    return false;
  }
}

async function startControllers(folder: string, url: string, ca: string, token: string): Promise<LeashedProcess> {
  const kubeconfig = join(folder, 'kubeconfig');
  const authority = Buffer.from(ca).toString('base64');
  const document = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'real', cluster: { server: url, 'certificate-authority-data': authority } }],
    users: [{ name: 'admin', user: { token } }],
    contexts: [{ name: 'real', context: { cluster: 'real', user: 'admin' } }],
    'current-context': 'real',
  };
  await writeFile(kubeconfig, JSON.stringify(document), { mode: 0o600 });
  const flags = [
    `--kubeconfig=${kubeconfig}`,
    `--controllers=${controllers.join(',')}`,
    '--leader-elect=false',
    '--secure-port=0',
    '--kube-api-qps=500',
    '--kube-api-burst=1000',
  ];
  const program = await programOf('kube-controller-manager', 'kube-controller-manager');
  return LeashedProcess.start('kube-controller-manager', program, flags, join(folder, 'controllers.log'));
}

/** Through etcd's JSON gateway: everything before the present revision. */
async function compactEtcd(url: string): Promise<void> {
  const call = async (path: string, body: unknown) => {
    const answer = await fetch(url + path, { method: 'POST', body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`etcd answered ${answer.status} to ${path}: ${await answer.text()}`);
    return (await answer.json()) as { header: { revision: string } };
  };
  const { header } = await call('/v3/kv/range', { key: 'AA==', limit: '1' });
  await call('/v3/kv/compaction', { revision: header.revision, physical: true });
}

async function freePorts(): Promise<[number, number, number]> {
  const servers = [createServer(), createServer(), createServer()];
  const ports: number[] = [];
  for (const server of servers) {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    ports.push(typeof address === 'object' && address ? address.port : 0);
  }
  await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
  const [a = 0, b = 0, c = 0] = ports;
  return [a, b, c];
}
