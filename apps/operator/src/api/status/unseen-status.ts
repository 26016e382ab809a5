// SPDX-License-Identifier: Apache-2.0

/**
 * The default status of an object for which no operator has written a status yet. Without a status, kstatus would report a new object as
 * `Current`, which means finished. With an observedGeneration that differs from metadata.generation, kstatus reports `InProgress`.
 */
export const unseenStatus = { observedGeneration: -1 } as const;

/** The fields of a status that this file reads. */
export interface ObservedStatus {
  readonly observedGeneration?: number | undefined;
  readonly conditions?: unknown;
}

/** The generation in a status that an operator has written. */
export function observedGenerationIn(status: ObservedStatus | undefined): number | undefined {
  const found = status?.observedGeneration;
  return found === unseenStatus.observedGeneration ? undefined : found;
}

/** True if an operator has written the status, also if this was a CoreOS operator, which does not write observedGeneration. */
export function isSeen(status: unknown): boolean {
  if (typeof status !== 'object' || status === null) return false;
  const { observedGeneration, conditions }: ObservedStatus = status;
  return observedGeneration !== unseenStatus.observedGeneration || Boolean(conditions);
}
