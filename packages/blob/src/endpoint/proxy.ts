// SPDX-License-Identifier: Apache-2.0
import { BlobError } from '../blob-error.ts';
import { addressSet, isNetwork } from './address-rules.ts';

/** The proxy that https connections to stores are made through, by CONNECT: it sees where they lead, and nothing of what they carry. */
export interface StoreProxy {
  readonly url: URL;
  /** Hosts that are connected to directly, as in `NO_PROXY`. */
  readonly except: readonly string[];
}

/**
 * The proxy that the environment names, by the variables that other programs read: `HTTPS_PROXY` and `NO_PROXY`, in either case. Undefined
 * if it names none. The address may hold a user name and a password, and is in no message.
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

/** Is this host connected to through the proxy? `example.com` excepts that host and those below it, `.example.com` those below it. */
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
