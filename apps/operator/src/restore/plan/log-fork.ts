// SPDX-License-Identifier: Apache-2.0
import type { LogReading } from '../observation.ts';

type Log = Pick<LogReading, 'term' | 'index' | 'terms'>;

/**
 * From which index on two logs contradict each other; undefined if one is the beginning of the other, and `unknown` if that cannot be
 * told. Two logs that have entries of one term at an index are the same up to there: raft's log matching.
 */
export function forkBetween(a: Log, b: Log): number | 'unknown' | undefined {
  if (a.term === b.term) return undefined;
  const [[begunA] = []] = a.terms;
  const [[begunB] = []] = b.terms;
  if (begunA === undefined || begunB === undefined) return 'unknown';
  const end = Math.min(a.index, b.index);
  let agreed = Math.max(begunA, begunB) - 1;
  // Where one begins, it is committed: whether the other lacks that, its end tells.
  if (agreed >= end || termAt(a, end) === termAt(b, end)) return undefined;
  let differing = end;
  while (differing - agreed > 1) {
    const middle = Math.floor((agreed + differing) / 2);
    if (termAt(a, middle) === termAt(b, middle)) agreed = middle;
    else differing = middle;
  }
  return differing;
}

function termAt({ terms }: Log, index: number): number | undefined {
  return terms.findLast(([begins]) => begins <= index)?.[1];
}
