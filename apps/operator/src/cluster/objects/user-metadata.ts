// SPDX-License-Identifier: Apache-2.0
import { parseFields } from '../../api/json-fields.ts';
import { annotations, isOperatorKey, labels } from '../../api/names.ts';

/**
 * The labels or annotations of a spec without the keys from which the operator reads facts about a member. Admission refuses such keys, but
 * objects that were stored before may have them.
 */
export function userMetadata(entries: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(entries).filter(([key]) => !isOperatorKey(key)));
}

/** What a spec adds to the metadata of an object. */
export interface UserMetadata {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/**
 * The annotation that lists the labels and annotations that came from the spec, so that the operator can remove them later without removing
 * those of other writers. Empty if nothing came from the spec.
 */
export function originNote(given: UserMetadata): Readonly<Record<string, string>> {
  const keys = {
    labels: Object.keys(userMetadata(given.labels)).sort(),
    annotations: Object.keys(userMetadata(given.annotations)).sort(),
  };
  const isNone = keys.labels.length + keys.annotations.length === 0;
  return isNone ? {} : { [annotations.fromSpec]: JSON.stringify(keys) };
}

/** The keys that an object got from an earlier spec, as its annotation records. The operator's own keys are never included. */
export function keysFromSpec(
  notes: Readonly<Record<string, string>> | undefined,
  kind: keyof UserMetadata,
): readonly string[] {
  const keys: unknown = parseFields(notes?.[annotations.fromSpec] ?? '')[kind];
  return Array.isArray(keys) ? keys.filter((key) => typeof key === 'string' && !isOurs(key)) : [];
}

function isOurs(key: string): boolean {
  return isOperatorKey(key) || key === labels.app || key === labels.cluster || key === labels.node;
}
