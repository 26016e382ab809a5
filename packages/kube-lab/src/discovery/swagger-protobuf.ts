// SPDX-License-Identifier: Apache-2.0
import { asArray, asObject, asObjects, type Json, type JsonObject } from '../json/json.ts';

/**
 * A Swagger document in protobuf, the only form in which Go clients read `/openapi/v2`. The messages are those of
 * `openapi.v2` in the library gnostic. Each function here writes one message, with its field numbers.
 */
export function swaggerProtobuf(document: JsonObject): Uint8Array {
  const info = asObject(document['info']) ?? {};
  const paths = entries(document['paths']).map(([path, item]) => message(2, named(path, pathItem(item))));
  const definitions = entries(document['definitions']).map(([name, schema]) =>
    message(1, named(name, schemaOf(schema))),
  );
  const security = entries(document['securityDefinitions']).map(([name, one]) =>
    message(1, named(name, [message(2, apiKey(one))])),
  );
  return join([
    text(1, document['swagger']),
    message(2, [text(1, info['title']), text(2, info['version'])]),
    message(8, paths),
    message(9, definitions),
    ...asObjects(document['security']).map((one) => message(12, securityRequirement(one))),
    message(13, security),
  ]);
}

/** The parts of a message, or nothing for unset fields. */
type Pieces = readonly Uint8Array[];

const nothing = new Uint8Array();

function pathItem(item: JsonObject): Pieces {
  const verbs = { get: 2, put: 3, post: 4, delete: 5, options: 6, head: 7, patch: 8 };
  const operations = Object.entries(verbs).flatMap(([verb, number]) => {
    const operation = asObject(item[verb]);
    return operation ? [message(number, operationOf(operation))] : [];
  });
  return [...operations, ...asObjects(item['parameters']).map((one) => message(9, parameterItem(one)))];
}

function operationOf(operation: JsonObject): Pieces {
  const responses = entries(operation['responses']).map(([code, response]) =>
    message(1, named(code, [message(1, responseOf(response))])),
  );
  return [
    ...texts(1, operation['tags']),
    text(3, operation['description']),
    text(5, operation['operationId']),
    ...texts(6, operation['produces']),
    ...texts(7, operation['consumes']),
    ...asObjects(operation['parameters']).map((one) => message(8, parameterItem(one))),
    message(9, responses),
    ...texts(10, operation['schemes']),
    ...extensions(13, operation),
  ];
}

function responseOf(response: JsonObject): Pieces {
  const schema = asObject(response['schema']);
  return [text(1, response['description']), schema ? message(2, [message(1, schemaOf(schema))]) : nothing];
}

function parameterItem(parameter: JsonObject): Pieces {
  return [
    message(1, [parameter['in'] === 'body' ? message(1, bodyParameter(parameter)) : message(2, other(parameter))]),
  ];
}

function bodyParameter(parameter: JsonObject): Pieces {
  return [
    text(1, parameter['description']),
    text(2, parameter['name']),
    text(3, parameter['in']),
    flag(4, parameter['required']),
    message(5, schemaOf(asObject(parameter['schema']) ?? {})),
  ];
}

/** A path or query parameter. Both have the same fields, but the field numbers differ from the fifth field on. */
function other(parameter: JsonObject): Pieces {
  const isPath = parameter['in'] === 'path';
  const shift = isPath ? 0 : 1;
  const pieces = [
    flag(1, parameter['required']),
    text(2, parameter['in']),
    text(3, parameter['description']),
    text(4, parameter['name']),
    text(5 + shift, parameter['type']),
    text(6 + shift, parameter['format']),
    flag(19 + shift, parameter['uniqueItems']),
  ];
  return [message(isPath ? 4 : 3, pieces)];
}

function schemaOf(schema: JsonObject): Pieces {
  const { type, items, additionalProperties: additional } = schema;
  const values = asObject(additional);
  const properties = entries(schema['properties']).map(([name, one]) => message(1, named(name, schemaOf(one))));
  return [
    text(1, schema['$ref']),
    text(2, schema['format']),
    text(3, schema['title']),
    text(4, schema['description']),
    number(7, schema['maximum']),
    flag(8, schema['exclusiveMaximum']),
    number(9, schema['minimum']),
    flag(10, schema['exclusiveMinimum']),
    integer(11, schema['maxLength']),
    integer(12, schema['minLength']),
    text(13, schema['pattern']),
    integer(14, schema['maxItems']),
    integer(15, schema['minItems']),
    flag(16, schema['uniqueItems']),
    integer(17, schema['maxProperties']),
    integer(18, schema['minProperties']),
    ...texts(19, schema['required']),
    ...asArray(schema['enum']).map((value) => message(20, anything(value))),
    values ? message(21, [message(1, schemaOf(values))]) : nothing,
    additional === true ? message(21, [flag(2, true)]) : nothing,
    type === undefined ? nothing : message(22, [text(1, type)]),
    items === undefined ? nothing : message(23, [message(1, schemaOf(asObject(items) ?? {}))]),
    properties.length > 0 ? message(25, properties) : nothing,
    ...extensions(31, schema),
  ];
}

function apiKey(one: JsonObject): Pieces {
  return [text(1, one['type']), text(2, one['name']), text(3, one['in']), text(4, one['description'])];
}

function securityRequirement(one: JsonObject): Pieces {
  return Object.entries(one).map(([name, scopes]) => message(1, named(name, texts(1, scopes))));
}

/** Fields whose names begin with `x-`. Their values must be YAML; JSON is valid YAML. */
function extensions(place: number, object: JsonObject): Pieces {
  return Object.entries(object)
    .filter(([key]) => key.startsWith('x-'))
    .map(([key, value]) => message(place, named(key, anything(value ?? null))));
}

function anything(value: Json): Pieces {
  return [text(2, `${JSON.stringify(value)}\n`)];
}

function named(name: string, value: Pieces): Pieces {
  return [text(1, name), message(2, value)];
}

function entries(value: Json | undefined): readonly (readonly [string, JsonObject])[] {
  return Object.entries(asObject(value) ?? {}).map(([key, one]) => [key, asObject(one) ?? {}] as const);
}

function message(place: number, pieces: Pieces): Uint8Array {
  return delimited(place, join(pieces));
}

function texts(place: number, values: Json | undefined): Pieces {
  return asArray(values).map((value) => text(place, value));
}

function text(place: number, value: Json | undefined): Uint8Array {
  return value === undefined || value === '' ? nothing : delimited(place, Buffer.from(String(value), 'utf8'));
}

function flag(place: number, value: Json | undefined): Uint8Array {
  return value === true ? join([varint((place << 3) | 0), varint(1)]) : nothing;
}

function integer(place: number, value: Json | undefined): Uint8Array {
  return typeof value === 'number' && value !== 0 ? join([varint((place << 3) | 0), varint(value)]) : nothing;
}

function number(place: number, value: Json | undefined): Uint8Array {
  if (typeof value !== 'number' || value === 0) return nothing;
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return join([varint((place << 3) | 1), bytes]);
}

function delimited(place: number, bytes: Uint8Array): Uint8Array {
  return join([varint((place << 3) | 2), varint(bytes.length), bytes]);
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = BigInt(value);
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  bytes.push(Number(rest));
  return Uint8Array.from(bytes);
}

function join(pieces: Pieces): Uint8Array {
  return Buffer.concat(pieces);
}
