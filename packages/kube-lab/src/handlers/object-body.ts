// SPDX-License-Identifier: Apache-2.0
import { apiVersionOf } from '@etcd-operator/kube';
import { parse as parseYaml } from 'yaml';
import { asObject, ensureObject, isObject, type Json, type JsonObject } from '../json/json.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import { ApiError, badRequest } from '../server/api-error.ts';
import { header } from '../server/api-request.ts';
import type { Call } from '../server/core.ts';

/** The media type of the request's body, without parameters. */
export function mediaType(call: Call): string {
  return (header(call.request, 'content-type') ?? 'application/json').split(';')[0]?.trim().toLowerCase() ?? '';
}

/** Reads the body of a create or update as an object of the request's kind and namespace. */
export function readObjectBody(call: Call): JsonObject {
  const { resource } = call;
  const value = parseBody(call);
  checkKind(resource, value);
  return decodeObject(call, value);
}

/** A JSON value as a stored object of the request's kind: decoded, in the request's namespace. */
export function decodeObject(call: Call, value: Json): JsonObject {
  const { object, strictErrors } = call.resource.codec.decode(value);
  reportStrictErrors(call, strictErrors);
  const metadata = ensureObject(object, 'metadata');
  placeInNamespace(call, metadata);
  return object;
}

/** The body as JSON. Knows `application/json` and `application/yaml`. */
export function parseBody(call: Call): Json {
  const type = mediaType(call);
  const text = call.request.body ?? '';
  if (type === 'application/yaml') return parseYamlText(text);
  if (type !== 'application/json' && type !== '') throw unsupportedMediaType(type);
  return parseJsonText(text);
}

export function parseJsonText(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw badRequest(`the object provided is unrecognized (must be of type JSON): ${(error as Error).message}`);
  }
}

export function parseYamlText(text: string): Json {
  try {
    return parseYaml(text) as Json;
  } catch (error) {
    throw badRequest(`error decoding YAML: ${(error as Error).message}`);
  }
}

export function unsupportedMediaType(type: string): ApiError {
  const message = `the body of the request was in an unknown format - accepted media types include: application/json, application/yaml; got ${type}`;
  return new ApiError(415, 'UnsupportedMediaType', message);
}

function checkKind(resource: ServedResource, value: Json): void {
  if (!isObject(value)) return;
  const { kind, apiVersion } = value;
  const expected = apiVersionOf(resource);
  if (kind !== undefined && kind !== '' && kind !== resource.kind) {
    throw badRequest(
      `${resource.kind} in version "${resource.version}" cannot be handled as a ${resource.kind}: no kind "${String(kind)}"`,
    );
  }
  if (apiVersion !== undefined && apiVersion !== '' && apiVersion !== expected) {
    throw badRequest(
      `the API version in the data (${String(apiVersion)}) does not match the expected API version (${expected})`,
    );
  }
}

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

/** `metadata` of an object that has gone through `decodeObject`. */
export function metadataOf(object: JsonObject): JsonObject {
  return asObject(object['metadata']) ?? {};
}
