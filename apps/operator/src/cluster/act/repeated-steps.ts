// SPDX-License-Identifier: Apache-2.0
import type { Step } from '../plan/step.ts';

/** How often a step was done, and when it was last done, by the monotonic clock. */
interface Repetition {
  readonly times: number;
  readonly doneAt: number;
}

/** The steps recently done for one cluster, keyed by what they do. */
export type DoneSteps = ReadonlyMap<string, Repetition>;

/** Deleting a pod or removing a label may be needed twice. A step that was done three times and is needed again is suspicious. */
const suspicious = 3;
const firstPause = 1_000;
const longestPause = 30_000;
/**
 * A step that was not needed for this long counts as new. This time is longer than the longest pause, so that a delayed step is not
 * forgotten.
 */
const forgottenAfter = 2 * longestPause;

/** True if the plan asks again for a step that was done several times recently: something undoes it, or it has no effect. */
export function isRepeated(step: Step, done: DoneSteps, now: number): boolean {
  return recent(step, done, now).times >= suspicious;
}

/** How long a step must wait before it is done again, in milliseconds; 0 if it may be done now. */
export function pauseBefore(step: Step, done: DoneSteps, now: number): number {
  const { times, doneAt } = recent(step, done, now);
  if (times < suspicious) return 0;
  const pause = Math.min(longestPause, firstPause * 2 ** (times - suspicious));
  return Math.max(0, doneAt + pause - now);
}

/** The remembered steps after this step was done. */
export function withDone(step: Step, done: DoneSteps, now: number): DoneSteps {
  const kept = [...done].filter(([, { doneAt }]) => now - doneAt <= forgottenAfter);
  if (isMeantToRepeat(step)) return new Map(kept);
  return new Map([...kept, [keyOf(step), { times: recent(step, done, now).times + 1, doneAt: now }]]);
}

function recent(step: Step, done: DoneSteps, now: number): Repetition {
  const known = done.get(keyOf(step));
  return known && now - known.doneAt <= forgottenAfter ? known : { times: 0, doneAt: now };
}

/** `nudgeSnapshot` writes entries until members have taken a raft snapshot, so each repetition has an effect. */
function isMeantToRepeat(step: Step): boolean {
  return step.do === 'nudgeSnapshot';
}

/** The resource version is left out: it changes with every write, even if nothing else does. */
function keyOf(step: Step): string {
  return JSON.stringify({ ...step, resourceVersion: undefined });
}
