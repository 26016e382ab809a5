// SPDX-License-Identifier: Apache-2.0

/**
 * How old the observation behind a plan may be when a step is carried out, in milliseconds. A reconciliation takes a few seconds if members
 * do not answer. It takes longer than this limit only if the process was stopped in between (SIGSTOP, a paused machine).
 */
export const planAgeLimit = 10_000;

/** The plan is based on an observation that is too old: no further step of the plan is carried out, and a new plan is made. */
export class PlanTooOld extends Error {
  override readonly name = 'PlanTooOld';

  constructor(age: number) {
    const [seconds, limit] = [Math.round(age / 1000), planAgeLimit / 1000];
    super(
      `The plan was made ${seconds} s ago; the limit is ${limit} s. Reading the state of the cluster again before changing anything.`,
    );
  }
}

/** Throws `PlanTooOld` if the observation that started at `begun` is too old. Both times are monotonic. */
export function assertFresh(begun: number, now: number): void {
  const age = now - begun;
  if (age > planAgeLimit) throw new PlanTooOld(age);
}
