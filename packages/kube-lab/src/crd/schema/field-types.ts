// SPDX-License-Identifier: Apache-2.0
import { deducedType, type FieldType, type ListType, scalarType } from '../../apply/field-type.ts';
import { fieldTypeOf } from '../../apply/open-api-types.ts';
import { openApiDocument } from '../../registry/captured-api.ts';
import type { SchemaNode } from './schema-node.ts';

const metadataName = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

/** The managedFields rules of a custom schema. */
export function customFieldType(root: SchemaNode): FieldType {
  return mapOf(root, true);
}

function fromNode(node: SchemaNode): FieldType {
  if (node.intOrString) return scalarType;
  switch (node.type) {
    case 'object':
      return mapOf(node, node.embedded);
    case 'array':
      return listOf(node);
    case 'string':
      return node.format === 'date-time' || node.format === 'byte' ? scalarType : { kind: 'scalar', only: 'string' };
    case 'integer':
    case 'number':
      return { kind: 'scalar', only: 'numeric' };
    case 'boolean':
      return { kind: 'scalar', only: 'boolean' };
    default:
      return node.preserveUnknown ? deducedType : scalarType;
  }
}

function mapOf(node: SchemaNode, isObject: boolean): FieldType {
  const { additional, properties, preserveUnknown } = node;
  const isOpen = preserveUnknown || additional !== undefined;
  if (properties.size === 0 && !isObject && additional === undefined) return deducedType;
  const fields = new Map<string, FieldType>();
  const own = (name: string) => {
    if (isObject && name === 'metadata') return metadataType();
    const below = properties.get(name);
    if (below) return fromNode(below);
    return isObject && (name === 'kind' || name === 'apiVersion') ? scalarType : undefined;
  };
  return {
    kind: 'map',
    atomic: node.mapType === 'atomic',
    field(name) {
      const known = fields.get(name);
      if (known) return known;
      const type = own(name);
      if (type) fields.set(name, type);
      return type;
    },
    element: additional === undefined || additional === true ? deducedType : fromNode(additional),
    closed: !isOpen,
  };
}

function metadataType(): FieldType {
  const document = openApiDocument('api/v1');
  return document ? fieldTypeOf(document, metadataName) : deducedType;
}

function listOf(node: SchemaNode): ListType {
  const { items, listType } = node;
  return {
    kind: 'list',
    mode: listType === 'map' || listType === 'set' ? listType : 'atomic',
    keys: [...node.listMapKeys].sort(),
    keyDefault: (key) => items?.properties.get(key)?.fallback,
    element: items ? fromNode(items) : deducedType,
  };
}
