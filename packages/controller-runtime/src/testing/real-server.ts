// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Client, type Credential, connect, createClient } from '@etcd-operator/kube';
import { ensurePart } from '@etcd-operator/tools';

const token = 'conformance-of-the-runtime';
/** When this process ends, in whatever way, the pipe to the shell ends, and the program with it. */
const leash = 'exec 3<&0; "$@" 3<&- & child=$!; (cat <&3 >/dev/null; kill -9 $child 2>/dev/null) & wait $child';

/** A real kube-apiserver and its etcd on loopback. The API server can be stopped and started, and its history forgotten. */
export class RealServer implements AsyncDisposable {
  readonly port: number;
  readonly #folder: string;
  readonly #etcdPort: number;
  readonly #peerPort: number;
  #etcd: ChildProcess;
  #dataFolder: string;
  #server: ChildProcess | undefined;
  #ca = '';

  private constructor(
    folder: string,
    ports: { readonly client: number; readonly peer: number; readonly port: number },
    etcd: ChildProcess,
  ) {
    this.#folder = folder;
    this.#etcdPort = ports.client;
    this.#peerPort = ports.peer;
    this.port = ports.port;
    this.#dataFolder = join(folder, 'etcd');
    this.#etcd = etcd;
  }

  static async start(): Promise<RealServer> {
    const folder = await mkdtemp(join(tmpdir(), 'controller-runtime-'));
    const [client, peer, port] = [await freePort(), await freePort(), await freePort()];
    const etcd = await launchEtcd(join(folder, 'etcd'), client, peer);
    const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    await writeFile(join(folder, 'key'), key.export({ type: 'sec1', format: 'pem' }), { mode: 0o600 });
    await writeFile(join(folder, 'tokens'), `${token},admin,,system:masters\n`, { mode: 0o600 });
    const server = new RealServer(folder, { client, peer, port }, etcd);
    await server.up();
    return server;
  }

  /** A client of it, through `port` or through a proxy in front of it, as an administrator or as somebody else. */
  client(
    port = this.port,
    credential: Credential = { kind: 'token', token },
  ): { readonly client: Client; close(): Promise<void> } {
    const transport = connect({
      server: `https://127.0.0.1:${port}`,
      namespace: 'default',
      certificateAuthority: { kind: 'data', pem: this.#ca },
      credential,
      source: 'test',
    });
    return { client: createClient(transport), close: () => transport.close() };
  }

  /** What another process needs to reach it as an administrator. */
  get access(): { readonly caFile: string; readonly token: string } {
    return { caFile: join(this.#folder, 'apiserver.crt'), token };
  }

  /** Starts the API server and waits until it is ready. */
  async up(): Promise<void> {
    const file = (name: string) => join(this.#folder, name);
    this.#server = await launch('kube-apiserver', 'kube-apiserver', [
      `--etcd-servers=http://127.0.0.1:${this.#etcdPort}`,
      `--secure-port=${this.port}`,
      '--bind-address=127.0.0.1',
      '--advertise-address=127.0.0.1',
      `--cert-dir=${this.#folder}`,
      `--token-auth-file=${file('tokens')}`,
      '--authorization-mode=AlwaysAllow',
      '--service-cluster-ip-range=10.96.0.0/16',
      '--service-account-issuer=https://kubernetes.default.svc',
      `--service-account-key-file=${file('key')}`,
      `--service-account-signing-key-file=${file('key')}`,
    ]);
    for (let attempt = 0; attempt < 900; attempt++) {
      this.#ca = await readFile(file('apiserver.crt'), 'utf8').catch(() => '');
      if (this.#ca && (await this.#isReady())) return;
      await sleep(100);
    }
    throw new Error('kube-apiserver was not ready within 90 s');
  }

  /** Ends the API server; etcd stays. */
  async down(): Promise<void> {
    await end(this.#server);
    this.#server = undefined;
  }

  /** Has etcd forget everything before now. */
  async compact(): Promise<void> {
    const call = async (path: string, body: object) => {
      const answer = await fetch(`http://127.0.0.1:${this.#etcdPort}${path}`, {
        method: 'POST',
        body: JSON.stringify(body),
      });
      return (await answer.json()) as { header: { revision: string } };
    };
    const { header } = await call('/v3/kv/range', { key: 'AA==', limit: '1' });
    await call('/v3/kv/compaction', { revision: header.revision, physical: true });
  }

  /** A backup of everything it stores; returns its path. */
  async backUp(): Promise<string> {
    const file = join(this.#folder, `backup-${Date.now()}`);
    const endpoint = `--endpoints=http://127.0.0.1:${this.#etcdPort}`;
    await promisify(execFile)(await programOf('etcd@3.6', 'etcdctl'), [endpoint, 'snapshot', 'save', file]);
    return file;
  }

  /** Starts anew from a backup, with further flags of `etcdutl snapshot restore`; without a backup, empty. */
  async restore(file: string | undefined, ...flags: readonly string[]): Promise<void> {
    await this.down();
    await end(this.#etcd);
    this.#dataFolder = `${this.#dataFolder}-again`;
    const target = `--data-dir=${this.#dataFolder}`;
    const peers = `http://127.0.0.1:${this.#peerPort}`;
    const identity = [`--initial-cluster=default=${peers}`, `--initial-advertise-peer-urls=${peers}`];
    if (file) {
      const program = await programOf('etcd@3.6', 'etcdutl');
      await promisify(execFile)(program, ['snapshot', 'restore', file, target, ...identity, ...flags]);
    }
    this.#etcd = await launchEtcd(this.#dataFolder, this.#etcdPort, this.#peerPort);
    await this.up();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.down();
    await end(this.#etcd);
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 3 });
  }

  async #isReady(): Promise<boolean> {
    const { client, close } = this.client();
    const ready = client
      .resource({ group: '', version: 'v1', kind: 'Namespace', plural: 'namespaces', namespaced: false })
      .get({ name: 'default' });
    const ok = await ready.then(
      () => true,
      () => false,
    );
    await close();
    return ok;
  }
}

async function programOf(part: string, program: string): Promise<string> {
  const path = (await ensurePart(part)).programs[program];
  if (path === undefined) throw new Error(`the part ${part} has no program ${program}`);
  return path;
}

function launchEtcd(folder: string, client: number, peer: number): Promise<ChildProcess> {
  const [urls, peers] = [`http://127.0.0.1:${client}`, `http://127.0.0.1:${peer}`];
  return launch('etcd@3.6', 'etcd', [
    `--data-dir=${folder}`,
    `--listen-client-urls=${urls}`,
    `--advertise-client-urls=${urls}`,
    `--listen-peer-urls=${peers}`,
    `--initial-advertise-peer-urls=${peers}`,
    `--initial-cluster=default=${peers}`,
    '--unsafe-no-fsync',
  ]);
}

async function launch(part: string, program: string, flags: readonly string[]): Promise<ChildProcess> {
  const path = await programOf(part, program);
  const child = spawn('/bin/sh', ['-c', leash, 'leash', path, ...flags], { stdio: ['pipe', 'ignore', 'ignore'] });
  await once(child, 'spawn');
  return child;
}

async function end(child: ChildProcess | undefined): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.stdin?.end();
  await ended;
}

async function freePort(): Promise<number> {
  const probe = createServer();
  probe.listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}
