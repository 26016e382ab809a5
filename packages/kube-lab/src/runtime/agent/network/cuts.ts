// SPDX-License-Identifier: Apache-2.0
import { familyOf, type IpFamily } from '../../../network/addresses.ts';
import { inRange } from '../../../network/cidr.ts';
import type { Cut } from '../../agent-calls.ts';
import type { SystemTools } from '../../system-tools.ts';
import { ipBatch } from './ip-batch.ts';

/** Rules of cuts have preferences from here on, before all others. */
const firstPreference = 1000;

/**
 * Who cannot reach whom. Each cut is one routing rule that drops packets of one direction silently: the sender sees a time-out,
 * not an error. Connections that are open feel it at the next packet.
 */
export class Cuts {
  readonly #tools: SystemTools;
  readonly #rules = new Map<string, { readonly preference: number; readonly family: IpFamily }>();
  readonly #listeners: (() => void)[] = [];
  #cuts: readonly Cut[] = [];

  constructor(tools: SystemTools) {
    this.#tools = tools;
  }

  /** True if packets from one address to another vanish. @param port of the other, if a connection to it is meant */
  blocks(from: string, to: string, port?: number): boolean {
    const isMeant = (cut: Cut) => cut.port === undefined || cut.port === port;
    return this.#cuts.some((cut) => inRange(from, cut.from) && inRange(to, cut.to) && isMeant(cut));
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Makes exactly these cuts, and heals all others. */
  async set(cuts: readonly Cut[]): Promise<void> {
    this.#cuts = cuts;
    for (const listener of this.#listeners) listener();
    // No packet goes from one family to the other.
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
