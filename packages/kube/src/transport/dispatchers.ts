// SPDX-License-Identifier: Apache-2.0
import { Agent, buildConnector, type Dispatcher, ProxyAgent, Socks5ProxyAgent } from 'undici';
import { KubeError } from '../kube-error.ts';
import { fenceWrites } from './send-fence.ts';

/** The TLS settings for the API server. Without `ca` the system's CAs are trusted. */
export interface TlsMaterial {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly serverName?: string;
}

export interface DispatcherOptions {
  readonly tls: TlsMaterial;
  readonly proxyUrl?: string | undefined;
  /** Connections for calls. Further calls wait. */
  readonly connections: number;
  /** Timeout between two pieces of an answer's body, in milliseconds. */
  readonly bodyTimeout: number;
  readonly connectTimeout: number;
}

/**
 * Three connection pools for one server: a few shared connections for calls, one connection each for watches and
 * followed logs, and two for Leases.
 */
export interface Dispatchers {
  readonly calls: Dispatcher;
  /** For Leases: a leader whose renewal waits behind slow calls would lose the lease. */
  readonly leases: Dispatcher;
  readonly streams: Dispatcher;
}

/** Kept below the 90 s after which an API server closes idle connections itself. */
const keepAliveTimeout = 30_000;
/** TCP keep-alive detects a dead peer on an idle connection after this time. */
const tcpKeepAliveDelay = 30_000;

/** One connection for renewals, and a second one in case the first hangs. */
const connectionsForLeases = 2;

export function createDispatchers(options: DispatcherOptions): Dispatchers {
  const shared = { keepAliveTimeout, pipelining: 1, headersTimeout: 0, allowH2: false };
  const { connections, bodyTimeout } = options;
  return {
    calls: createDispatcher(options, { ...shared, connections, bodyTimeout }),
    leases: createDispatcher(options, { ...shared, connections: connectionsForLeases, bodyTimeout }),
    streams: createDispatcher(options, { ...shared, bodyTimeout: 0 }),
  };
}

interface Limits {
  readonly connections?: number;
  readonly bodyTimeout: number;
  readonly headersTimeout: number;
  readonly keepAliveTimeout: number;
  readonly pipelining: number;
  readonly allowH2: boolean;
}

function createDispatcher({ tls, proxyUrl, connectTimeout }: DispatcherOptions, limits: Limits): Dispatcher {
  const connect = {
    timeout: connectTimeout,
    keepAlive: true,
    keepAliveInitialDelay: tcpKeepAliveDelay,
    ...tlsConnectOptions(tls),
  };
  if (!proxyUrl) return new Agent({ ...limits, connect: fencedConnector(connect) });
  const { protocol } = parseProxy(proxyUrl);
  if (protocol === 'socks5:') return new Socks5ProxyAgent(proxyUrl, { ...limits, requestTls: connect });
  return new ProxyAgent({ ...limits, uri: proxyUrl, requestTls: connect, proxyTls: { timeout: connectTimeout } });
}

function fencedConnector(options: buildConnector.BuildOptions): buildConnector.connector {
  const connector = buildConnector({ ...options, allowH2: false });
  return (target, callback) =>
    connector(target, (...[error, socket]: Parameters<buildConnector.Callback>) => {
      if (error) {
        callback(error, null);
        return;
      }
      fenceWrites(socket);
      callback(null, socket);
    });
}

function parseProxy(proxyUrl: string): URL {
  const url = URL.parse(proxyUrl);
  if (url && ['http:', 'https:', 'socks5:'].includes(url.protocol)) return url;
  throw new KubeError('Configuration', 'the proxy URL must start with http://, https:// or socks5://');
}

/** The options of `node:tls` for this material. Verification cannot be switched off. */
function tlsConnectOptions(tls: TlsMaterial): {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly servername?: string;
  readonly minVersion: 'TLSv1.2';
} {
  return {
    minVersion: 'TLSv1.2',
    ...(tls.ca === undefined ? {} : { ca: tls.ca }),
    ...(tls.cert === undefined ? {} : { cert: tls.cert }),
    ...(tls.key === undefined ? {} : { key: tls.key }),
    ...(tls.serverName === undefined ? {} : { servername: tls.serverName }),
  };
}
