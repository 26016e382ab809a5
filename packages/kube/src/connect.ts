// SPDX-License-Identifier: Apache-2.0
import { readFile as readFileOfSystem } from 'node:fs/promises';
import { type Clock, type Random, systemClock, systemRandom } from '@operator-parts/ports';
import { Credentials } from './auth/credentials.ts';
import { programRunner, type RunProgram } from './auth/exec-plugin.ts';
import { FileCache } from './auth/file-cache.ts';
import type { ClusterConfig, Impersonation } from './config/cluster-config.ts';
import type { ReadFile } from './config/in-cluster.ts';
import { isKubeError } from './kube-error.ts';
import { HttpTransport } from './transport/http-transport.ts';
import type { Transport } from './transport/transport.ts';
import { untilAborted } from './transport/until-aborted.ts';

export interface ConnectOptions {
  /** Connections for calls; watches have their own. @default 8 */
  readonly connections?: number;
  /** Timeout for the start of an answer, and between two pieces of its body, in milliseconds. @default 60 s */
  readonly requestTimeout?: number;
  /** Timeout for opening a connection, in milliseconds. @default 10 s */
  readonly connectTimeout?: number;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Reads certificates and tokens. @default the file system */
  readonly readFile?: ReadFile;
  /** Runs exec plugins. @default a child process with the environment of this process */
  readonly runProgram?: RunProgram;
}

type Headers = Readonly<Record<string, string | readonly string[]>>;

/**
 * The transport for a configuration. Rotated tokens and certificates are read again; after a 401 answer or a failed
 * connection, the next request reads them at once. Secrets are sent over TLS only: requests to an `http://` server have
 * no `Authorization`.
 */
export function connect(config: ClusterConfig, options: ConnectOptions = {}): Transport {
  const { clock = systemClock, random = systemRandom } = options;
  const files = new FileCache({ readFile: options.readFile ?? ((path) => readFileOfSystem(path, 'utf8')), clock });
  const run = options.runProgram ?? programRunner(process.env);
  const credentials = new Credentials(config, { files, run, clock });
  const secure = config.server.startsWith('https:');
  const http = new HttpTransport({
    ...options,
    server: config.server,
    ...(secure ? { tls: () => credentials.tls() } : {}),
    ...(config.proxyUrl ? { proxyUrl: config.proxyUrl } : {}),
    clock,
    random,
  });
  const impersonation = impersonationHeaders(config.impersonate);
  const headersOf = async (headers: Headers | undefined): Promise<Headers> => {
    const authorization = secure ? await credentials.authorization() : undefined;
    return { ...headers, ...impersonation, ...(authorization ? { authorization } : {}) };
  };
  return {
    request: async (request) => {
      const headers = await untilAborted(headersOf(request.headers), request.signal);
      const response = await http.request({ ...request, headers }).catch(renewing(credentials));
      if (response.status === 401) credentials.refused();
      return response;
    },
    connect: async (request) => {
      const headers = await untilAborted(headersOf(request.headers), request.signal);
      return http.connect({ ...request, headers }).catch(renewing(credentials));
    },
    close: () => http.close(),
  };
}

/**
 * Renews the credentials after a refusal. Reads the files again after a failed connection: a certificate may have been
 * rotated.
 */
function renewing(credentials: Credentials): (error: unknown) => never {
  return (error) => {
    if (isKubeError(error, 'Unauthorized')) credentials.refused();
    if (isKubeError(error, 'ConnectionRefused', 'ConnectionLost')) credentials.reread();
    throw error;
  };
}

function impersonationHeaders(impersonate: Impersonation | undefined): Headers {
  if (!impersonate) return {};
  const extra = Object.entries(impersonate.extra ?? {}).map(
    ([key, values]) => [`impersonate-extra-${encodeURIComponent(key).toLowerCase()}`, values] as const,
  );
  return {
    'impersonate-user': impersonate.user,
    ...(impersonate.uid ? { 'impersonate-uid': impersonate.uid } : {}),
    ...(impersonate.groups?.length ? { 'impersonate-group': impersonate.groups } : {}),
    ...Object.fromEntries(extra),
  };
}
