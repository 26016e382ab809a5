// SPDX-License-Identifier: Apache-2.0
import { familyOf, type IpFamily } from '../../../network/addresses.ts';
import { inRange } from '../../../network/cidr.ts';
import type { Cut } from '../../agent-calls.ts';
import type { SystemTools } from '../../system-tools.ts';
import { ipBatch } from './ip-batch.ts';

/** The first priority of the rules for cuts, before all others. */
const firstPreference = 1000;

/**
 * Which addresses cannot reach each other. Each cut is one routing rule that drops packets in one direction: the sender
 * sees a timeout, not an error. Open connections are affected from the next packet on.
 */
export class Cuts {
  readonly #tools: SystemTools;
  readonly #rules = new Map<string, { readonly preference: number; readonly family: IpFamily }>();
  readonly #listeners: (() => void)[] = [];
  #cuts: readonly Cut[] = [];

  constructor(tools: SystemTools) {
    this.#tools = tools;
  }

  /** True if packets from one address to another are dropped. @param port the port to which a TCP connection goes */
  blocks(from: string, to: string, port?: number): boolean {
    const isMeant = (cut: Cut) => cut.port === undefined || cut.port === port;
    return this.#cuts.some((cut) => inRange(from, cut.from) && inRange(to, cut.to) && isMeant(cut));
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Sets exactly these cuts, and removes all others. */
  async set(cuts: readonly Cut[]): Promise<void> {
    this.#cuts = cuts;
    for (const listener of this.#listeners) listener();
    // Packets never cross IP families.
    const wanted = new Map(
      cuts.filter(({ from, to }) => familyOf(from) === familyOf(to)).map((cut) => [selectorOf(cut), familyOf(cut.to)]),
    );
    const lines: Record<IpFamily, string[]> = { IPv4: [], IPv6: [] };
    for (const [rule, { preference, family }] of [...this.#rules]) {
      if (wanted.has(rule)) continue;
      this.#rules.delete(rule);
      lines[family].push(`rule del pref ${preference}`);
    }
    for (const [rule, family] of wanted) {
      if (this.#rules.has(rule)) continue;
      const preference = this.#freePreference();
      this.#rules.set(rule, { preference, family });
      lines[family].push(`rule add pref ${preference} ${rule} blackhole`);
    }
    for (const family of ['IPv4', 'IPv6'] as const) await ipBatch(this.#tools, lines[family], { family });
  }

  #freePreference(): number {
    const taken = new Set([...this.#rules.values()].map(({ preference }) => preference));
    let preference = firstPreference;
    while (taken.has(preference)) preference += 1;
    return preference;
  }
}

function selectorOf({ from, to, port }: Cut): string {
  return `from ${from} to ${to}${port === undefined ? '' : ` ipproto tcp dport ${port}`}`;
}
