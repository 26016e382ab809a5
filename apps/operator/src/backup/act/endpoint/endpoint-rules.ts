// SPDX-License-Identifier: Apache-2.0
import { addressSet, fitsHost, isLocalAddress } from '@operator-parts/blob';
import type { BackupReason } from '../../../api/reasons.ts';
import { covers, type EndpointGrant } from './endpoint-grant.ts';

/** The operator's own settings for `spec.etcdEndpoints`. */
export interface EndpointRules {
  /** True if the operator manages namespaces other than its own: users of those namespaces must not gain network access through the operator. */
  readonly isShared: boolean;
  /**
   * Hosts and networks that are allowed in addition to the namespace of the object. If the list is not empty, all other hosts are refused.
   */
  readonly granted: readonly EndpointGrant[];
  /** Hosts, addresses and networks that no endpoint may use: those of the API server. */
  readonly refused: readonly string[];
}

/** A connection that is about to be opened. */
export interface EndpointCall {
  /** The namespace of the object that names the endpoint. */
  readonly namespace: string;
  /** The host as the object names it. */
  readonly host: string;
  readonly port: number;
  /** Whether a password would be sent without TLS, and whether it is from a Secret with the label that allows this. */
  readonly plainLogin: 'none' | 'labelled' | 'unlabelled';
}

/** Why the operator does not connect to an endpoint. */
export interface EndpointRefusal {
  readonly reason: Extract<BackupReason, 'EndpointNotAllowed' | 'PlaintextLogin'>;
  readonly message: string;
}

/**
 * Selects the resolved addresses that may be connected to. An object may reach pods and Services of its own namespace, and what an
 * administrator granted. If the operator manages only its own namespace, its users may reach whatever the operator reaches; then every
 * address is allowed unless hosts were granted. A password is sent without TLS only within the object's namespace, or where an
 * administrator allows it.
 *
 * @param home the addresses that belong to pods and Services of the namespace
 */
export function judgeEndpoint(
  call: EndpointCall,
  addresses: readonly string[],
  home: ReadonlySet<string>,
  rules: EndpointRules,
): { readonly addresses: readonly string[] } | EndpointRefusal {
  const always = refusedAlways(call, addresses, rules);
  if (always) return always;
  const { granted, isShared } = rules;
  const isLimited = isShared || granted.length > 0;
  const grantsOf = (address: string) => granted.filter((grant) => covers(grant, call.host, call.port, address));
  const reachable = addresses.filter((address) => !isLimited || home.has(address) || grantsOf(address).length > 0);
  if (reachable.length === 0) return notAllowed(call);
  if (call.plainLogin === 'none') return { addresses: reachable };
  if (call.plainLogin === 'unlabelled' && isShared) return unlabelledLogin(call);
  const trusted = reachable.filter(
    (address) => home.has(address) || grantsOf(address).some(({ allowsPlainLogin }) => allowsPlainLogin),
  );
  return trusted.length > 0 ? { addresses: trusted } : plainLogin(call);
}

/** If one address is refused, all addresses of the name are refused, because the DNS server can choose their order. */
function refusedAlways(
  { host, port }: EndpointCall,
  addresses: readonly string[],
  { refused }: EndpointRules,
): EndpointRefusal | undefined {
  const name = host.toLowerCase().replace(/\.$/, '');
  if (addresses.some(isLocalAddress)) {
    const message = `endpoint ${host} is not allowed, because its address is a loopback, link-local or cloud metadata address`;
    return { reason: 'EndpointNotAllowed', message };
  }
  if (!refused.some((pattern) => fitsHost(pattern, name, String(port))) && !addresses.some(addressSet(refused)))
    return undefined;
  return {
    reason: 'EndpointNotAllowed',
    message: `endpoint ${host} is not allowed, because it leads to the Kubernetes API server`,
  };
}

function notAllowed({ host, namespace }: EndpointCall): EndpointRefusal {
  const message = `endpoint ${host} is not allowed, because it is not a running pod or a Service with a selector in namespace ${namespace}. Name such a pod or Service, or set spec.clusterRef. An administrator can allow this endpoint with -allow-etcd-endpoints=${host}`;
  return { reason: 'EndpointNotAllowed', message };
}

function plainLogin({ host, namespace }: EndpointCall): EndpointRefusal {
  const message = `the password is not sent to ${host} without TLS, because ${host} is outside namespace ${namespace}. Use https, or start the operator with -allow-etcd-endpoints=http://${host}`;
  return { reason: 'PlaintextLogin', message };
}

function unlabelledLogin({ host }: EndpointCall): EndpointRefusal {
  const message = `the password is not sent to ${host} without TLS, because the Secret of the password lacks the label for backups. Use https, set spec.clusterRef, or label the Secret as condition SecretsUnlabelled shows`;
  return { reason: 'PlaintextLogin', message };
}
