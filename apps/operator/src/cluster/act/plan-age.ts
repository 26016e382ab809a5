// SPDX-License-Identifier: Apache-2.0

/**
 * How old what a plan was made on may be when a step is taken, in milliseconds. A reconciliation that asks members which do not
 * answer takes a few seconds; one that was stopped in between (SIGSTOP, a paused machine) takes longer than this.
 */
export const planAgeLimit = 10_000;

/** The plan rests on an observation that is too old: nothing more of it is carried out, and a new one is made. */
export class PlanTooOld extends Error {
  override readonly name = 'PlanTooOld';

  constructor(age: number) {
    const [seconds, limit] = [Math.round(age / 1000), planAgeLimit / 1000];
    super(
      `The plan was made ${seconds} s ago; the limit is ${limit} s. Reading the state of the cluster again before changing anything.`,
    );
  }
}

/** Throws `PlanTooOld` if an observation that was begun at `begun` no longer counts; both times are monotonic. */
export function assertFresh(begun: number, now: number): void {
  const age = now - begun;
  if (age > planAgeLimit) throw new PlanTooOld(age);
}
