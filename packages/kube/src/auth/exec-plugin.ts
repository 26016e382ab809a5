// SPDX-License-Identifier: Apache-2.0
import { execFile } from 'node:child_process';
import type { Clock } from '@operator-parts/ports';
import type { ClusterConfig, ExecPlugin } from '../config/cluster-config.ts';
import { configError } from '../config/config-error.ts';
import type { Environment } from '../config/in-cluster.ts';
import { isObject, own } from '../json/json-value.ts';
import { parseTime } from '../values/micro-time.ts';

/** Runs a program without a shell and resolves with its output. */
export type RunProgram = (
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
) => Promise<string>;

/** The credential of a plugin. */
export interface ExecCredential {
  readonly token?: string;
  readonly cert?: string;
  readonly key?: string;
  /** Milliseconds since the epoch; without it the credential is valid until the server refuses it. */
  readonly expires?: number;
}

/** A credential is renewed this long before it expires, so that it does not expire during a request. */
const leeway = 10_000;

/**
 * Keeps the credential of an exec plugin. Runs the plugin if there is no credential yet, if the credential is about to
 * expire, and if the API server has refused the credential.
 */
export class ExecCredentialSource {
  readonly #config: ClusterConfig;
  readonly #plugin: ExecPlugin;
  readonly #run: RunProgram;
  readonly #clock: Clock;
  #cached: ExecCredential | undefined;
  #running: Promise<ExecCredential> | undefined;

  constructor(options: {
    readonly config: ClusterConfig;
    readonly plugin: ExecPlugin;
    readonly run: RunProgram;
    readonly clock: Clock;
  }) {
    this.#config = options.config;
    this.#plugin = options.plugin;
    this.#run = options.run;
    this.#clock = options.clock;
  }

  /** Concurrent requests share one run. */
  async get(): Promise<ExecCredential> {
    const cached = this.#cached;
    if (cached && (cached.expires === undefined || this.#clock.now() < cached.expires - leeway)) return cached;
    this.#running ??= this.#fetch().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  forget(): void {
    this.#cached = undefined;
  }

  async #fetch(): Promise<ExecCredential> {
    const { command, args, env } = this.#plugin;
    const where = `${this.#config.source}: exec plugin ${command}`;
    const info = JSON.stringify(execInfo(this.#plugin, this.#config));
    let output: string;
    try {
      output = await this.#run(command, args, { ...env, KUBERNETES_EXEC_INFO: info });
    } catch (cause) {
      const hint = this.#plugin.installHint ? `\n${this.#plugin.installHint}` : '';
      throw configError(where, `failed: ${cause instanceof Error ? cause.message : String(cause)}${hint}`, cause);
    }
    this.#cached = parseCredential(output, this.#plugin.apiVersion, where);
    return this.#cached;
  }
}

/** The input of the plugin in `KUBERNETES_EXEC_INFO`. */
function execInfo(plugin: ExecPlugin, config: ClusterConfig): unknown {
  const authority = config.certificateAuthority;
  const cluster = {
    server: config.server,
    ...(config.serverName ? { 'tls-server-name': config.serverName } : {}),
    ...(config.proxyUrl ? { 'proxy-url': config.proxyUrl } : {}),
    ...(authority?.kind === 'data'
      ? { 'certificate-authority-data': Buffer.from(authority.pem).toString('base64') }
      : {}),
  };
  return {
    apiVersion: plugin.apiVersion,
    kind: 'ExecCredential',
    spec: { interactive: false, ...(plugin.provideClusterInfo ? { cluster } : {}) },
  };
}

function parseCredential(output: string, apiVersion: string, where: string): ExecCredential {
  let parsed: unknown;
  try {
    parsed = JSON.parse(output);
  } catch (cause) {
    // The output may be a secret, so the error does not quote it.
    throw configError(where, 'did not print valid JSON', cause);
  }
  const status = isObject(parsed) ? own(parsed, 'status') : undefined;
  if (!isObject(parsed) || parsed['kind'] !== 'ExecCredential' || !isObject(status)) {
    throw configError(where, 'did not print an ExecCredential with a status');
  }
  if (parsed['apiVersion'] !== apiVersion) {
    throw configError(
      where,
      `printed apiVersion ${JSON.stringify(parsed['apiVersion'])}, but the kubeconfig asks for ${apiVersion}`,
    );
  }
  const text = (name: string) => {
    const value = own(status, name);
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const [token, cert, key] = [text('token'), text('clientCertificateData'), text('clientKeyData')];
  const expiry = text('expirationTimestamp');
  if (!token && !(cert && key))
    throw configError(where, 'printed neither a token nor a client certificate with its key');
  return {
    ...(token ? { token } : {}),
    ...(cert && key ? { cert, key } : {}),
    ...(expiry ? { expires: expiryOf(expiry, where) } : {}),
  };
}

function expiryOf(text: string, where: string): number {
  try {
    return parseTime(text);
  } catch (cause) {
    throw configError(where, 'printed an expirationTimestamp that is not a valid time', cause);
  }
}

const longestRun = 60_000;
const longestOutput = 1 << 20;
const stderrExcerpt = 500;

/** Runs local programs, with `env` added to `base`. */
export function programRunner(base: Environment): RunProgram {
  return (command, args, env) =>
    new Promise((resolve, reject) => {
      const options = { env: { ...base, ...env }, timeout: longestRun, maxBuffer: longestOutput };
      execFile(command, [...args], options, (error, stdout, stderr) => {
        if (!error) return resolve(stdout);
        const said = stderr.trim().slice(0, stderrExcerpt);
        // The message of execFile contains the arguments, which may be secrets.
        const how =
          error.code === 'ENOENT'
            ? 'the program was not found'
            : `the program exited with ${error.signal ?? error.code}`;
        return reject(new Error(said ? `${how}: ${said}` : how));
      });
    });
}
