// SPDX-License-Identifier: Apache-2.0
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Client, type ClusterConfig, type Credential, connect, createClient } from '@etcd-operator/kube';
import {
  apiServerFlags,
  certificateOf,
  freePorts,
  LeashedProcess,
  programOf,
  startApiServerEtcd,
  startLimit,
  TestAuthority,
} from '@etcd-operator/tools';

const token = 'conformance-of-the-runtime';
const openToAll = ['--authorization-mode=AlwaysAllow', '--service-account-issuer=https://kubernetes.default.svc'];

interface Ports {
  readonly etcd: number;
  readonly peer: number;
  readonly secure: number;
}

/**
 * A real kube-apiserver and its etcd on loopback. The API server can be stopped and started, and its history compacted.
 */
export class RealServer implements AsyncDisposable {
  readonly port: number;
  readonly #folder: string;
  /** The CA of the client certificates that it accepts. */
  readonly authority: TestAuthority;
  readonly #ports: Ports;
  readonly #flags: readonly string[];
  #dataFolder: string;
  #etcd: LeashedProcess;
  #server: LeashedProcess | undefined;
  #ca = '';

  private constructor(
    folder: string,
    ports: Ports,
    flags: readonly string[],
    etcd: LeashedProcess,
    authority: TestAuthority,
  ) {
    this.authority = authority;
    this.#folder = folder;
    this.#ports = ports;
    this.#flags = flags;
    this.port = ports.secure;
    this.#dataFolder = join(folder, 'etcd');
    this.#etcd = etcd;
  }

  static async start(): Promise<RealServer> {
    for (let triesLeft = 2; ; triesLeft -= 1) {
      try {
        return await RealServer.#startOnce();
      } catch (error) {
        // Another process may have taken a port that was free a moment ago.
        if (triesLeft === 0) throw error;
      }
    }
  }

  static async #startOnce(): Promise<RealServer> {
    const [etcd = 0, peer = 0, secure = 0] = await freePorts(3);
    await using stack = new AsyncDisposableStack();
    const folder = await mkdtemp(join(tmpdir(), 'controller-runtime-'));
    stack.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
    const program = await programOf('etcd@3.6', 'etcd');
    const storage = stack.use(await startApiServerEtcd(program, join(folder, 'etcd'), etcd, peer));
    const authority = await TestAuthority.create();
    await writeFile(join(folder, 'clients'), authority.ca);
    const users = `${token},admin,,system:masters\n`;
    const flags = [
      ...(await apiServerFlags(folder, users, etcd, secure)),
      `--client-ca-file=${join(folder, 'clients')}`,
      ...openToAll,
    ];
    const server = stack.use(new RealServer(folder, { etcd, peer, secure }, flags, storage, authority));
    await server.up();
    stack.move();
    return server;
  }

  /** A client for it, through `port` or through a proxy in front of it, as an administrator or another user. */
  client(
    port = this.port,
    credential: Credential = { kind: 'token', token },
    otherwise: Partial<ClusterConfig> = {},
  ): { readonly client: Client; close(): Promise<void> } {
    const transport = connect({
      server: `https://127.0.0.1:${port}`,
      namespace: 'default',
      certificateAuthority: { kind: 'data', pem: this.#ca },
      credential,
      source: 'test',
      ...otherwise,
    });
    return { client: createClient(transport), close: () => transport.close() };
  }

  /** What another process needs to connect as an administrator. */
  get access(): { readonly caFile: string; readonly token: string } {
    return { caFile: join(this.#folder, 'certs', 'apiserver.crt'), token };
  }

  /** Starts the API server and waits until it is ready. */
  async up(): Promise<void> {
    const program = await programOf('kube-apiserver', 'kube-apiserver');
    const log = join(this.#folder, 'kube-apiserver.log');
    const server = await LeashedProcess.start('kube-apiserver', program, this.#flags, log);
    this.#server = server;
    this.#ca = await certificateOf(server, this.#folder);
    await server.until(() => this.#isReady(), startLimit);
  }

  /** Stops the API server; etcd continues. */
  async down(): Promise<void> {
    await this.#server?.[Symbol.asyncDispose]();
    this.#server = undefined;
  }

  /** Compacts etcd up to now. */
  async compact(): Promise<void> {
    const call = async (path: string, body: object) => {
      const answer = await fetch(`http://127.0.0.1:${this.#ports.etcd}${path}`, {
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
    const endpoint = `--endpoints=http://127.0.0.1:${this.#ports.etcd}`;
    await promisify(execFile)(await programOf('etcd@3.6', 'etcdctl'), [endpoint, 'snapshot', 'save', file]);
    return file;
  }

  /** Starts again from a backup, with further flags of `etcdutl snapshot restore`; without a backup, empty. */
  async restore(file: string | undefined, ...flags: readonly string[]): Promise<void> {
    await this.down();
    await this.#etcd[Symbol.asyncDispose]();
    this.#dataFolder = `${this.#dataFolder}-again`;
    const { etcd, peer } = this.#ports;
    const peers = `http://127.0.0.1:${peer}`;
    const identity = [`--initial-cluster=default=${peers}`, `--initial-advertise-peer-urls=${peers}`];
    if (file) {
      const program = await programOf('etcd@3.6', 'etcdutl');
      const target = `--data-dir=${this.#dataFolder}`;
      await promisify(execFile)(program, ['snapshot', 'restore', file, target, ...identity, ...flags]);
    }
    this.#etcd = await startApiServerEtcd(await programOf('etcd@3.6', 'etcd'), this.#dataFolder, etcd, peer);
    await this.up();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.down();
    await this.#etcd[Symbol.asyncDispose]();
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
