// SPDX-License-Identifier: Apache-2.0
import type { LogReading } from '../../observation.ts';

type Log = Pick<LogReading, 'term' | 'index' | 'terms'>;

/**
 * The first index at which two logs contradict each other; undefined if one log is the beginning of the other log, and `unknown` if that
 * cannot be determined. Two logs that have an entry of the same term at an index are the same up to this index (raft's log matching).
 */
export function forkBetween(a: Log, b: Log): number | 'unknown' | undefined {
  if (a.term === b.term) return undefined;
  const [[begunA] = []] = a.terms;
  const [[begunB] = []] = b.terms;
  if (begunA === undefined || begunB === undefined) return 'unknown';
  const end = Math.min(a.index, b.index);
  let agreed = Math.max(begunA, begunB) - 1;
  // Entries before the first known entry of a log are committed. If the other log ends before that entry, the logs do not contradict each
  // other: the other log only lacks entries, which its end index shows.
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
