// SPDX-License-Identifier: Apache-2.0
import { isObject, type JsonObject } from '../json/json.ts';
import { elementKey } from './list-items.ts';

const noChildren: ReadonlyMap<string, FieldSet> = new Map();

/**
 * A set of paths into an object, as in managedFields. Path elements have the form of `fieldsV1`: `f:name` for a key,
 * `k:{"name":"a"}` and `v:"a"` for list items, `i:0` for a position.
 *
 * Only `insert`, `child` and `setChild` change a set, and only its creator calls them; every other function returns a
 * new set.
 */
export class FieldSet {
  readonly members = new Set<string>();
  /** Created on first use: most sets have no children. */
  #children: Map<string, FieldSet> | undefined;

  get children(): ReadonlyMap<string, FieldSet> {
    return this.#children ?? noChildren;
  }

  /** Adds a set below an element. */
  setChild(element: string, child: FieldSet): void {
    this.#children ??= new Map();
    this.#children.set(element, child);
  }

  get isEmpty(): boolean {
    if (this.members.size > 0) return false;
    for (const child of this.children.values()) if (!child.isEmpty) return false;
    return true;
  }

  /** Adds a path; the empty path is ignored. */
  insert(path: readonly string[]): void {
    const last = path.at(-1);
    if (last === undefined) return;
    path
      .slice(0, -1)
      .reduce<FieldSet>((set, element) => set.child(element), this)
      .members.add(last);
  }

  /** The set below an element, created if absent. */
  child(element: string): FieldSet {
    const present = this.children.get(element);
    if (present) return present;
    const made = new FieldSet();
    this.setChild(element, made);
    return made;
  }

  union(other: FieldSet): FieldSet {
    if (other.isEmpty) return this;
    if (this.isEmpty) return other;
    const result = new FieldSet();
    for (const set of [this, other]) for (const member of set.members) result.members.add(member);
    for (const [element, child] of this.children) {
      const theirs = other.children.get(element);
      result.setChild(element, theirs ? child.union(theirs) : child);
    }
    for (const [element, child] of other.children) {
      if (!this.children.has(element)) result.setChild(element, child);
    }
    return result;
  }

  /** Without the paths of `other`; the paths below them stay. */
  difference(other: FieldSet): FieldSet {
    const result = new FieldSet();
    for (const member of this.members) if (!other.members.has(member)) result.members.add(member);
    for (const [element, child] of this.children) {
      const theirs = other.children.get(element);
      const rest = theirs ? child.difference(theirs) : child;
      if (!rest.isEmpty) result.setChild(element, rest);
    }
    return result;
  }

  /** Without the paths of `other` and everything below them. */
  recursiveDifference(other: FieldSet): FieldSet {
    const result = new FieldSet();
    for (const member of this.members) if (!other.members.has(member)) result.members.add(member);
    for (const [element, child] of this.children) {
      if (other.members.has(element)) continue;
      const theirs = other.children.get(element);
      const rest = theirs ? child.recursiveDifference(theirs) : child;
      if (!rest.isEmpty) result.setChild(element, rest);
    }
    return result;
  }

  intersection(other: FieldSet): FieldSet {
    const result = new FieldSet();
    for (const member of this.members) if (other.members.has(member)) result.members.add(member);
    for (const [element, child] of this.children) {
      const theirs = other.children.get(element);
      const both = theirs && child.intersection(theirs);
      if (both && !both.isEmpty) result.setChild(element, both);
    }
    return result;
  }

  equals(other: FieldSet): boolean {
    return this.difference(other).isEmpty && other.difference(this).isEmpty;
  }

  /** All paths in text order. At each level, the paths that end there come before the longer ones. */
  paths(): readonly (readonly string[])[] {
    const found: (readonly string[])[] = [];
    collect(this, [], found);
    return found;
  }

  /**
   * The set as JSON text, as managedFields contain it.
   * @param isOwn true if the path to this set is itself a member of the parent set
   */
  fieldsText(isOwn = false): string {
    let text = isOwn && this.children.size + this.members.size > 0 ? '".":{}' : '';
    for (const element of sortedElements(this)) {
      const below = this.#children?.get(element);
      const value = below && !below.isEmpty ? below.fieldsText(this.members.has(element)) : '{}';
      text += `${text === '' ? '' : ','}${quoted(element)}:${value}`;
    }
    return `{${text}}`;
  }

  static fromFieldsV1(fields: JsonObject): FieldSet {
    const set = new FieldSet();
    for (const [element, value] of Object.entries(fields)) {
      if (element === '.' || !isObject(value)) continue;
      const keys = Object.keys(value);
      if (keys.length === 0 || Object.hasOwn(value, '.')) set.members.add(element);
      if (keys.some((key) => key !== '.')) set.setChild(element, FieldSet.fromFieldsV1(value));
    }
    return set;
  }

  static of(...paths: readonly (readonly string[])[]): FieldSet {
    const set = new FieldSet();
    for (const path of paths) set.insert(path);
    return set;
  }
}

const fieldElements = new Map<string, string>();
const fieldElementLimit = 10_000;

/** `f:name`. Cached, because the same few names occur in many sets. */
export function fieldElement(name: string): string {
  const known = fieldElements.get(name);
  if (known !== undefined) return known;
  const made = `f:${name}`;
  if (fieldElements.size < fieldElementLimit) fieldElements.set(name, made);
  return made;
}

const quotedElements = new Map<string, string>();

/** An element as JSON text, cached because it is written often. */
function quoted(element: string): string {
  const known = quotedElements.get(element);
  if (known !== undefined) return known;
  const made = JSON.stringify(element);
  if (quotedElements.size < fieldElementLimit) quotedElements.set(element, made);
  return made;
}

function sortedElements(set: FieldSet): readonly string[] {
  const elements = [...set.members];
  for (const [element, child] of set.children) if (!set.members.has(element) && !child.isEmpty) elements.push(element);
  return elements.length > 1 ? elements.sort() : elements;
}

function collect(set: FieldSet, prefix: readonly string[], found: (readonly string[])[]): void {
  for (const element of [...set.members].sort()) found.push([...prefix, element]);
  for (const element of [...set.children.keys()].sort()) {
    const below = set.children.get(element);
    if (below) collect(below, [...prefix, element], found);
  }
}

/** A path as messages show it: `.spec.containers[name="a"].image`. */
export function pathText(path: readonly string[]): string {
  return path.map((element) => (element.startsWith('f:') ? `.${element.slice(2)}` : elementKey(element))).join('');
}
