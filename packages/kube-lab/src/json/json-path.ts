// SPDX-License-Identifier: Apache-2.0
import { asObject, isObject, type Json, type JsonObject } from './json.ts';

type Step =
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'all' }
  | { readonly kind: 'filter'; readonly path: readonly Step[]; readonly operator: string; readonly value: Json };

const stepPattern =
  /\.([A-Za-z0-9_-]+(?:\\\.[A-Za-z0-9_-]+)*)|\[(-?\d+)\]|\[\*\]|\[(['"])(.*?)\3\]|\[\?\(@((?:\.[A-Za-z0-9_-]+)*)\s*(==|!=|<=|>=|<|>)\s*(?:"([^"]*)"|'([^']*)'|([^)]*))\)\]/gy;

const parsed = new Map<string, readonly Step[] | undefined>();

/** All values at a path such as `.spec.size`, `.items[*].name` or `.conditions[?(@.type=="Ready")].status`. */
export function selectPath(root: JsonObject, path: string): readonly Json[] {
  if (!parsed.has(path)) parsed.set(path, parsePath(path));
  const steps = parsed.get(path);
  return steps ? steps.reduce<readonly Json[]>(follow, [root]) : [];
}

/** True if a path is valid. */
export function isPath(path: string): boolean {
  return parsePath(path) !== undefined;
}

function parsePath(path: string): readonly Step[] | undefined {
  const steps: Step[] = [];
  // Each call needs its own `lastIndex`, because a filter is itself parsed as a path.
  const pattern = new RegExp(stepPattern);
  while (pattern.lastIndex < path.length) {
    const match = pattern.exec(path);
    if (!match) return undefined;
    steps.push(toStep(match));
  }
  return steps;
}

function toStep(match: RegExpExecArray): Step {
  const [whole, name, index, , quoted, filter, operator = '', double, single, bare = ''] = match;
  if (name !== undefined) return { kind: 'field', name: name.replaceAll('\\.', '.') };
  if (index !== undefined) return { kind: 'index', index: Number(index) };
  if (quoted !== undefined) return { kind: 'field', name: quoted };
  if (filter === undefined || whole === '[*]') return { kind: 'all' };
  const value = double ?? single ?? literal(bare.trim());
  return { kind: 'filter', path: parsePath(filter) ?? [], operator, value };
}

function literal(text: string): Json {
  if (text === 'true' || text === 'false') return text === 'true';
  return text !== '' && !Number.isNaN(Number(text)) ? Number(text) : text;
}

function follow(values: readonly Json[], step: Step): readonly Json[] {
  return values.flatMap((value) => followOne(value, step));
}

function followOne(value: Json, step: Step): readonly Json[] {
  switch (step.kind) {
    case 'field':
      return present(isObject(value) && Object.hasOwn(value, step.name) ? value[step.name] : undefined);
    case 'index':
      return present(Array.isArray(value) ? value.at(step.index) : undefined);
    case 'all':
      return Array.isArray(value) ? value : Object.values(asObject(value) ?? {}).flatMap(present);
    case 'filter':
      return Array.isArray(value) ? value.filter((item) => matches(item, step)) : [];
  }
}

function present(value: Json | undefined): readonly Json[] {
  return value === undefined ? [] : [value];
}

function matches(item: Json, step: Extract<Step, { readonly kind: 'filter' }>): boolean {
  const [found] = step.path.reduce<readonly Json[]>(follow, [item]);
  if (found === undefined || found === null) return false;
  switch (step.operator) {
    case '==':
      return found === step.value;
    case '!=':
      return found !== step.value;
    case '<':
      return found < (step.value as typeof found);
    case '>':
      return found > (step.value as typeof found);
    case '<=':
      return found <= (step.value as typeof found);
    default:
      return found >= (step.value as typeof found);
  }
}
