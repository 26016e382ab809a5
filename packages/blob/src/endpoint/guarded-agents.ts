// SPDX-License-Identifier: Apache-2.0
import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { type ClientRequestArgs, Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent, type RequestOptions } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { Duplex } from 'node:stream';
import { createSecureContext, rootCertificates } from 'node:tls';
import { callbackify } from 'node:util';
import { BlobError } from '../blob-error.ts';
import { checkAddresses, checkHost, type EndpointPolicy } from './endpoint-policy.ts';

export interface AgentOptions {
  readonly policy: EndpointPolicy;
  /** The host that credentials may go to; hosts below it too, as buckets have. Undefined: whichever the policy lets through. */
  readonly host?: string;
  /** Certificates, in PEM, that are trusted besides the usual ones. */
  readonly caCertificates?: string;
}

/** The connections of one store. */
export interface GuardedAgents {
  readonly http: HttpAgent;
  readonly https: HttpsAgent;
  /** As given. */
  readonly caCertificates: string | undefined;
  /** Rejects if these agents would not connect to where this URL leads now. */
  check(url: URL): Promise<void>;
  close(): void;
}

/** More than a store ever needs at once; a bound all the same. */
const maxSockets = 32;

/**
 * Agents that connect to one store only, and whose every connection passes the policy: first the host as it is named, then the
 * addresses that its name resolves to, which are then the ones connected to. Proxies of the environment are not used.
 */
export function guardedAgents(options: AgentOptions): GuardedAgents {
  const { policy, caCertificates } = options;
  const checkConnection = (host: string | null | undefined, port: string) => {
    checkHost(host ?? '', port, policy);
    if (options.host !== undefined && !isWithin(host ?? '', options.host)) {
      throw new BlobError('Configuration', `a request would have gone to ${host} instead of ${options.host}; refused`);
    }
  };
  // As a context, made once: as a list, Node would read all of it again for every request.
  const trust =
    caCertificates === undefined
      ? {}
      : { secureContext: createSecureContext({ ca: [...rootCertificates, caCertificates] }) };
  const shared = { keepAlive: true, maxSockets, lookup: guardedLookup(policy) };
  const http = new GuardedHttpAgent(checkConnection, shared);
  const https = new GuardedHttpsAgent(checkConnection, { ...shared, ...trust });
  const check = async (url: URL) => {
    const host = bare(url.hostname);
    checkConnection(host, url.port || (url.protocol === 'https:' ? '443' : '80'));
    if (isIP(host) === 0) await allowedAddresses(host, policy);
  };
  const close = () => {
    http.destroy();
    https.destroy();
  };
  return { http, https, caCertificates, check, close };
}

type HostCheck = (host: string | null | undefined, port: string) => void;
type OnSocket = (error: Error | null, socket: Duplex) => void;

class GuardedHttpAgent extends HttpAgent {
  readonly #check: HostCheck;

  constructor(check: HostCheck, options: ConstructorParameters<typeof HttpAgent>[0] & { lookup: LookupFunction }) {
    super(options);
    this.#check = check;
  }

  override createConnection(options: ClientRequestArgs, callback?: OnSocket): Duplex | null | undefined {
    this.#check(options.host, String(options.port ?? 80));
    return super.createConnection(options, callback);
  }
}

class GuardedHttpsAgent extends HttpsAgent {
  readonly #check: HostCheck;

  constructor(check: HostCheck, options: ConstructorParameters<typeof HttpsAgent>[0] & { lookup: LookupFunction }) {
    super(options);
    this.#check = check;
  }

  override createConnection(options: RequestOptions, callback?: OnSocket): Duplex | null | undefined {
    this.#check(options.host, String(options.port ?? 443));
    return super.createConnection(options, callback);
  }
}

function isWithin(host: string, parent: string): boolean {
  return bare(host) === bare(parent) || host.endsWith(`.${parent}`);
}

/** URLs have IPv6 addresses in brackets, connections do not. */
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
  const addresses = await (policy.resolve ?? resolveBySystem)(host);
  checkAddresses(host, addresses, policy);
  const [first, ...others] = addresses.map((address) => ({ address, family: isIP(address) }));
  if (!first) throw Object.assign(new Error(`${host} has no address`), { code: 'ENOTFOUND' });
  return [first, ...others];
}

async function resolveBySystem(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}
