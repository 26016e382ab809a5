// SPDX-License-Identifier: Apache-2.0

/** What is known about an object that was removed from a cache. */
export interface Removal {
  /**
   * True if the deletion itself was missed: the object is the last state that was seen, and another object with the
   * same name may have existed in between.
   */
  readonly finalStateUnknown: boolean;
  /**
   * True if the cache holds only a selection (by labels or fields): the object may still exist and merely no longer
   * match. Do nothing that is only correct for deleted objects; ask the API server first.
   */
  readonly mayStillExist: boolean;
}

const variants: readonly Removal[] = [
  { finalStateUnknown: false, mayStillExist: false },
  { finalStateUnknown: false, mayStillExist: true },
  { finalStateUnknown: true, mayStillExist: false },
  { finalStateUnknown: true, mayStillExist: true },
].map((removal) => Object.freeze(removal));

/** One of the four constants, never a new object. */
export function removal(finalStateUnknown: boolean, mayStillExist: boolean): Removal {
  return variants[(finalStateUnknown ? 2 : 0) + (mayStillExist ? 1 : 0)] as Removal;
}
