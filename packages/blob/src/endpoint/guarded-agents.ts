// SPDX-License-Identifier: Apache-2.0
import type { LookupAddress } from 'node:dns';
import { type ClientRequestArgs, Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent, type RequestOptions } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { Duplex } from 'node:stream';
import { createSecureContext, rootCertificates } from 'node:tls';
import { callbackify } from 'node:util';
import { BlobError } from '../blob-error.ts';
import { checkAddresses, checkHost, type EndpointPolicy } from './endpoint-policy.ts';
import { fenceConnection } from './fenced-connection.ts';
import { lookupHost } from './lookup-host.ts';
import { isProxied, type StoreProxy } from './proxy.ts';
import { openTunnel } from './tunnel.ts';

export interface AgentOptions {
  readonly policy: EndpointPolicy;
  /**
   * The only host that gets credentials, including its subdomains, such as buckets. Undefined: every host that the
   * policy allows.
   */
  readonly host?: string;
  /** CA certificates in PEM, trusted in addition to the system's. */
  readonly caCertificates?: string;
  /** Throws if sending is no longer allowed. @default none: sending is always allowed */
  readonly fence?: (() => void) | undefined;
}

/** The connections of one store. */
export interface GuardedAgents {
  readonly http: HttpAgent;
  readonly https: HttpsAgent;
  /** The certificates in the options. */
  readonly caCertificates: string | undefined;
  /** Rejects if these agents would not connect to the addresses of this URL now. */
  check(url: URL): Promise<void>;
  /** True if this URL needs the proxy. Clients without the proxy cannot use it. */
  isProxied(url: URL): boolean;
  close(): void;
}

/** The most connections at once, more than a store ever needs. */
const maxSockets = 32;

/**
 * Agents that connect to one store only. The policy checks every connection: first the host name, then its addresses.
 * The connection is made to the checked addresses. A proxy is used only if the policy names it.
 */
export function guardedAgents(options: AgentOptions): GuardedAgents {
  const { policy, caCertificates } = options;
  const checkConnection = (host: string | null | undefined, port: string) => {
    checkHost(host ?? '', port, policy);
    if (options.host !== undefined && !isWithin(host ?? '', options.host)) {
      throw new BlobError(
        'Configuration',
        `the request to ${options.host} is not sent, because it would go to ${host} instead`,
      );
    }
  };
  // The context is created once. If Node got the list of certificates instead, it would parse them for every request.
  const trust =
    caCertificates === undefined
      ? {}
      : { secureContext: createSecureContext({ ca: [...rootCertificates, caCertificates] }) };
  const shared = { keepAlive: true, maxSockets, lookup: guardedLookup(policy) };
  const http = new GuardedHttpAgent(checkConnection, shared, options.fence);
  const { proxy } = policy;
  const route = (host: string, port: string) =>
    proxy && isProxied(proxy, host, port) ? tunnelTo(proxy, host, port, policy) : undefined;
  const https = new GuardedHttpsAgent(checkConnection, { ...shared, ...trust, route }, options.fence);
  const portOf = (url: URL) => url.port || (url.protocol === 'https:' ? '443' : '80');
  const check = async (url: URL) => {
    const host = bare(url.hostname);
    checkConnection(host, portOf(url));
    if (isIP(host) === 0) await allowedAddresses(host, policy);
  };
  const leadsThroughProxy = (url: URL) =>
    proxy !== undefined && url.protocol === 'https:' && isProxied(proxy, bare(url.hostname), portOf(url));
  const close = () => {
    http.destroy();
    https.destroy();
  };
  return { http, https, caCertificates, check, isProxied: leadsThroughProxy, close };
}

type HostCheck = (host: string | null | undefined, port: string) => void;
type OnSocket = (error: Error | null, socket: Duplex) => void;

class GuardedHttpAgent extends HttpAgent {
  readonly #check: HostCheck;
  readonly #fence: (() => void) | undefined;

