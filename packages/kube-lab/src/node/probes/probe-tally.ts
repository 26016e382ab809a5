// SPDX-License-Identifier: Apache-2.0
import type { Probe } from '@operator-parts/kube';
import type { ProbeKind, ProbeVerdict } from '../pod/pod-facts.ts';

/** How many equal results have occurred in a row, and the resulting verdict. */
export interface ProbeTally {
  readonly verdict: ProbeVerdict;
  readonly last: boolean | undefined;
  readonly inARow: number;
}

/** Before the first result: not ready, but alive; a startup probe is undecided. */
export function newTally(kind: ProbeKind): ProbeTally {
  const verdict = kind === 'liveness' ? 'success' : kind === 'readiness' ? 'failure' : 'unknown';
  return { verdict, last: undefined, inARow: 0 };
}

/** The tally after one more result. The verdict changes only when a threshold is reached. */
export function count(tally: ProbeTally, success: boolean, probe: Probe): ProbeTally {
  const inARow = tally.last === success ? tally.inARow + 1 : 1;
  const threshold = success ? (probe.successThreshold ?? 1) : (probe.failureThreshold ?? 3);
  const verdict = inARow >= threshold ? (success ? 'success' : 'failure') : tally.verdict;
  return { verdict, last: success, inARow };
}
