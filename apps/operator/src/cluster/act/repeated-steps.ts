// SPDX-License-Identifier: Apache-2.0
import type { Step } from '../plan/step.ts';

/** How often a step has been done, and when last, by the monotonic clock. */
interface Repetition {
  readonly times: number;
  readonly doneAt: number;
}

/** The steps that were done for one cluster of late, by what they do. */
export type DoneSteps = ReadonlyMap<string, Repetition>;

/** A pod may be deleted twice, a label taken off twice: that happens. What was done three times and is needed again is not. */
const suspicious = 3;
const firstPause = 1_000;
const longestPause = 30_000;
/** A step that was not needed for so long is a new one. Longer than the longest pause: what is held back is not forgotten. */
const forgottenAfter = 2 * longestPause;

/** True if the plan asks for a step again that has been done several times of late: something undoes it, or it has no effect. */
export function isRepeated(step: Step, done: DoneSteps, now: number): boolean {
  return recent(step, done, now).times >= suspicious;
}

/** How long a step has to wait before it is done again, in milliseconds; 0 if it may be done now. */
export function pauseBefore(step: Step, done: DoneSteps, now: number): number {
  const { times, doneAt } = recent(step, done, now);
  if (times < suspicious) return 0;
  const pause = Math.min(longestPause, firstPause * 2 ** (times - suspicious));
  return Math.max(0, doneAt + pause - now);
}

/** What is remembered once a step is done. */
export function withDone(step: Step, done: DoneSteps, now: number): DoneSteps {
  const kept = [...done].filter(([, { doneAt }]) => now - doneAt <= forgottenAfter);
  if (isMeantToRepeat(step)) return new Map(kept);
  return new Map([...kept, [keyOf(step), { times: recent(step, done, now).times + 1, doneAt: now }]]);
}

function recent(step: Step, done: DoneSteps, now: number): Repetition {
  const known = done.get(keyOf(step));
  return known && now - known.doneAt <= forgottenAfter ? known : { times: 0, doneAt: now };
}

/** Entries are written until members have taken a snapshot: each time has its effect. */
function isMeantToRepeat(step: Step): boolean {
  return step.do === 'nudgeSnapshot';
}

/** The version of an object changes with every write, also with one that changes nothing else. */
function keyOf(step: Step): string {
  return JSON.stringify({ ...step, resourceVersion: undefined });
}
