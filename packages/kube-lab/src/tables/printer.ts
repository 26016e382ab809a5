// SPDX-License-Identifier: Apache-2.0
import { asArray, asObject, asObjects, asString, getIn, type Json, type JsonObject } from '../json/json.ts';
import { humanDuration } from './human-duration.ts';

/** The cells of one object, in the order of the kind's columns, including those of `-o wide`. */
export type Printer = (object: JsonObject, now: number) => readonly Json[];

export function nameOf(object: JsonObject): string {
  return asString(getIn(object, 'metadata', 'name')) ?? '';
}

/** How long ago a time was, in short. */
export function since(time: Json | undefined, now: number): string {
  return typeof time === 'string' ? humanDuration(now - Date.parse(time)) : '<unknown>';
}

export function age(object: JsonObject, now: number): string {
  return since(getIn(object, 'metadata', 'creationTimestamp'), now);
}

/** The value as text, or `none` if it is empty. */
export function orNone(value: Json | undefined, none = '<none>'): string {
  return value === undefined || value === null || value === '' ? none : String(value);
}

export function countAt(object: JsonObject, ...path: readonly string[]): number {
  const value = getIn(object, ...path);
  return typeof value === 'number' ? value : 0;
}

/** Names and images of a template's containers. */
export function containerCells(template: Json | undefined): readonly [string, string] {
  const containers = asObjects(getIn(template, 'spec', 'containers'));
  return [containers.map(({ name }) => String(name)).join(','), containers.map(({ image }) => String(image)).join(',')];
}

/** A map of labels as `a=b,c=d`. */
export function labelsText(labels: Json | undefined): string {
  const pairs = Object.entries(asObject(labels) ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return pairs.length === 0 ? '<none>' : pairs.map(([key, value]) => `${key}=${String(value)}`).join(',');
}

/** The first three of a list, and the number of the rest. */
export function listWithMore(items: readonly string[]): string {
  if (items.length === 0) return '<unset>';
  const shown = items.slice(0, 3).join(',');
  return items.length > 3 ? `${shown} + ${items.length - 3} more...` : shown;
}

const modes: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};

/** Access modes in the short form of tables. */
export function accessModesText(value: Json | undefined): string {
  const given = new Set(asArray(value).map(String));
  return Object.entries(modes)
    .filter(([mode]) => given.has(mode))
    .map(([, short]) => short)
    .join(',');
}

export function conditionStatus(object: JsonObject, type: string): string | undefined {
  return asString(asObjects(getIn(object, 'status', 'conditions')).find((one) => one['type'] === type)?.['status']);
}
