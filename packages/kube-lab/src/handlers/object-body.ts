// SPDX-License-Identifier: Apache-2.0
import { apiVersionOf } from '@operator-parts/kube';
import { parse as parseYaml } from 'yaml';
import { asObject, asString, ensureObject, getIn, isObject, type Json, type JsonObject } from '../json/json.ts';
import { duplicateKeys, scanJson } from '../json/scan-json.ts';
import { parseApiVersion } from '../registry/api-version.ts';
import type { Decoded } from '../registry/codec.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import { DecodeError } from '../schema/decode-context.ts';
import { ApiError, badRequest } from '../server/api-error.ts';
import { header } from '../server/api-request.ts';
import type { Call } from '../server/core.ts';
import { invalid, invalidObject } from '../validation/field-error.ts';
import { dedupOwners } from '../validation/object-meta.ts';

/** The media type of the request's body, without parameters. */
export function mediaType(call: Call): string {
  return (header(call.request, 'content-type') ?? 'application/json').split(';')[0]?.trim().toLowerCase() ?? '';
}

/** Decodes the body of a create or update as an object of the request's kind and namespace. */
export function readObjectBody(call: Call): JsonObject {
  const { value, duplicates } = parseBody(call);
  checkKind(call, value);
  return decodeObject(call, value, duplicates);
}

/** A JSON value as a stored object of the request's kind: decoded, in the request's namespace. */
export function decodeObject(call: Call, value: Json, duplicates: readonly string[] = []): JsonObject {
  const { object, strictErrors } = decodeOrRefuse(call.resource, value);
  reportStrictErrors(call, [...duplicates.map((field) => `duplicate field ${JSON.stringify(field)}`), ...strictErrors]);
  const metadata = ensureObject(object, 'metadata');
  // An empty list asks to remove all managed fields. Decoding drops it, so it is set again.
  if (Array.isArray(getIn(value, 'metadata', 'managedFields'))) metadata['managedFields'] ??= [];
  placeInNamespace(call, metadata);
  const warning = dedupOwners(object);
  if (warning) call.warn(warning);
  return object;
}

function decodeOrRefuse(resource: ServedResource, value: Json): Decoded {
  try {
    return resource.codec.decode(value);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const { kind, version } = resource;
    throw badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${error.message}`);
  }
}

interface ParsedBody {
  readonly value: Json;
  /** Paths of duplicate keys. */
  readonly duplicates: readonly string[];
}

function parseBody(call: Call): ParsedBody {
  const text = call.request.body ?? '';
  switch (mediaType(call)) {
    case 'application/yaml':
      return { value: parseYamlText(text), duplicates: [] };
    case 'application/json':
    case '':
      return parseJsonBody(call, text);
    default:
      throw unsupportedMediaType();
  }
}

function parseJsonBody(call: Call, text: string): ParsedBody {
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    throw unrecognized(call.resource, goSyntaxError(text), text);
  }
  if (value !== null && !isObject(value)) throw unrecognized(call.resource, notAnObject(value), text);
  const ignored = call.query.get('fieldValidation') === 'Ignore';
  return { value, duplicates: ignored ? [] : duplicateKeys(text, value) };
}

const typeMetaStruct =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

function notAnObject(value: Json): string {
  const kind = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  return `json: cannot unmarshal ${kind} into Go value of type ${typeMetaStruct}`;
}

function unrecognized({ kind }: ServedResource, why: string, text: string): ApiError {
  const message = `couldn't get version/kind; json parse error: ${why} (${excerpt(text)})`;
  return badRequest(`the object provided is unrecognized (must be of type ${kind}): ${message}`);
}

/** The first bytes of a body in the real server's format: as text if it looks like an object, else in hexadecimal. */
function excerpt(text: string): string {
  if (text === '') return '<empty>';
  const shown = text.startsWith('{') ? text : Buffer.from(text, 'utf8').toString('hex');
  return shown.length > 30 ? `${shown.slice(0, 30)} ...` : shown;
}

function goSyntaxError(text: string): string {
  try {
    scanJson(text);
    return 'invalid JSON';
  } catch (error) {
    return (error as Error).message;
  }
}

/** Parses a body that need not have the kind of the request: options or a patch. */
export function parseJsonText(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw badRequest(goSyntaxError(text));
  }
}

export function parseYamlText(text: string): Json {
  try {
    return compactJson(text) ?? (parseYaml(text) as Json);
  } catch (error) {
    throw badRequest(`error decoding YAML: ${(error as Error).message}`);
  }
}

/**
 * Clients mostly send compact JSON as YAML, which `JSON.parse` reads many times faster. Undefined if YAML may read the
 * text differently.
 */
function compactJson(text: string): Json | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    const value = JSON.parse(text) as Json;
    // The two differ if a key is given twice, which YAML does not allow.
    return JSON.stringify(value) === text ? value : undefined;
  } catch {
    return undefined;
  }
}

