// SPDX-License-Identifier: Apache-2.0

/** What is known about an object that left a cache. */
export interface Removal {
  /**
   * The deletion itself was missed: the object handed out is the last state that was seen, and another object of the same name
   * may have come and gone in between.
   */
  readonly finalStateUnknown: boolean;
  /**
   * The cache holds a selection (labels, fields), which the object may merely have left. Nothing that is right only for deleted
   * objects may follow from it; ask the API server first.
   */
  readonly mayStillExist: boolean;
}

const variants: readonly Removal[] = [
  { finalStateUnknown: false, mayStillExist: false },
  { finalStateUnknown: false, mayStillExist: true },
  { finalStateUnknown: true, mayStillExist: false },
  { finalStateUnknown: true, mayStillExist: true },
].map((removal) => Object.freeze(removal));

/** One of the four values, never a new object. */
export function removal(finalStateUnknown: boolean, mayStillExist: boolean): Removal {
  return variants[(finalStateUnknown ? 2 : 0) + (mayStillExist ? 1 : 0)] as Removal;
}
