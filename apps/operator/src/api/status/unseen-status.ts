// SPDX-License-Identifier: Apache-2.0

/**
 * The status that the API server shows of an object before an operator has written one. kstatus takes an object without any status for
 * `Current`; one whose observedGeneration is not its generation is `InProgress`.
 */
export const unseenStatus = { observedGeneration: -1 } as const;

/** The part of a status that is looked at. */
export interface ObservedStatus {
  readonly observedGeneration?: number | undefined;
  readonly conditions?: unknown;
}

/** The generation in a status that an operator has written. */
export function observedGenerationIn(status: ObservedStatus | undefined): number | undefined {
  const found = status?.observedGeneration;
  return found === unseenStatus.observedGeneration ? undefined : found;
}

/** True if an operator has written the status, be it the CoreOS one, which knows neither field. */
export function isSeen(status: unknown): boolean {
  if (typeof status !== 'object' || status === null) return false;
  const { observedGeneration, conditions }: ObservedStatus = status;
  return observedGeneration !== unseenStatus.observedGeneration || Boolean(conditions);
}