  constructor(
    check: HostCheck,
    options: ConstructorParameters<typeof HttpAgent>[0] & { lookup: LookupFunction },
    fence: (() => void) | undefined,
  ) {
    super(options);
    this.#check = check;
    this.#fence = fence;
  }

  override createConnection(options: ClientRequestArgs, callback?: OnSocket): Duplex | null | undefined {
    this.#check(options.host, String(options.port ?? 80));
    const socket = super.createConnection(options, callback);
    if (socket && this.#fence) fenceConnection(socket, 'connect', this.#fence);
    return socket;
  }
}

/**
 * Opens a connection through a proxy, on which TLS then runs. Undefined if no proxy is needed: then the agent opens the
 * connection itself.
 */
type Route = (host: string, port: string) => Promise<Duplex> | undefined;

class GuardedHttpsAgent extends HttpsAgent {
  readonly #check: HostCheck;
  readonly #route: Route;
  readonly #fence: (() => void) | undefined;

  constructor(
    check: HostCheck,
    { route, ...options }: ConstructorParameters<typeof HttpsAgent>[0] & { lookup: LookupFunction; route: Route },
    fence: (() => void) | undefined,
  ) {
    super(options);
    this.#check = check;
    this.#route = route;
    this.#fence = fence;
  }

  override createConnection(options: RequestOptions, callback?: OnSocket): Duplex | null | undefined {
    const port = String(options.port ?? 443);
    this.#check(options.host, port);
    const tunnel = this.#route(bare(options.host ?? ''), port);
    if (!tunnel) return this.#fenced(super.createConnection(options, callback));
    // Node's own agent passes `socket` to TLS, which then opens no connection.
    const begin = async () => {
      const socket = this.#fenced(super.createConnection({ ...options, socket: await tunnel } as RequestOptions));
      if (!socket) throw new BlobError('Unavailable', 'no connection through the proxy');
      return socket;
    };
    callbackify(begin)((error, socket) => callback?.(error, socket));
    return undefined;
  }

  #fenced(socket: Duplex | null | undefined): Duplex | null | undefined {
    if (socket && this.#fence) fenceConnection(socket, 'secureConnect', this.#fence);
    return socket;
  }
}

/**
 * Opens a connection through the proxy. A name may be known only to the proxy; if this machine can resolve it, its
 * addresses are checked, too.
 */
async function tunnelTo(proxy: StoreProxy, host: string, port: string, policy: EndpointPolicy): Promise<Duplex> {
  if (isIP(host) === 0) {
    const addresses = await (policy.resolve ?? lookupHost)(host).catch(() => []);
    checkAddresses(host, addresses, policy);
  }
  return openTunnel(proxy, host, port);
}

function isWithin(host: string, parent: string): boolean {
  return bare(host) === bare(parent) || host.endsWith(`.${parent}`);
}

/** URLs have IPv6 addresses in brackets, connections have not. */
function bare(host: string): string {
  return host.replace(/^\[|\]$/g, '');
}

function guardedLookup(policy: EndpointPolicy): LookupFunction {
  const addressesOf = callbackify(allowedAddresses);
  return (hostname, options, callback) => {
    addressesOf(hostname, policy, (error, addresses) => {
      if (error) callback(error, '');
      else if (options.all) callback(null, [...addresses]);
      else callback(null, addresses[0].address, addresses[0].family);
    });
  };
}

async function allowedAddresses(
  host: string,
  policy: EndpointPolicy,
): Promise<readonly [LookupAddress, ...(readonly LookupAddress[])]> {
  const addresses = await (policy.resolve ?? lookupHost)(host);
  checkAddresses(host, addresses, policy);
  const [first, ...others] = addresses.map((address) => ({ address, family: isIP(address) }));
  if (!first) throw Object.assign(new Error(`the host name ${host} has no IP address`), { code: 'ENOTFOUND' });
  return [first, ...others];
}
