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
    const problem = addressProblem(text);
    if (problem !== undefined) throw new Error(problem);
    this.family = isIP(text);
    this.text = canonicalAddress(text);
  }

  isIn(...blocks: readonly string[]): boolean {
    return blocks.some((block) => new CelCidr(block).contains(this));
  }
}

/**
 * Why Kubernetes rejects a text as an address: zones and IPv4-mapped IPv6 addresses are refused although Go can parse
 * them.
 */
function addressProblem(text: string): string | undefined {
  const family = isIP(text);
  if (family === 0) return `IP Address "${text}" parse error during conversion from string`;
  if (text.includes('%')) return `IP address "${text}" with zone value is not allowed`;
  if (family === 6 && canonicalAddress(text).startsWith('::ffff:')) {
    const isMapped = new BlockList();
    isMapped.addSubnet('::ffff:0:0', 96, 'ipv6');
    if (isMapped.check(text, 'ipv6')) return `IPv4-mapped IPv6 address "${text}" is not allowed`;
  }
  return undefined;
}

/** The canonical form of an address: lower case, the longest run of zeros left out. */
function canonicalAddress(text: string): string {
  return isIP(text) === 6 ? new URL(`http://[${text}]`).hostname.slice(1, -1) : text;
}

class CelCidr {
  readonly address: CelIp;
  readonly prefixLength: number;
  readonly #block = new BlockList();

  constructor(text: string) {
    if (!isCidr(text)) throw new Error(`network address parse error during conversion from string: "${text}"`);
    const [address = '', bits = ''] = text.split('/');
    this.address = new CelIp(address);
    this.prefixLength = Number(bits);
    this.#block.addSubnet(address, this.prefixLength, familyOf(this.address));
  }

  get text(): string {
    return `${this.address.text}/${this.prefixLength}`;
  }

  contains(address: CelIp): boolean {
    return address.family === this.address.family && this.#block.check(address.text, familyOf(address));
  }

  containsBlock(other: CelCidr): boolean {
    return other.prefixLength >= this.prefixLength && this.contains(other.address);
  }

  /** The network with the host bits of its address set to zero. */
  masked(): CelCidr {
    const { bytes, size } = bytesOf(this.address);
    for (let bit = this.prefixLength; bit < size; bit++)
      bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) & ~(0x80 >> (bit & 7));
    return new CelCidr(`${size === 32 ? bytes.join('.') : groupsText(bytes)}/${this.prefixLength}`);
  }
}

function bytesOf({ text, family }: CelIp): { readonly bytes: number[]; readonly size: number } {
  if (family === 4) return { bytes: text.split('.').map(Number), size: 32 };
  const [head = '', tail] = text.split('::');
  const groups = (part: string) => (part === '' ? [] : part.split(':'));
  const missing = 8 - groups(head).length - groups(tail ?? '').length;
  const all = [...groups(head), ...Array.from({ length: missing }, () => '0'), ...groups(tail ?? '')];
  return {
    bytes: all.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]),
    size: 128,
  };
}

function groupsText(bytes: readonly number[]): string {
  const group = (at: number) => (((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)).toString(16);
  return [0, 2, 4, 6, 8, 10, 12, 14].map(group).join(':');
}

function familyOf({ family }: CelIp): 'ipv4' | 'ipv6' {
  return family === 6 ? 'ipv6' : 'ipv4';
}

/** The CEL functions of Kubernetes for URLs and addresses. */
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
    .registerFunction('isCIDR(string): bool', isCidr);
  registerIp(environment);
  registerCidr(environment);
}

function registerIp(environment: Environment): void {
  environment
    .registerType('net.IP', CelIp)
    .registerFunction('ip(string): net.IP', (text: string) => new CelIp(text))
    .registerFunction('isIP(string): bool', (text: string) => addressProblem(text) === undefined)
    .registerFunction('string(net.IP): string', ({ text }: CelIp) => text)
    .registerOperator('net.IP == net.IP', (a: CelIp, b: CelIp) => a.text === b.text)
    .registerFunction('net.IP.family(): int', ({ family }: CelIp) => BigInt(family))
    .registerFunction('net.IP.isUnspecified(): bool', (ip: CelIp) => ip.isIn('0.0.0.0/32', '::/128'))
    .registerFunction('net.IP.isLoopback(): bool', (ip: CelIp) => ip.isIn('127.0.0.0/8', '::1/128'))
    .registerFunction('net.IP.isLinkLocalMulticast(): bool', (ip: CelIp) =>
      ip.family === 4 ? ip.isIn('224.0.0.0/24') : /^ff[0-9a-f]2:/.test(ip.text),
    )
    .registerFunction('net.IP.isLinkLocalUnicast(): bool', (ip: CelIp) => ip.isIn('169.254.0.0/16', 'fe80::/10'))
    .registerFunction(
      'net.IP.isGlobalUnicast(): bool',
      (ip: CelIp) =>
        !ip.isIn('0.0.0.0/32', '255.255.255.255/32', '127.0.0.0/8', '224.0.0.0/4', '169.254.0.0/16') &&
        !ip.isIn('::/128', '::1/128', 'ff00::/8', 'fe80::/10'),
    );
}

function registerCidr(environment: Environment): void {
  environment
    .registerType('net.CIDR', CelCidr)
    .registerFunction('cidr(string): net.CIDR', (text: string) => new CelCidr(text))
    .registerFunction('string(net.CIDR): string', ({ text }: CelCidr) => text)
    .registerOperator('net.CIDR == net.CIDR', (a: CelCidr, b: CelCidr) => a.text === b.text)
    .registerFunction('net.CIDR.containsIP(string): bool', (cidr: CelCidr, ip: string) => cidr.contains(new CelIp(ip)))
    .registerFunction('net.CIDR.containsIP(net.IP): bool', (cidr: CelCidr, ip: CelIp) => cidr.contains(ip))
    .registerFunction('net.CIDR.containsCIDR(string): bool', (cidr: CelCidr, other: string) =>
      cidr.containsBlock(new CelCidr(other)),
    )
    .registerFunction('net.CIDR.containsCIDR(net.CIDR): bool', (cidr: CelCidr, other: CelCidr) =>
      cidr.containsBlock(other),
    )
    .registerFunction('net.CIDR.ip(): net.IP', ({ address }: CelCidr) => address)
    .registerFunction('net.CIDR.masked(): net.CIDR', (cidr: CelCidr) => cidr.masked())
    .registerFunction('net.CIDR.prefixLength(): int', ({ prefixLength }: CelCidr) => BigInt(prefixLength));
}

function isCidr(text: string): boolean {
  const [address = '', bits = '', ...rest] = text.split('/');
  if (rest.length > 0 || addressProblem(address) !== undefined || !/^(?:0|[1-9]\d*)$/.test(bits)) return false;
  return Number(bits) <= (isIP(address) === 4 ? 32 : 128);
}
