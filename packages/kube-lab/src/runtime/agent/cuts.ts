// SPDX-License-Identifier: Apache-2.0
import { inRange } from '../../network/cidr.ts';
import type { Cut } from '../agent-calls.ts';
import { runCommand } from '../run-command.ts';
import type { SystemTools } from '../system-tools.ts';

/** Rules of cuts have preferences from here on, before all others. */
const firstPreference = 1000;

/**
 * Who cannot reach whom. Each cut is one routing rule that drops packets of one direction silently: the sender sees a time-out,
 * not an error. Connections that are open feel it at the next packet.
 */
export class Cuts {
  readonly #tools: SystemTools;
  readonly #rules = new Map<string, number>();
  readonly #listeners: (() => void)[] = [];
  #cuts: readonly Cut[] = [];

  constructor(tools: SystemTools) {
    this.#tools = tools;
  }

  /** True if packets from one address to another vanish. */
  blocks(from: string, to: string): boolean {
    return this.#cuts.some((cut) => inRange(from, cut.from) && inRange(to, cut.to));
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Makes exactly these cuts, and heals all others. */
  async set(cuts: readonly Cut[]): Promise<void> {
    this.#cuts = cuts;
    for (const listener of this.#listeners) listener();
    const wanted = new Map(cuts.map((cut) => [`from ${cut.from} to ${cut.to}`, cut]));
    const lines: string[] = [];
    for (const [rule, preference] of [...this.#rules]) {
      if (wanted.has(rule)) continue;
      this.#rules.delete(rule);
      lines.push(`rule del pref ${preference}`);
    }
    for (const rule of wanted.keys()) {
      if (this.#rules.has(rule)) continue;
      const preference = this.#freePreference();
      this.#rules.set(rule, preference);
      lines.push(`rule add pref ${preference} ${rule} blackhole`);
    }
    if (lines.length > 0) await runCommand(this.#tools.ip, ['-batch', '-'], `${lines.join('\n')}\n`);
  }

  #freePreference(): number {
    const taken = new Set(this.#rules.values());
    let preference = firstPreference;
    while (taken.has(preference)) preference += 1;
    return preference;
  }
}
