// SPDX-License-Identifier: Apache-2.0
import { asArray, asNumber, asObject, asObjects, asString, type Json, type JsonObject } from '../../json/json.ts';

/** A CEL rule of `x-kubernetes-validations`. */
export interface ValidationRule {
  readonly rule: string;
  readonly message: string | undefined;
  readonly messageExpression: string | undefined;
  readonly reason: string | undefined;
  readonly fieldPath: string | undefined;
  readonly optionalOldSelf: boolean;
}

/** One node of a structural schema, parsed once when its definition is stored. */
export interface SchemaNode {
  readonly raw: JsonObject;
  readonly type: string | undefined;
  readonly format: string | undefined;
  readonly nullable: boolean;
  readonly intOrString: boolean;
  readonly preserveUnknown: boolean;
  readonly embedded: boolean;
  readonly properties: ReadonlyMap<string, SchemaNode>;
  /** The schema of keys that are not properties; `true` if anything is allowed. */
  readonly additional: SchemaNode | true | undefined;
  readonly items: SchemaNode | undefined;
  readonly fallback: Json | undefined;
  readonly required: readonly string[];
  readonly listType: 'atomic' | 'set' | 'map' | undefined;
  readonly listMapKeys: readonly string[];
  readonly mapType: string | undefined;
  readonly rules: readonly ValidationRule[];
  readonly limits: ValueLimits;
  readonly allOf: readonly SchemaNode[];
  readonly anyOf: readonly SchemaNode[];
  readonly oneOf: readonly SchemaNode[];
  readonly not: SchemaNode | undefined;
}

/** The constraints on a value, apart from its structure. */
export interface ValueLimits {
  readonly enum: readonly Json[] | undefined;
  readonly pattern: { readonly text: string; readonly expression: RegExp } | undefined;
  readonly minLength: number | undefined;
  readonly maxLength: number | undefined;
  readonly minimum: number | undefined;
  readonly maximum: number | undefined;
  readonly exclusiveMinimum: boolean;
  readonly exclusiveMaximum: boolean;
  readonly multipleOf: number | undefined;
  readonly minItems: number | undefined;
  readonly maxItems: number | undefined;
  readonly uniqueItems: boolean;
  readonly minProperties: number | undefined;
  readonly maxProperties: number | undefined;
}

/** Parses a `JSONSchemaProps`. */
export function readSchema(raw: JsonObject): SchemaNode {
  const list = (key: string) => asObjects(raw[key]).map(readSchema);
  const additional = raw['additionalProperties'];
  const items = asObject(raw['items']);
  const not = asObject(raw['not']);
  return {
    raw,
    type: asString(raw['type']) || undefined,
    format: asString(raw['format']) || undefined,
    nullable: raw['nullable'] === true,
    intOrString: raw['x-kubernetes-int-or-string'] === true,
    preserveUnknown: raw['x-kubernetes-preserve-unknown-fields'] === true,
    embedded: raw['x-kubernetes-embedded-resource'] === true,
    properties: new Map(
      Object.entries(asObject(raw['properties']) ?? {}).map(([name, value]) => [
        name,
        readSchema(asObject(value) ?? {}),
      ]),
    ),
    additional: additional === true ? true : asObject(additional) && readSchema(asObject(additional) ?? {}),
    items: items && readSchema(items),
    fallback: raw['default'],
    required: asArray(raw['required']).map(String),
    listType: asString(raw['x-kubernetes-list-type']) as SchemaNode['listType'],
    listMapKeys: asArray(raw['x-kubernetes-list-map-keys']).map(String),
    mapType: asString(raw['x-kubernetes-map-type']),
    rules: asObjects(raw['x-kubernetes-validations']).map(readRule),
    limits: readLimits(raw),
    allOf: list('allOf'),
    anyOf: list('anyOf'),
    oneOf: list('oneOf'),
    not: not && readSchema(not),
  };
}

function readRule(raw: JsonObject): ValidationRule {
  return {
    rule: asString(raw['rule']) ?? '',
    message: asString(raw['message']) || undefined,
    messageExpression: asString(raw['messageExpression']) || undefined,
    reason: asString(raw['reason']) || undefined,
    fieldPath: asString(raw['fieldPath']) || undefined,
    optionalOldSelf: raw['optionalOldSelf'] === true,
  };
}

function readLimits(raw: JsonObject): ValueLimits {
  const pattern = asString(raw['pattern']);
  return {
    enum: Array.isArray(raw['enum']) ? raw['enum'] : undefined,
    pattern: pattern ? { text: pattern, expression: goPattern(pattern) } : undefined,
    minLength: asNumber(raw['minLength']),
    maxLength: asNumber(raw['maxLength']),
    minimum: asNumber(raw['minimum']),
    maximum: asNumber(raw['maximum']),
    exclusiveMinimum: raw['exclusiveMinimum'] === true,
    exclusiveMaximum: raw['exclusiveMaximum'] === true,
    multipleOf: asNumber(raw['multipleOf']),
    minItems: asNumber(raw['minItems']),
    maxItems: asNumber(raw['maxItems']),
    uniqueItems: raw['uniqueItems'] === true,
    minProperties: asNumber(raw['minProperties']),
    maxProperties: asNumber(raw['maxProperties']),
  };
}

const never = /(?!)/;

/** A pattern in Go's syntax as a JavaScript expression. An invalid pattern matches nothing. */
export function goPattern(pattern: string): RegExp {
  const inline = /^\(\?([ims]+)\)/.exec(pattern);
  const flags = inline?.[1] ?? '';
  const source = (inline ? pattern.slice(inline[0].length) : pattern)
    .replaceAll('\\A', '^')
    .replaceAll('\\z', '$')
    .replace(/\(\?P</g, '(?<')
    .replace(/\[\[:alnum:\]\]/g, '[A-Za-z0-9]')
    .replace(/\[\[:alpha:\]\]/g, '[A-Za-z]')
    .replace(/\[\[:digit:\]\]/g, '[0-9]');
  for (const mode of ['u', '']) {
    try {
      return new RegExp(source, flags + mode);
    } catch {
      // Some escapes that Go allows are errors in Unicode mode: the pattern is then compiled without Unicode mode.
    }
  }
  return never;
}
