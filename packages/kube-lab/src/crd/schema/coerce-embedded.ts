// SPDX-License-Identifier: Apache-2.0
import { isObject, type Json } from '../../json/json.ts';
import type { DecodeContext } from '../../schema/decode-context.ts';
import { decodeMetadataInto } from '../metadata.ts';
import type { SchemaNode } from './schema-node.ts';

/** Decodes `metadata` of embedded objects with its Go type, in place; unknown fields are reported and left out. */
export function coerceEmbedded(
  node: SchemaNode,
  value: Json | undefined,
  context: DecodeContext,
  isRoot = false,
): void {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) below(node.items, item, index, context);
  } else if (isObject(value)) {
    if (node.embedded && !isRoot && value['metadata'] !== undefined) decodeMetadataInto(value, context);
    for (const [key, item] of Object.entries(value)) {
      below(node.properties.get(key) ?? (node.additional === true ? undefined : node.additional), item, key, context);
    }
  }
}

function below(
  node: SchemaNode | undefined,
  value: Json | undefined,
  place: string | number,
  context: DecodeContext,
): void {
  if (!node) return;
  context.path.push(place);
  coerceEmbedded(node, value, context);
  context.path.pop();
}
