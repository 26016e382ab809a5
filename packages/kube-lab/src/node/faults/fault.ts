// SPDX-License-Identifier: Apache-2.0

/** An active fault. It ends when it is healed, or at the end of an `await using` block. */
export interface Fault extends AsyncDisposable {
  /** Undoes the fault. A second call does nothing. */
  heal(): Promise<void>;
}

/** Creates a fault from the function that undoes it. */
export function createFault(undo: () => Promise<void>): Fault {
  let healed: Promise<void> | undefined;
  const heal = () => {
    healed ??= undo();
    return healed;
  };
  return { heal, [Symbol.asyncDispose]: heal };
}
