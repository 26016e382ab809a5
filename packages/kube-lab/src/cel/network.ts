// SPDX-License-Identifier: Apache-2.0
import { isIP } from 'node:net';
import type { Environment } from '@marcbachmann/cel-js';

class CelUrl {
  readonly url: URL;
  constructor(text: string) {
    this.url = new URL(text.startsWith('/') ? `none://none${text}` : text);
  }
}

class CelIp {
  readonly text: string;
  readonly family: number;
  constructor(text: string) {
    this.family = isIP(text);
    if (this.family === 0) throw new Error(`IP Address "${text}" parse error`);
    this.text = text;
  }
}

/** URLs and addresses, as Kubernetes adds them to CEL. */
export function registerNetwork(environment: Environment): void {
  const without = (url: URL, value: string) => (url.protocol === 'none:' ? '' : value);
  environment
    .registerType('kubernetes.URL', CelUrl)
    .registerFunction('url(string): kubernetes.URL', (text: string) => new CelUrl(text))
    .registerFunction('isURL(string): bool', (text: string) => text.startsWith('/') || URL.canParse(text))
    .registerFunction('kubernetes.URL.getScheme(): string', ({ url }: CelUrl) =>
      without(url, url.protocol.slice(0, -1)),
    )
    .registerFunction('kubernetes.URL.getHost(): string', ({ url }: CelUrl) => without(url, url.host))
    .registerFunction('kubernetes.URL.getHostname(): string', ({ url }: CelUrl) => without(url, url.hostname))
    .registerFunction('kubernetes.URL.getPort(): string', ({ url }: CelUrl) => url.port)
    .registerFunction('kubernetes.URL.getEscapedPath(): string', ({ url }: CelUrl) => url.pathname)
    .registerType('net.IP', CelIp)
    .registerFunction('ip(string): net.IP', (text: string) => new CelIp(text))
    .registerFunction('isIP(string): bool', (text: string) => isIP(text) !== 0)
    .registerFunction('net.IP.family(): int', ({ family }: CelIp) => BigInt(family))
    .registerFunction('isCIDR(string): bool', isCidr);
}

function isCidr(text: string): boolean {
  const [address = '', bits = '', ...rest] = text.split('/');
  const family = isIP(address);
  return rest.length === 0 && family !== 0 && /^\d+$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128);
}
