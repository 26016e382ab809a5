// SPDX-License-Identifier: Apache-2.0
import type { Clock } from '@operator-parts/ports';
import type { ClusterConfig, Pem } from '../config/cluster-config.ts';
import { configError } from '../config/config-error.ts';
import type { TlsMaterial } from '../transport/dispatchers.ts';
import { ExecCredentialSource, type RunProgram } from './exec-plugin.ts';
import type { FileCache } from './file-cache.ts';

/** The current credentials for one API server: tokens, certificates and authorities. */
export class Credentials {
  readonly #config: ClusterConfig;
  readonly #files: FileCache;
  readonly #exec: ExecCredentialSource | undefined;

  constructor(config: ClusterConfig, options: { files: FileCache; run: RunProgram; clock: Clock }) {
    this.#config = config;
    this.#files = options.files;
    const { credential } = config;
    if (credential.kind === 'exec') {
      const { run, clock } = options;
      this.#exec = new ExecCredentialSource({ config, plugin: credential.plugin, run, clock });
    }
  }

  /** The `Authorization` header, if any. */
  async authorization(): Promise<string | undefined> {
    const header = await this.#authorization();
    // The header is invalid and cannot be sent; it contains a secret, so the error does not quote it.
    if (header !== undefined && /[^\x20-\x7e]/.test(header)) {
      throw configError(this.#config.source, 'the token contains invalid characters, such as a line break');
    }
    return header;
  }

  async #authorization(): Promise<string | undefined> {
    const { credential, source } = this.#config;
    switch (credential.kind) {
      case 'none':
        return undefined;
      case 'token':
        return `Bearer ${credential.token}`;
      case 'token-file': {
        const token = (await this.#files.read(credential.path, source)).trim();
        if (!token) throw configError(source, `the token file ${credential.path} is empty`);
        return `Bearer ${token}`;
      }
      case 'basic':
        return `Basic ${Buffer.from(`${credential.username}:${credential.password}`).toString('base64')}`;
      case 'exec': {
        const token = (await this.#exec?.get())?.token;
        return token === undefined ? undefined : `Bearer ${token}`;
      }
    }
  }

  /** The TLS material of a connection. */
  async tls(): Promise<TlsMaterial> {
    const { certificateAuthority, clientCertificate, clientKey, serverName } = this.#config;
    const exec = await this.#exec?.get();
    const [ca, cert, key] = await Promise.all([
      this.#pem(certificateAuthority),
      exec?.cert ?? this.#pem(clientCertificate),
      exec?.key ?? this.#pem(clientKey),
    ]);
    return {
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined || key === undefined ? {} : { cert, key }),
      ...(serverName === undefined ? {} : { serverName }),
    };
  }

  /**
   * Call it when the API server has refused the credentials: those that can be renewed are renewed before the next
   * request.
   */
  refused(): void {
    this.reread();
    this.#exec?.forget();
  }

  /**
   * Call it when no connection could be opened, perhaps because a certificate was rotated: files are read again before
   * the next request.
   */
  reread(): void {
    this.#files.forget();
  }

  #pem(source: Pem | undefined): Promise<string> | string | undefined {
    return source?.kind === 'file' ? this.#files.read(source.path, this.#config.source) : source?.pem;
  }
}
