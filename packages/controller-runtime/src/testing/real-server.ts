// SPDX-License-Identifier: Apache-2.0
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type ApiServer, programOf, startApiServer, TestAuthority } from '@etcd-operator/tools';
import { type Client, type ClusterConfig, type Credential, connect, createClient } from '@operator-parts/kube';

const flags = ['--authorization-mode=AlwaysAllow', '--service-account-issuer=https://kubernetes.default.svc'];
const run = promisify(execFile);

/**
 * A real kube-apiserver and its etcd on loopback. The API server can be stopped and started, its history compacted, and
 * its data replaced.
 */
export class RealServer implements AsyncDisposable {
  readonly port: number;
  /** The CA of the client certificates that it accepts. */
  readonly authority: TestAuthority;
  readonly #server: ApiServer;

  private constructor(server: ApiServer, authority: TestAuthority) {
    this.#server = server;
    this.port = server.port;
    this.authority = authority;
  }

  static async start(): Promise<RealServer> {
    const authority = await TestAuthority.create();
    const server = new RealServer(await startApiServer({ flags, clientAuthority: authority.ca }), authority);
    await server.#isReady();
    return server;
  }

  /** A client for it, through `port` or through a proxy in front of it, as an administrator or another user. */
  client(
    port = this.port,
    credential: Credential = { kind: 'token', token: this.#server.token },
    otherwise: Partial<ClusterConfig> = {},
  ): { readonly client: Client; close(): Promise<void> } {
    const transport = connect({
      server: `https://127.0.0.1:${port}`,
      namespace: 'default',
      certificateAuthority: { kind: 'data', pem: this.#server.ca },
      credential,
      source: 'test',
      ...otherwise,
    });
    return { client: createClient(transport), close: () => transport.close() };
  }

  /** What another process needs to connect as an administrator. */
  get access(): { readonly caFile: string; readonly token: string } {
    return { caFile: join(this.#server.folder, 'certs', 'apiserver.crt'), token: this.#server.token };
  }

  /** Starts the API server and waits until it is ready. */
  async up(): Promise<void> {
    await this.#server.start();
    await this.#isReady();
  }

  /** Stops the API server; etcd continues. */
  down(): Promise<void> {
    return this.#server.stop();
  }

  /** Compacts etcd up to now. */
  compact(): Promise<void> {
    return this.#server.compact();
  }

  /** A backup of everything it stores; returns its path. */
  async backUp(): Promise<string> {
    const file = join(this.#server.folder, `backup-${Date.now()}`);
    await run(await programOf('etcd@3.6', 'etcdctl'), [`--endpoints=${this.#server.etcd}`, 'snapshot', 'save', file]);
    return file;
  }

  /** Starts again from a backup, with further flags of `etcdutl snapshot restore`; without a backup, empty. */
  async restore(file: string | undefined, ...more: readonly string[]): Promise<void> {
    const program = await programOf('etcd@3.6', 'etcdutl');
    await this.#server.startOver(async ({ dataFolder, identity }) => {
      if (file === undefined) return;
      await run(program, ['snapshot', 'restore', file, `--data-dir=${dataFolder}`, ...identity, ...more]);
    });
    await this.#isReady();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
  }

  /** Waits for the namespace `default`, which the API server creates a moment after it is ready. */
  #isReady(): Promise<void> {
    return this.#server.serves('/api/v1/namespaces/default');
  }
}
