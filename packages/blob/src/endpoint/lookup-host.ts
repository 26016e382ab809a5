// SPDX-License-Identifier: Apache-2.0
import { Resolver } from 'node:dns/promises';
import { readFileSync } from 'node:fs';
import { addressesInHosts, namesToTry, parseSearchRules } from './resolver-files.ts';

/** The inputs of name resolution. */
export interface NameSystem {
  /** The text of `/etc/hosts`. */
  readonly hosts: () => string;
  /** The text of `/etc/resolv.conf`. */
  readonly resolvConf: () => string;
  /** Addresses of name servers, with port. @default the name servers in `/etc/resolv.conf` */
  readonly servers?: readonly string[];
  /** The timeout of the first attempt; the second attempt waits twice as long. @default 2000 */
  readonly timeoutMs?: number;
}

const tries = 2;

const systemNames: NameSystem = {
  hosts: () => textOf('/etc/hosts'),
  resolvConf: () => textOf('/etc/resolv.conf'),
};

/**
 * The addresses of a name as the system would find them: `/etc/hosts`, then DNS with the search domains. Unlike the
 * system's resolver it uses no thread. A process has only a few threads, so two names without an answer would block all
 * other lookups, and tenants choose the names. Rejects with the codes of the system's resolver, `ENOTFOUND` and
 * `EAI_AGAIN`.
 */
export async function lookupHost(host: string, system: NameSystem = systemNames): Promise<readonly string[]> {
  const known = addressesInHosts(system.hosts(), host);
  if (known.length > 0) return known;
  // One resolver per lookup, so that lookups for different objects do not wait for each other.
  let resolver = resolverOf(system);
  let refusal: string | undefined;
  let isUnreachable = false;
  for (const name of namesToTry(host, parseSearchRules(system.resolvConf()))) {
    // If the servers did not answer for one search domain, the next search domains are skipped. The name itself is
    // still tried, because another server may know it.
    if (isUnreachable && name !== host) continue;
    const found = await ask(resolver, name);
    if ('addresses' in found && found.addresses.length > 0) return found.addresses;
    if (!('failure' in found)) continue;
    refusal ??= found.failure;
    if (isAnswer(found.failure)) continue;
    isUnreachable = true;
    // A new resolver, because the old one remembers that the servers did not answer.
    resolver = resolverOf(system);
  }
  if (refusal === undefined) throw failed(`the host name ${host} has no IP address`, 'ENOTFOUND');
  throw failed(`the name servers did not resolve the host name ${host} (${refusal})`, 'EAI_AGAIN');
}

function resolverOf({ timeoutMs = 2_000, servers }: NameSystem): Resolver {
  const resolver = new Resolver({ timeout: timeoutMs, tries });
  if (servers) resolver.setServers(servers);
  return resolver;
}

type Found = { readonly addresses: readonly string[] } | { readonly failure: string };

async function ask(resolver: Resolver, name: string): Promise<Found> {
  const found = await Promise.all([asked(resolver.resolve4(name)), asked(resolver.resolve6(name))]);
  const addresses = found.flatMap((one) => ('addresses' in one ? one.addresses : []));
  // "No such name" applies to all address types, whatever the result of the other query.
  if (addresses.length > 0 || found.includes(noSuchName)) return { addresses };
  return found.find((one) => 'failure' in one) ?? { addresses };
}

const noSuchName: Found = { addresses: [] };

async function asked(question: Promise<readonly string[]>): Promise<Found> {
  try {
    return { addresses: await question };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    // `EBADNAME` means that the name is invalid.
    if (code === 'ENOTFOUND' || code === 'EBADNAME') return noSuchName;
    return code === 'ENODATA' ? { addresses: [] } : { failure: code };
  }
}

const answers: ReadonlySet<string> = new Set(['ESERVFAIL', 'EREFUSED', 'EFORMERR', 'ENOTIMP', 'EBADRESP']);

/** True if a name server answered, but refused the query or failed. */
function isAnswer(code: string): boolean {
  return answers.has(code);
}

function failed(message: string, code: 'ENOTFOUND' | 'EAI_AGAIN'): Error {
  return Object.assign(new Error(message), { code });
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
