// SPDX-License-Identifier: Apache-2.0
import type { KubeObject } from '@operator-parts/kube';
import type { DeepReadonly } from '../store/deep-readonly.ts';

/** Decides which events cause a reconcile. A missing function accepts all. */
export interface Predicate<T extends KubeObject = KubeObject> {
  added?(object: DeepReadonly<T>): boolean;
  updated?(before: DeepReadonly<T>, after: DeepReadonly<T>): boolean;
  removed?(object: DeepReadonly<T>): boolean;
}

/** The spec changed (`metadata.generation`). Ignores updates that change only status, labels or annotations. */
export const generationChanged: Predicate = {
  updated: (before, after) => before.metadata?.generation !== after.metadata?.generation,
};

/** A label changed. */
export const labelsChanged: Predicate = {
  updated: (before, after) => !sameRecord(before.metadata?.labels, after.metadata?.labels),
};

/** An annotation changed. */
export const annotationsChanged: Predicate = {
  updated: (before, after) => !sameRecord(before.metadata?.annotations, after.metadata?.annotations),
};

/** The deletion of the object has started: it has a deletion timestamp now and had none before. */
export const deletionRequested: Predicate = {
  updated: (before, after) => !before.metadata?.deletionTimestamp && after.metadata?.deletionTimestamp !== undefined,
};

/** Objects for which `test` returns true, for any event; for an update, before or after it. */
export function matching<T extends KubeObject>(test: (object: DeepReadonly<T>) => boolean): Predicate<T> {
  return { added: test, updated: (before, after) => test(after) || test(before), removed: test };
}

/** Events that all predicates accept. */
export function allOf<T extends KubeObject>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  return {
    added: (object) => predicates.every((predicate) => wantsAdded(predicate, object)),
    updated: (before, after) => predicates.every((predicate) => wantsUpdated(predicate, before, after)),
    removed: (object) => predicates.every((predicate) => wantsRemoved(predicate, object)),
  };
}

/** Events that at least one predicate accepts. */
export function anyOf<T extends KubeObject>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  return {
    added: (object) => predicates.some((predicate) => wantsAdded(predicate, object)),
    updated: (before, after) => predicates.some((predicate) => wantsUpdated(predicate, before, after)),
    removed: (object) => predicates.some((predicate) => wantsRemoved(predicate, object)),
  };
}

/** Events that the predicate rejects. */
export function not<T extends KubeObject>(predicate: Predicate<T>): Predicate<T> {
  return {
    added: (object) => !wantsAdded(predicate, object),
    updated: (before, after) => !wantsUpdated(predicate, before, after),
    removed: (object) => !wantsRemoved(predicate, object),
  };
}

function wantsAdded<T extends KubeObject>(predicate: Predicate<T>, object: DeepReadonly<T>): boolean {
  return predicate.added?.(object) ?? true;
}

function wantsUpdated<T extends KubeObject>(
  predicate: Predicate<T>,
  before: DeepReadonly<T>,
  after: DeepReadonly<T>,
): boolean {
  return predicate.updated?.(before, after) ?? true;
}

function wantsRemoved<T extends KubeObject>(predicate: Predicate<T>, object: DeepReadonly<T>): boolean {
  return predicate.removed?.(object) ?? true;
}

function sameRecord(
  one: Readonly<Record<string, string>> | undefined,
  other: Readonly<Record<string, string>> | undefined,
): boolean {
  const left = Object.entries(one ?? {});
  return left.length === Object.keys(other ?? {}).length && left.every(([key, value]) => other?.[key] === value);
}
