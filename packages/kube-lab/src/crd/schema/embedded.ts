// SPDX-License-Identifier: Apache-2.0
import { asObject, isObject, type Json } from '../../json/json.ts';
import { type FieldError, invalid, required } from '../../validation/field-error.ts';
import { validateLabels } from '../../validation/object-meta.ts';
import type { SchemaNode } from './schema-node.ts';

/** Validates embedded objects (`x-kubernetes-embedded-resource`): each needs a kind and a version. */
export function validateEmbedded(
  node: SchemaNode,
  value: Json | undefined,
  path: string,
  isRoot = false,
): readonly FieldError[] {
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => (node.items ? validateEmbedded(node.items, item, `${path}[${index}]`) : []));
  }
  if (!isObject(value)) return [];
  const errors: FieldError[] = node.embedded && !isRoot ? [...validateTypeMeta(value, path)] : [];
  for (const [key, item] of Object.entries(value)) {
    const below = node.properties.get(key) ?? (node.additional === true ? undefined : node.additional);
    if (below) errors.push(...validateEmbedded(below, item, path === '' ? key : `${path}.${key}`));
  }
  return errors;
}

function validateTypeMeta(value: { readonly [key: string]: Json | undefined }, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  for (const key of ['apiVersion', 'kind']) {
    if (value[key] === undefined) errors.push(required(`${path}.${key}`));
    else if (value[key] === '') errors.push(required(`${path}.${key}`, 'must not be empty'));
  }
  const apiVersion = String(value['apiVersion'] ?? '');
  if (apiVersion.split('/').length > 2) {
    errors.push(invalid(`${path}.apiVersion`, apiVersion, `unexpected GroupVersion string: ${apiVersion}`));
  }
  const labels = asObject(asObject(value['metadata'])?.['labels']);
  return [...errors, ...validateLabels(labels, `${path}.metadata.labels`)];
}
