// SPDX-License-Identifier: Apache-2.0
import { Resolver } from 'node:dns/promises';
import { readFileSync } from 'node:fs';
import { addressesInHosts, namesToTry, parseSearchRules } from './resolver-files.ts';

/** Where names are looked up. */
export interface NameSystem {
  /** The text of `/etc/hosts`. */
  readonly hosts: () => string;
  /** The text of `/etc/resolv.conf`. */
  readonly resolvConf: () => string;
  /** Addresses of name servers, with port. @default those of `/etc/resolv.conf` */
  readonly servers?: readonly string[];
  /** For one try; the second one waits twice as long. @default 2000 */
  readonly timeoutMs?: number;
}

const tries = 2;

const systemNames: NameSystem = {
  hosts: () => textOf('/etc/hosts'),
  resolvConf: () => textOf('/etc/resolv.conf'),
};

/**
 * The addresses of a name, as the system would find them: `/etc/hosts`, then DNS with the search domains. Unlike the system's resolver it
 * occupies no thread: of those there are few for the whole process, two names that nobody answers for would have everybody else's wait, and names
 * come from objects of tenants. Rejects with the codes of that resolver, `ENOTFOUND` and `EAI_AGAIN`.
 */
export async function lookupHost(host: string, system: NameSystem = systemNames): Promise<readonly string[]> {
  const known = addressesInHosts(system.hosts(), host);
  if (known.length > 0) return known;
  // One for each: what a name is asked about by one object does not wait for that of another.
  let resolver = resolverOf(system);
  let refusal: string | undefined;
  let isSilent = false;
  for (const name of namesToTry(host, parseSearchRules(system.resolvConf()))) {
    // Who did not answer for one search domain is not asked for the next. The name itself may be somebody else's to answer for.
    if (isSilent && name !== host) continue;
    const found = await ask(resolver, name);
    if ('addresses' in found && found.addresses.length > 0) return found.addresses;
    if (!('failure' in found)) continue;
    refusal ??= found.failure;
    if (isAnswer(found.failure)) continue;
    isSilent = true;
    // This one remembers that nobody answered.
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
  // That there is no such name is said of all kinds of addresses, whatever became of the other question.
  if (addresses.length > 0 || found.includes(noSuchName)) return { addresses };
  return found.find((one) => 'failure' in one) ?? { addresses };
}

const noSuchName: Found = { addresses: [] };

async function asked(question: Promise<readonly string[]>): Promise<Found> {
  try {
    return { addresses: await question };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    // The second is said of what cannot be a name at all.
    if (code === 'ENOTFOUND' || code === 'EBADNAME') return noSuchName;
    return code === 'ENODATA' ? { addresses: [] } : { failure: code };
  }
}

const answers: ReadonlySet<string> = new Set(['ESERVFAIL', 'EREFUSED', 'EFORMERR', 'ENOTIMP', 'EBADRESP']);

/** A name server has said that it cannot, or does not want to, for this name. */
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
