// SPDX-License-Identifier: Apache-2.0
import type { Outcome } from './run-seed.ts';
import type { Script } from './script.ts';

/** What a person needs to understand a failure: what broke, how to see it again, the script, and the line of time without its small talk. */
export function tellStory({ seed, failure, trace }: Outcome, script: Script): string {
  const { size, version, storage, operators, dnsDelay, latency, calmAt, events } = script;
  const setting = { size, version, storage, operators, dnsDelay, latency, calmAt };
  return [
    `seed ${seed}: ${failure ?? 'no failure'}`,
    `to repeat it: SIMULATION_SEEDS=${seed} npm run test:long -- test/simulation/seeds.long.test.ts`,
    `the setting: ${JSON.stringify(setting)}`,
    `the faults: ${events.map(({ at, fault }) => `${fault} at ${(at / 1000).toFixed(0)} s`).join(', ') || 'none'}`,
    '',
    ...withoutSmallTalk(trace).map((line) => (line.length > 300 ? `${line.slice(0, 300)}...` : line)),
  ].join('\n');
}

/** Reports and what changes nothing are left out; the last report stays. */
function withoutSmallTalk(trace: readonly string[]): readonly string[] {
  const isReport = (line: string) => line.includes('/status -> 200');
  const last = trace.findLastIndex(isReport);
  return trace.filter((line, index) => index === last || !isReport(line));
}