function unsupportedMediaType(): ApiError {
  const message =
    'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf';
  return new ApiError(415, 'UnsupportedMediaType', message);
}

function checkKind(call: Call, value: Json): void {
  if (call.resource.custom) {
    checkCustomKind(call, isObject(value) ? value : {});
    return;
  }
  const problem = kindProblem(call, value);
  if (problem) throw badRequest(`${problem.given} cannot be handled as a ${call.resource.kind}: ${problem.why}`);
}

/** Custom objects must contain their kind and version; built-in objects may leave them out. */
function checkCustomKind({ resource, request }: Call, value: JsonObject): void {
  const { kind, apiVersion } = value;
  const expected = apiVersionOf(resource);
  for (const [field, given] of [
    ['Kind', kind],
    ['apiVersion', apiVersion],
  ] as const) {
    if (given) continue;
    const text = request.body ?? '';
    const why = `Object '${field}' is missing in '${text}' (${excerpt(text)})`;
    throw badRequest(`the object provided is unrecognized (must be of type ${resource.kind}): ${why}`);
  }
  if (apiVersion !== expected) {
    const why = `(${String(apiVersion)}) does not match the expected API version (${expected})`;
    throw badRequest(`the API version in the data ${why}`);
  }
  if (kind === resource.kind) return;
  const name = asString(asObject(value['metadata'])?.['name']) ?? '';
  const error = invalid('kind', String(kind), `must be ${resource.kind}`);
  throw invalidObject({ group: resource.group, kind: String(kind) }, name, [error]);
}

/** Why a value cannot be an object of the request's kind and version. */
export function kindProblem(
  { resource, core }: Call,
  value: Json,
): { readonly given: string; readonly why: string } | undefined {
  if (!isObject(value)) return undefined;
  const expected = apiVersionOf(resource);
  const kind = typeof value['kind'] === 'string' && value['kind'] ? value['kind'] : resource.kind;
  const apiVersion = typeof value['apiVersion'] === 'string' && value['apiVersion'] ? value['apiVersion'] : expected;
  if (kind === resource.kind && apiVersion === expected) return undefined;
  const { group, version } = parseApiVersion(apiVersion);
  const registered = core.registry.findKind(group, version, kind);
  const why = registered
    ? `converting (${version}.${kind}) to (${resource.group.split('.')[0] || 'core'}.${resource.kind}): unknown conversion`
    : `no kind "${kind}" is registered for version "${apiVersion}" in scheme "pkg/runtime/scheme.go:111"`;
  return { given: `${kind} in version "${version}"`, why };
}

/** Sets the request's namespace on an object. Refuses an object that is in another namespace. */
function placeInNamespace(call: Call, metadata: JsonObject): void {
  const { resource, info } = call;
  const given = metadata['namespace'];
  if (!resource.namespaced) {
    if (typeof given === 'string' && given !== '') {
      throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
    }
    delete metadata['namespace'];
    return;
  }
  if (given !== undefined && given !== '' && given !== info.namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  metadata['namespace'] = info.namespace;
}

function reportStrictErrors(call: Call, errors: readonly string[]): void {
  const mode = call.query.get('fieldValidation') || 'Warn';
  if (mode === 'Ignore' || errors.length === 0) return;
  if (mode === 'Strict') {
    const { kind, version } = call.resource;
    throw badRequest(
      `${kind} in version "${version}" cannot be handled as a ${kind}: strict decoding error: ${errors.join(', ')}`,
    );
  }
  for (const error of errors) call.warn(error);
}

/** The part of `decodeObject` after decoding, for the result of a patch. */
export function placePatched(
  call: Call,
  object: JsonObject,
  strictErrors: readonly string[],
  refuse: (why: string) => ApiError,
): JsonObject {
  const mode = call.query.get('fieldValidation') || 'Warn';
  if (mode === 'Strict' && strictErrors.length > 0) throw refuse(`strict decoding error: ${strictErrors.join(', ')}`);
  if (mode === 'Warn') for (const error of strictErrors) call.warn(error);
  placeInNamespace(call, ensureObject(object, 'metadata'));
  return object;
}

/** Refuses an object without a name, or with a name that differs from the one in the request's path. */
export function checkName({ info }: Call, object: JsonObject): void {
  const { name } = metadataOf(object);
  if (!name)
    throw badRequest(`the name of the object (${info.name} based on URL) was undeterminable: name must be provided`);
  if (name === info.name) return;
  throw badRequest(`the name of the object (${String(name)}) does not match the name on the URL (${info.name})`);
}

/** `metadata` of an object that has gone through `decodeObject`. */
export function metadataOf(object: JsonObject): JsonObject {
  return asObject(object['metadata']) ?? {};
}
