// SPDX-License-Identifier: Apache-2.0
import { BlockList, isIP } from 'node:net';
import type { Environment } from './in-cluster.ts';

/**
 * The proxy that environment variables set (`HTTPS_PROXY`, `HTTP_PROXY`, `NO_PROXY`, in either case), by the rules of
 * Go programs: loopback is never proxied; `NO_PROXY` lists host names (including their subdomains), `.suffixes`,
 * addresses, CIDR ranges and `*`, each with an optional port.
 */
export function environmentProxy(server: string, env: Environment): string | undefined {
  const url = URL.parse(server);
  if (!url) return undefined;
  const names = url.protocol === 'https:' ? ['HTTPS_PROXY', 'https_proxy'] : ['HTTP_PROXY', 'http_proxy'];
  const proxy = names.map((name) => env[name]).find(Boolean);
  if (!proxy) return undefined;
  const host = url.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  if (isLoopback(host)) return undefined;
  const exceptions = (env['NO_PROXY'] || env['no_proxy'] || '').split(',').map((item) => item.trim().toLowerCase());
  if (exceptions.some((exception) => isException(exception, host, port))) return undefined;
  return proxy.includes('://') ? proxy : `http://${proxy}`;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

function isException(exception: string, host: string, port: string): boolean {
  if (exception === '') return false;
  if (exception === '*') return true;
  if (exception.includes('/')) return inRange(exception, host);
  const [name, wantedPort] = splitPort(exception);
  if (wantedPort !== undefined && wantedPort !== port) return false;
  if (isIP(name)) return name === host;
  const suffix = name.replace(/^\*?\./, '');
  return host.endsWith(`.${suffix}`) || (host === suffix && !/^\*?\./.test(name));
}

function splitPort(text: string): readonly [string, string | undefined] {
  if (isIP(text)) return [text, undefined];
  const match = /^\[?(.*?)\]?:(\d+)$/.exec(text);
  return match ? [match[1] ?? '', match[2]] : [text, undefined];
}

function inRange(range: string, host: string): boolean {
  const family = isIP(host);
  const [network = '', prefix = ''] = range.split('/');
  if (family === 0 || isIP(network) !== family || !/^\d+$/.test(prefix)) return false;
  const list = new BlockList();
  const kind = family === 6 ? 'ipv6' : 'ipv4';
  if (Number(prefix) > (family === 6 ? 128 : 32)) return false;
  list.addSubnet(network, Number(prefix), kind);
  return list.check(host, kind);
}
