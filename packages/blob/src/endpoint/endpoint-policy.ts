// SPDX-License-Identifier: Apache-2.0
import { isIP, isIPv6 } from 'node:net';
import { BlobError } from '../blob-error.ts';
import { addressSet, isLocalAddress } from './address-rules.ts';
import { fitsHost } from './host-pattern.ts';
import type { StoreProxy } from './proxy.ts';

/**
 * Where stores may be. Endpoints come from users who may create backups, and must not lead the operator to other
 * servers.
 */
export interface EndpointPolicy {
  /** @default ['https', 'http'] */
  readonly schemes?: readonly ('https' | 'http')[];
  /**
   * Patterns of hosts; one of them must match. `*` matches any characters: `*.amazonaws.com`, `minio.storage.svc`,
   * `s3-*.example.com`. A pattern with a port (`minio.storage.svc:9000`) requires that port. A network (`10.0.0.0/8`)
   * matches hosts that are addresses.
   * @default every host
   */
  readonly allow?: readonly string[];
  /**
   * Patterns like those in `allow` that must not match. An address or network also refuses names that resolve to it.
   * @default none
   */
  readonly deny?: readonly string[];
  /** True if the URL must not have a path, which would precede every key. @default false */
  readonly noPath?: boolean;
  /** Allows loopback, link-local and metadata addresses. For tests. @default false */
  readonly allowLocal?: boolean;
  /**
   * The proxy for https connections. The proxy resolves names itself, so it must only allow connections to stores.
   * @default none
   */
  readonly proxy?: StoreProxy;
  /** Looks up a name. @default `lookupHost` */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
}

/**
 * Checks an endpoint without resolving its name; the agents of guarded-agents.ts check the addresses of every
 * connection.
 *
 * @param text a URL, or a host (with or without port), which means https
 */
export function checkEndpoint(text: string, policy: EndpointPolicy): URL {
  const url = parseUrl(text);
  const scheme = url.protocol.slice(0, -1);
  const schemes: readonly string[] = policy.schemes ?? ['https', 'http'];
  if (!schemes.includes(scheme)) throw refused(url, `only ${schemes.join(' and ')} are allowed`);
  if (url.username !== '' || url.password !== '') throw refused(url, 'it contains a user name or password');
  if (url.search !== '' || url.hash !== '') throw refused(url, 'it contains a query or a fragment');
  if (policy.noPath && url.pathname !== '/')
    throw refused(url, 'it has a path, which is not allowed because the operator was started with -path-prefix');
  checkHost(url.hostname, url.port === '' ? defaultPort(scheme) : url.port, policy);
  return url;
}

/** Checks a host (an address without brackets, or a name) before it is resolved. */
export function checkHost(hostname: string, port: string, policy: EndpointPolicy): void {
  const host = hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();
  const isLocal = isIP(host) === 0 ? /(^|\.)localhost$/.test(host) : isLocalAddress(host);
  if (isLocal && !policy.allowLocal) throw localAddress(host);
  const { allow, deny = [] } = policy;
  if (deny.some((pattern) => fitsHost(pattern, host, port))) throw denied(host);
  if (allow && !allow.some((pattern) => fitsHost(pattern, host, port))) {
    throw new BlobError(
      'Configuration',
      `the endpoint ${isIPv6(host) ? `[${host}]` : host}:${port} is not in the list of allowed endpoints`,
    );
  }
}

/**
 * Checks the addresses of a name. One forbidden address refuses them all, because the DNS server decides their order.
 */
export function checkAddresses(host: string, addresses: readonly string[], policy: EndpointPolicy): void {
  if (!policy.allowLocal && addresses.some(isLocalAddress)) throw localAddress(host);
  if (addresses.some(addressSet(policy.deny ?? []))) throw denied(host);
}

function parseUrl(text: string): URL {
  const withScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`;
  if (!URL.canParse(withScheme)) throw new BlobError('Configuration', 'the endpoint is not a URL');
  return new URL(withScheme);
}

function defaultPort(scheme: string): string {
  return scheme === 'https' ? '443' : '80';
}

function localAddress(host: string): BlobError {
  return new BlobError(
    'Configuration',
    `the endpoint ${host} is refused: it is, or resolves to, a loopback, link-local or metadata address`,
  );
}

function denied(host: string): BlobError {
  return new BlobError(
    'Configuration',
    `the operator never connects to the endpoint ${host}, or to an address that this name resolves to`,
  );
}

function refused(url: URL, why: string): BlobError {
  return new BlobError('Configuration', `the endpoint ${url.protocol}//${url.host} is refused: ${why}`);
}
