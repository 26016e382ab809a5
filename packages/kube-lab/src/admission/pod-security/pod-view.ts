// SPDX-License-Identifier: Apache-2.0
import { asObject, asObjects, asString, type Json, type JsonObject } from '../../json/json.ts';

/** A pod as the checks see it: all its containers, and which of them (or the pod) sets a field. */
export interface PodView {
  readonly spec: JsonObject;
  readonly security: JsonObject;
  readonly containers: readonly ContainerView[];
}

export interface ContainerView {
  readonly name: string;
  readonly container: JsonObject;
  readonly security: JsonObject;
}

export function viewOf(spec: JsonObject): PodView {
  const all = ['initContainers', 'containers', 'ephemeralContainers'].flatMap((list) => asObjects(spec[list]));
  const containers = all.map((container) => ({
    name: asString(container['name']) ?? '',
    container,
    security: asObject(container['securityContext']) ?? {},
  }));
  return { spec, security: asObject(spec['securityContext']) ?? {}, containers };
}

/** `"a", "b"`. */
export function quoted(items: Iterable<string>): string {
  return [...items].map((item) => `"${item}"`).join(', ');
}

export function plural(singular: string, many: string, count: number): string {
  return count === 1 ? singular : many;
}

/** `container "a"` or `containers "a", "b"`. */
export function containersText(containers: readonly Pick<ContainerView, 'name'>[]): string {
  const names = containers.map(({ name }) => name);
  return `${plural('container', 'containers', names.length)} ${quoted(names)}`;
}

/** What sets something forbidden: `pod`, `container "a"`, or both; undefined if nothing does. */
export function settersText(pod: boolean, containers: readonly ContainerView[]): string | undefined {
  const setters = [...(pod ? ['pod'] : []), ...(containers.length > 0 ? [containersText(containers)] : [])];
  return setters.length > 0 ? setters.join(' and ') : undefined;
}

/** The different texts among values, in order. */
export function sortedTexts(values: readonly (Json | undefined)[]): readonly string[] {
  return [...new Set(values.filter((value) => value !== undefined).map(String))].sort();
}
