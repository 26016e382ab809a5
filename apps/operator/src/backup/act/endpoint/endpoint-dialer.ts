// SPDX-License-Identifier: Apache-2.0
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { lookupHost } from '@operator-parts/blob';
import { type Dialer, networkDialer } from '@operator-parts/etcd';
import type { Client } from '@operator-parts/kube';
import { type EndpointCall, type EndpointRefusal, type EndpointRules, judgeEndpoint } from './endpoint-rules.ts';
import { namespaceAddresses } from './namespace-addresses.ts';

/** Resolves a host name to addresses. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** How the operator connects to endpoints that objects name. */
export interface EndpointNetwork {
  /** @default `lookupHost`, which uses the hosts file and DNS and blocks no thread */
  readonly resolve?: Resolve;
  /** @default `networkDialer`, which connects over the network */
  readonly dial?: Dialer;
}

/** An endpoint that the rules do not allow. Nothing was sent to it. */
export class EndpointRefusedError extends Error {
  override readonly name = 'EndpointRefusedError';
  readonly refusal: EndpointRefusal;

  constructor(refusal: EndpointRefusal) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

/** Opens the connections of one object. */
export type DialerFor = (use: Pick<EndpointCall, 'plainLogin'>) => Dialer;

/**
 * Connects to endpoints that an object of this namespace names, if the rules allow it. Each connection resolves the name again and uses
 * only the addresses that the rules allowed. So a name that resolves differently a moment later cannot redirect the connection.
 */
export function endpointDialer(
  namespace: string,
  client: Client,
  rules: EndpointRules,
  { resolve = lookupHost, dial = networkDialer }: EndpointNetwork = {},
): DialerFor {
  const allowedOf = async (call: EndpointCall, signal: AbortSignal): Promise<readonly string[]> => {
    const { host } = call;
    const name = rules.isShared ? nameInNamespace(host, namespace) : host;
    const found = isIP(host) === 0 ? await resolve(name) : [host];
    signal.throwIfAborted();
    if (found.length === 0) throw new Error(`${host} has no address`);
    if (found.length > mostAddresses)
      throw new Error(`DNS name ${host} has ${found.length} addresses; at most ${mostAddresses} are allowed`);
    const verdict = judgeEndpoint(call, found, new Set(), rules);
    if (!('reason' in verdict)) return verdict.addresses;
    // Reads the owners of the addresses from the API server only if the decision depends on them.
    const home = await namespaceAddresses(client, namespace, found, signal);
    const second = judgeEndpoint(call, found, home, rules);
    if ('reason' in second) throw new EndpointRefusedError(second);
    return second.addresses;
  };
  return ({ plainLogin }) =>
    async ({ host, port }, signal) => {
      const addresses = await allowedOf({ namespace, host, port, plainLogin }, signal);
      return first(addresses, (address) => dial({ host: address, port }, signal));
    };
}

/**
 * The highest number of addresses of one endpoint. Each address costs a request to the API server, whose connections all tenants share. A
 * Service has one address per member.
 */
const mostAddresses = 16;

/**
 * For an object in team-a, `x` and `x.team-a` mean the Service x of team-a. The search domains of the operator's pod must not change that.
 */
export function nameInNamespace(host: string, namespace: string): string {
  const [service = '', ...rest] = host.replace(/\.$/, '').split('.');
  const isShort = rest.length === 0 || (rest.length === 1 && rest[0]?.toLowerCase() === namespace);
  return isShort ? `${service}.${namespace}.svc` : host;
}

async function first(addresses: readonly string[], connect: (address: string) => Promise<Duplex>): Promise<Duplex> {
  let failure: unknown;
  for (const address of addresses) {
    try {
      return await connect(address);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}
