// SPDX-License-Identifier: Apache-2.0
import type { Outcome } from './run-seed.ts';
import type { FaultEvent, Script } from './script.ts';

/**
 * Leaves out faults as long as the same rule is still broken: halves first, then smaller parts, then single ones. What is left is
 * not the shortest script there is, but one in which every fault matters.
 */
export async function shrink(
  script: Script,
  failed: Outcome,
  run: (script: Script) => Promise<Outcome>,
  mostRuns = 40,
): Promise<{ readonly script: Script; readonly outcome: Outcome }> {
  const rule = ruleOf(failed);
  let best = { script, outcome: failed };
  let runs = 0;
  for (let part = Math.ceil(script.events.length / 2); part >= 1; part = part === 1 ? 0 : Math.ceil(part / 2)) {
    for (let from = 0; from < best.script.events.length && runs < mostRuns; ) {
      const events = without(best.script.events, from, part);
      const outcome = await run({ ...script, events });
      runs++;
      if (ruleOf(outcome) === rule) best = { script: { ...script, events }, outcome };
      else from += part;
    }
  }
  return best;
}

function without(events: readonly FaultEvent[], from: number, count: number): readonly FaultEvent[] {
  return events.filter((_, index) => index < from || index >= from + count);
}

function ruleOf({ failure }: Outcome): string | undefined {
  return failure?.split(':')[0];
}
