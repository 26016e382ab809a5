// SPDX-License-Identifier: Apache-2.0
import type { StructuralSchema } from './structural-schema.ts';

/** One step: a field or map key, or the items of a list. */
type Step = { readonly name: string } | 'items';

const stepPattern = /\.(?<field>[A-Za-z_][\w-]*)|\['(?<key>[^']+)'\]|\[(?:\*|\d+|\?\([^\])]*\))\]/y;

/**
 * The node at a path such as `.spec.size`, `.labels['app']` or `.status.conditions[?(@.type=="Ready")].status`, or
 * undefined if the schema has none. A node that keeps unknown fields accepts any path below it.
 */
export function fieldAt(schema: StructuralSchema, path: string): StructuralSchema | undefined {
  const steps = stepsOf(path);
  let at: StructuralSchema | undefined = steps && schema;
  for (const step of steps ?? []) {
    if (!at) return undefined;
    at = step === 'items' ? at.items : (childNamed(at, step.name) ?? unknownBelow(at));
  }
  return at;
}

/** True if the path contains no list: required for scale and selectable fields. */
export function isPlainPath(path: string): boolean {
  return stepsOf(path)?.every((step) => step !== 'items') ?? false;
}

function stepsOf(path: string): readonly Step[] | undefined {
  const steps: Step[] = [];
  stepPattern.lastIndex = 0;
  for (let end = 0; end < path.length; end = stepPattern.lastIndex) {
    const match = stepPattern.exec(path);
    if (!match) return undefined;
    const name = match.groups?.['field'] ?? match.groups?.['key'];
    steps.push(name === undefined ? 'items' : { name });
  }
  return steps.length > 0 ? steps : undefined;
}

function childNamed(schema: StructuralSchema, name: string): StructuralSchema | undefined {
  const { properties } = schema;
  return properties && Object.hasOwn(properties, name) ? properties[name] : schema.additionalProperties;
}

function unknownBelow(schema: StructuralSchema): StructuralSchema | undefined {
  return schema['x-kubernetes-preserve-unknown-fields'] && { 'x-kubernetes-preserve-unknown-fields': true };
}
