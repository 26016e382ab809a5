// SPDX-License-Identifier: Apache-2.0
import { BlobError } from '../blob-error.ts';
import { addressSet, isNetwork } from './address-rules.ts';

/**
 * The proxy for https connections to stores, used with CONNECT: the proxy sees the targets of connections, but not
 * their content.
 */
export interface StoreProxy {
  readonly url: URL;
  /** Hosts with direct connections, as in `NO_PROXY`. */
  readonly except: readonly string[];
}

/**
 * The proxy of the usual environment variables: `HTTPS_PROXY` and `NO_PROXY`, in either case. Undefined if there is
 * none. The address may contain a user name and a password, so it is in no message.
 */
export function proxyOf(env: Readonly<Record<string, string | undefined>>): StoreProxy | undefined {
  const text = env['HTTPS_PROXY'] || env['https_proxy'] || '';
  if (text === '') return undefined;
  const withScheme = text.includes('://') ? text : `http://${text}`;
  const url = URL.canParse(withScheme) ? new URL(withScheme) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.hostname === '')
    throw new BlobError('Configuration', 'HTTPS_PROXY is not the URL of an http or https proxy');
  const except = (env['NO_PROXY'] || env['no_proxy'] || '').split(/[\s,]+/).filter((entry) => entry !== '');
  return { url, except };
}

/**
 * True if this host is reached through the proxy. In `except`, `example.com` exempts that host and its subdomains,
 * `.example.com` only its subdomains.
 */
export function isProxied({ except }: StoreProxy, host: string, port: string): boolean {
  return !except.some((entry) => fits(entry.toLowerCase(), host.replace(/\.$/, '').toLowerCase(), port));
}

function fits(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true;
  if (isNetwork(entry)) return addressSet([entry])(host);
  const { name = '', port: wanted } = /^(?<name>.*?)(:(?<port>\d+))?$/s.exec(entry)?.groups ?? {};
  if (wanted !== undefined && wanted !== port) return false;
  const domain = name.replace(/^\*?\./, '');
  return host.endsWith(`.${domain}`) || (domain === name && host === name);
}
