// SPDX-License-Identifier: Apache-2.0
import { asArray, asObject, asObjects, asString, getIn, type Json, type JsonObject } from '../json/json.ts';

/**
 * Converts the documents of `/openapi/v3` to the single document of `/openapi/v2`: all their types and paths, in the
 * older format. Parameters that many operations share are repeated in each of them.
 */
export function swaggerOf(documents: readonly JsonObject[], version: string): JsonObject {
  const paths: JsonObject = {};
  const definitions: JsonObject = {};
  for (const document of documents) {
    for (const [name, schema] of Object.entries(asObject(getIn(document, 'components', 'schemas')) ?? {})) {
      definitions[name] = merged(asObject(definitions[name]), definitionOf(asObject(schema) ?? {}));
    }
    for (const [path, item] of Object.entries(asObject(document['paths']) ?? {})) {
      paths[path] ??= pathItem(asObject(item) ?? {});
    }
  }
  return {
    swagger: '2.0',
    info: { title: 'Kubernetes', version },
    paths: sorted(paths),
    definitions: sorted(definitions),
    securityDefinitions: {
      BearerToken: {
        description: 'Bearer Token authentication',
        type: 'apiKey',
        name: 'authorization',
        in: 'header',
      },
    },
    security: [{ BearerToken: [] }],
  };
}

const kindsKey = 'x-kubernetes-group-version-kind';

/** Several documents contain the same type, each with its own list of kinds. The lists are joined. */
function merged(before: JsonObject | undefined, after: JsonObject): JsonObject {
  const kinds = [...asArray(before?.[kindsKey]), ...asArray(after[kindsKey])];
  if (!before || kinds.length === 0) return before ?? after;
  const unique = new Map(kinds.map((kind) => [JSON.stringify(kind), kind]));
  return { ...before, [kindsKey]: [...unique.values()] };
}

function sorted(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Keys of a schema that Swagger does not have, or that its readers do not expect. */
const unsaid = new Set(['default', 'allOf', 'oneOf', 'anyOf', 'not', 'nullable']);

function definitionOf(schema: JsonObject): JsonObject {
  const result: JsonObject = {};
  for (const [key, value] of Object.entries(schema)) {
    if (value !== undefined && !unsaid.has(key)) result[key] = fieldOf(key, value);
  }
  const reference = asString(asObject(asArray(schema['allOf'])[0])?.['$ref']);
  if (reference !== undefined) result['$ref'] = definitionReference(reference);
  // `oneOf` stands for a number or a string here. The older format has no alternatives, so the type becomes string.
  if (schema['oneOf'] !== undefined && result['type'] === undefined) result['type'] = 'string';
  return result;
}

function fieldOf(key: string, value: Json): Json {
  switch (key) {
    case '$ref':
      return definitionReference(String(value));
    case 'properties':
      return Object.fromEntries(
        Object.entries(asObject(value) ?? {}).map(([name, one]) => [name, definitionOf(asObject(one) ?? {})]),
      );
    case 'items':
    case 'additionalProperties': {
      const inner = asObject(value);
      return inner ? definitionOf(inner) : value;
    }
    default:
      return value;
  }
}

function definitionReference(reference: string): string {
  return reference.replace('#/components/schemas/', '#/definitions/');
}

const verbs = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'];

function pathItem(item: JsonObject): JsonObject {
  const result: JsonObject = {};
  for (const verb of verbs) {
    const operation = asObject(item[verb]);
    if (operation) result[verb] = operationOf(operation);
  }
  const parameters = asObjects(item['parameters']).map(parameterOf);
  if (parameters.length > 0) result['parameters'] = parameters;
  return result;
}

function operationOf(operation: JsonObject): JsonObject {
  const { parameters, requestBody, responses, ...rest } = operation;
  const body = asObject(requestBody);
  const content = asObject(body?.['content']) ?? {};
  const all = [...bodyOf(body), ...asObjects(parameters).map(parameterOf)];
  const produces = producedBy(asObject(responses) ?? {});
  return {
    ...rest,
    consumes: consumedBy(operation, Object.keys(content), produces),
    produces,
    schemes: ['https'],
    ...(all.length > 0 ? { parameters: all } : {}),
    responses: Object.fromEntries(
      Object.entries(asObject(responses) ?? {}).map(([code, response]) => [code, responseOf(asObject(response) ?? {})]),
    ),
  };
}

/** Operations on resources accept any type of body. Discovery endpoints accept the types that they produce. */
function consumedBy(operation: JsonObject, content: string[], produces: string[]): string[] {
  if (content.length > 0) return content;
  return operation['x-kubernetes-action'] === undefined ? produces : ['*/*'];
}

function bodyOf(body: JsonObject | undefined): JsonObject[] {
  if (!body) return [];
  const schema = schemaOfContent(body['content']);
  return [{ name: 'body', in: 'body', ...(body['required'] === true ? { required: true } : {}), ...schema }];
}

function producedBy(responses: JsonObject): string[] {
  const types = Object.values(responses).flatMap((one) => Object.keys(asObject(asObject(one)?.['content']) ?? {}));
  const known = [
    'application/json',
    'application/yaml',
    'application/vnd.kubernetes.protobuf',
    'application/json;stream=watch',
    'application/vnd.kubernetes.protobuf;stream=watch',
    'application/cbor',
    'application/cbor-seq',
  ];
  const given = new Set(types);
  const ordered = [...known.filter((type) => given.has(type)), ...types.filter((type) => !known.includes(type))];
  return ordered.length > 0 ? [...new Set(ordered)] : ['application/json'];
}

function responseOf(response: JsonObject): JsonObject {
  return { description: response['description'] ?? '', ...schemaOfContent(response['content']) };
}

function schemaOfContent(content: Json | undefined): JsonObject {
  const schema = asObject(asObject(Object.values(asObject(content) ?? {})[0])?.['schema']);
  return schema ? { schema: definitionOf(schema) } : {};
}

function parameterOf(parameter: JsonObject): JsonObject {
  const { schema, ...rest } = parameter;
  return { ...definitionOf(asObject(schema) ?? {}), ...rest };
}
