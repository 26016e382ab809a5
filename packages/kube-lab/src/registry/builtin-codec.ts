// SPDX-License-Identifier: Apache-2.0
import { apiVersionOf } from '@operator-parts/kube';
import { asObject, isObject, type Json, type JsonObject } from '../json/json.ts';
import { DecodeContext } from '../schema/decode-context.ts';
import type { GoType } from '../schema/go-scalars.ts';
import { goTypeOf } from '../schema/go-types.ts';
import { type OpenApiDocument, openApiDocument } from './captured-api.ts';
import type { Codec, Decoded } from './codec.ts';
import type { ResourceNames } from './served-resource.ts';

/** Sets the defaults of the real server, in place, when an object of the kind is decoded. */
export type Defaults = (object: JsonObject) => void;

/**
 * The codec of a built-in kind: bodies are decoded like the real server's Go type, as far as its behaviour is
 * observable.
 * @param sharesUnchanged see `Strategy.sharesUnchanged`
 */
export function builtinCodec(names: ResourceNames, defaults: Defaults, sharesUnchanged = false): Codec {
  let type: GoType | undefined;
  const typeMeta = { kind: names.kind, apiVersion: apiVersionOf(names) };
  return {
    decode(value, current) {
      type ??= builtinType(names);
      if (sharesUnchanged && isObject(value) && current && hasSameContent(value, current)) {
        return decodeAround(type, value, current, typeMeta);
      }
      const context = new DecodeContext();
      const { kind: _kind, apiVersion: _apiVersion, ...decoded } = type.decode(value ?? {}, context, '') as JsonObject;
      const object = { ...typeMeta, ...decoded };
      defaults(object);
      return { object, strictErrors: context.strictErrors };
    },
    encode: (stored) => stored.text,
    toVersion: (object) => object,
    empty() {
      type ??= builtinType(names);
      return { ...typeMeta, ...(type.absent() as JsonObject) };
    },
  };
}

/** The fields that can change without setting the defaults of the object again. */
const outerFields = ['metadata', 'status'];

function isOuter(key: string): boolean {
  return key === 'kind' || key === 'apiVersion' || outerFields.includes(key);
}

/** True if everything except metadata and status is identical. */
function hasSameContent(value: JsonObject, current: JsonObject): boolean {
  for (const key in value) if (!isOuter(key) && value[key] !== current[key]) return false;
  for (const key in current) if (!isOuter(key) && value[key] !== current[key]) return false;
  return true;
}

/** Decodes only the fields that differ from `current`; the others have been decoded and defaulted before. */
function decodeAround(type: GoType, value: JsonObject, current: JsonObject, typeMeta: JsonObject): Decoded {
  const context = new DecodeContext();
  const changed: JsonObject = {};
  for (const key of outerFields) if (value[key] !== current[key]) changed[key] = value[key];
  const decoded = type.decode(changed, context, '') as JsonObject;
  const object: JsonObject = { ...current, ...typeMeta };
  for (const key of outerFields) {
    if (value[key] === current[key]) continue;
    if (decoded[key] === undefined) delete object[key];
    else object[key] = decoded[key];
  }
  // Copied, because callers modify metadata in place.
  object['metadata'] = { ...asObject(object['metadata']) };
  return { object, strictErrors: context.strictErrors };
}

/** The Go type of a built-in kind. */
export function builtinType(names: Pick<ResourceNames, 'group' | 'version' | 'kind'>): GoType {
  const document = documentOf(names);
  const typeName = document && rootTypeName(document, names);
  if (!document || typeName === undefined) throw new Error(`no schema for ${names.kind} of ${apiVersionOf(names)}`);
  return goTypeOf(document, typeName);
}

/** The OpenAPI document of a group and version. */
export function documentOf({ group, version }: Pick<ResourceNames, 'group' | 'version'>): OpenApiDocument | undefined {
  return openApiDocument(group ? `apis/${group}/${version}` : `api/${version}`);
}

/** The name of a kind's type in its document. */
export function rootTypeName(
  document: OpenApiDocument,
  names: Pick<ResourceNames, 'group' | 'version' | 'kind'>,
): string | undefined {
  const schemas = Object.entries(document.components?.schemas ?? {});
  const found = schemas.find(([, schema]) =>
    schema['x-kubernetes-group-version-kind']?.some(
      ({ group, version, kind }) => group === names.group && version === names.version && kind === names.kind,
    ),
  );
  return found?.[0];
}

/** A decoded object without its kind and version. */
export function withoutTypeMeta(value: Json): JsonObject {
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = asObject(value) ?? {};
  return rest;
}
