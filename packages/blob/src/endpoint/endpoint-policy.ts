// SPDX-License-Identifier: Apache-2.0
import { isIP } from 'node:net';
import { BlobError } from '../blob-error.ts';
import { isLocalAddress } from './address-rules.ts';

/** Where stores may be. Endpoints come from people who may create backups, and must not lead the operator anywhere else. */
export interface EndpointPolicy {
  /** @default ['https', 'http'] */
  readonly schemes?: readonly ('https' | 'http')[];
  /**
   * Patterns of hosts; one must fit. `*` stands for any characters: `*.amazonaws.com`, `minio.storage.svc`, `s3-*.example.com`. A
   * pattern with a port (`minio.storage.svc:9000`) asks for that port. @default every host
   */
  readonly allow?: readonly string[];
  /** May it be a loopback, link-local or metadata address? For tests. @default false */
  readonly allowLocal?: boolean;
  /** Looks up a name. @default the system's resolver */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
}

/**
 * Checks an endpoint as far as that goes without looking its name up; that is done for every connection, by the agents of
 * guarded-agents.ts.
 *
 * @param text a URL, or a host (with or without port), which stands for https
 */
export function checkEndpoint(text: string, policy: EndpointPolicy): URL {
  const url = parseUrl(text);
  const scheme = url.protocol.slice(0, -1);
  const schemes: readonly string[] = policy.schemes ?? ['https', 'http'];
  if (!schemes.includes(scheme)) throw refused(url, `only ${schemes.join(' and ')} are allowed`);
  if (url.username !== '' || url.password !== '') throw refused(url, 'it carries a user name or password');
  if (url.search !== '' || url.hash !== '') throw refused(url, 'it carries a query or a fragment');
  checkHost(url.hostname, url.port === '' ? defaultPort(scheme) : url.port, policy);
  return url;
}

/** Checks a host (an address without brackets, or a name) as it is before it is looked up. */
export function checkHost(hostname: string, port: string, policy: EndpointPolicy): void {
  const host = hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();
  const isLocal = isIP(host) === 0 ? /(^|\.)localhost$/.test(host) : isLocalAddress(host);
  if (isLocal && !policy.allowLocal) throw localAddress(host);
  const { allow } = policy;
  if (allow && !allow.some((pattern) => fits(pattern, host, port))) {
    throw new BlobError('Configuration', `the endpoint ${host}:${port} is not among those that are allowed`);
  }
}

/** Checks what a name was resolved to. One bad address among good ones condemns them all: whoever answers may choose the order. */
export function checkAddresses(host: string, addresses: readonly string[], policy: EndpointPolicy): void {
  if (!policy.allowLocal && addresses.some(isLocalAddress)) throw localAddress(host);
}

function parseUrl(text: string): URL {
  const withScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`;
  if (!URL.canParse(withScheme)) throw new BlobError('Configuration', 'the endpoint is not a URL');
  return new URL(withScheme);
}

function fits(pattern: string, host: string, port: string): boolean {
  const { name = '', port: wantedPort } = /^(?<name>.*?)(:(?<port>\d+))?$/s.exec(pattern.toLowerCase())?.groups ?? {};
  const expression = name
    .split('*')
    .map((text) => text.replace(/[^a-z0-9-]/g, '\\$&'))
    .join('.*');
  return new RegExp(`^${expression}$`, 's').test(host) && (wantedPort === undefined || wantedPort === port);
}

function defaultPort(scheme: string): string {
  return scheme === 'https' ? '443' : '80';
}

function localAddress(host: string): BlobError {
  return new BlobError(
    'Configuration',
    `the endpoint ${host} is a loopback, link-local or metadata address, or leads to one; that is refused`,
  );
}

function refused(url: URL, why: string): BlobError {
  return new BlobError('Configuration', `the endpoint ${url.protocol}//${url.host} is refused: ${why}`);
}
