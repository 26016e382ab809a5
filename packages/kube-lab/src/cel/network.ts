// SPDX-License-Identifier: Apache-2.0
import { BlockList, isIP } from 'node:net';
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

class CelCidr {
  readonly text: string;
  readonly address: string;
  readonly prefixLength: number;
  readonly #block = new BlockList();

  constructor(text: string) {
    if (!isCidr(text)) throw new Error(`network address parse error during conversion from string: "${text}"`);
    const [address = '', bits = ''] = text.split('/');
    this.text = text;
    this.address = address;
    this.prefixLength = Number(bits);
    this.#block.addSubnet(address, this.prefixLength, familyOf(address));
  }

  contains(address: string): boolean {
    const { text } = new CelIp(address);
    return isIP(text) === isIP(this.address) && this.#block.check(text, familyOf(text));
  }

  containsBlock(other: CelCidr): boolean {
    return other.prefixLength >= this.prefixLength && this.contains(other.address);
  }
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
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
  registerCidr(environment);
}

function registerCidr(environment: Environment): void {
  environment
    .registerType('net.CIDR', CelCidr)
    .registerFunction('cidr(string): net.CIDR', (text: string) => new CelCidr(text))
    .registerFunction('net.CIDR.containsIP(string): bool', (cidr: CelCidr, ip: string) => cidr.contains(ip))
    .registerFunction('net.CIDR.containsIP(net.IP): bool', (cidr: CelCidr, ip: CelIp) => cidr.contains(ip.text))
    .registerFunction('net.CIDR.containsCIDR(string): bool', (cidr: CelCidr, other: string) =>
      cidr.containsBlock(new CelCidr(other)),
    )
    .registerFunction('net.CIDR.containsCIDR(net.CIDR): bool', (cidr: CelCidr, other: CelCidr) =>
      cidr.containsBlock(other),
    )
    .registerFunction('net.CIDR.ip(): net.IP', ({ address }: CelCidr) => new CelIp(address))
    .registerFunction('net.CIDR.prefixLength(): int', ({ prefixLength }: CelCidr) => BigInt(prefixLength));
}

function isCidr(text: string): boolean {
  const [address = '', bits = '', ...rest] = text.split('/');
  const family = isIP(address);
  return rest.length === 0 && family !== 0 && /^\d+$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128);
}
