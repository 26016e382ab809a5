// SPDX-License-Identifier: Apache-2.0
import { equalJson, isObject, type Json, type JsonObject, setKey } from '../json/json.ts';
import type { OpenApiDocument, OpenApiSchema } from '../registry/captured-api.ts';
import type { DecodeContext } from './decode-context.ts';
import {
  anyType,
  booleanType,
  bytesType,
  type GoType,
  integerType,
  intOrStringType,
  microTimeType,
  numberType,
  quantityType,
  secondTimeType,
  stringType,
} from './go-scalars.ts';
import { type GoField, goFields, printedGoType } from './go-shapes.ts';

const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const extensions = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1';

const specialTypes: Readonly<Record<string, GoType>> = {
  'io.k8s.apimachinery.pkg.api.resource.Quantity': quantityType,
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': intOrStringType,
  'io.k8s.apimachinery.pkg.runtime.RawExtension': anyType,
  [`${meta}.Time`]: secondTimeType,
  [`${meta}.MicroTime`]: microTimeType,
  [`${meta}.Duration`]: stringType('string'),
  [`${meta}.FieldsV1`]: anyType,
  [`${extensions}.JSON`]: anyType,
  [`${extensions}.JSONSchemaPropsOrArray`]: anyType,
  [`${extensions}.JSONSchemaPropsOrBool`]: anyType,
  [`${extensions}.JSONSchemaPropsOrStringArray`]: anyType,
};

const compiled = new Map<string, GoType>();

/** The Go type of a name in an OpenAPI document, compiled once for the process. */
export function goTypeOf(document: OpenApiDocument, typeName: string): GoType {
  const known = specialTypes[typeName] ?? compiled.get(typeName);
  if (known) return known;
  const schema = document.components?.schemas?.[typeName] ?? {};
  const made = schema.properties ? new StructType(document, typeName, schema) : fromSchema(document, schema, typeName);
  compiled.set(typeName, made);
  return made;
}

function refOf(schema: OpenApiSchema): string | undefined {
  const ref = schema.$ref ?? schema.allOf?.[0]?.$ref;
  return ref?.slice('#/components/schemas/'.length);
}

function fromSchema(document: OpenApiDocument, schema: OpenApiSchema, goType: string): GoType {
  const ref = refOf(schema);
  if (ref !== undefined) return goTypeOf(document, ref);
  switch (schema.type) {
    case 'string':
      return schema.format === 'byte' ? bytesType : stringType(printedGoType(goType));
    case 'integer':
      return integerType(schema.format ?? 'int64');
    case 'number':
      return numberType;
    case 'boolean':
      return booleanType;
    case 'array':
      return listType(document, schema.items ?? {}, printedGoType(goType));
    case 'object':
      if (typeof schema.additionalProperties === 'object') {
        return mapType(document, schema.additionalProperties, printedGoType(goType));
      }
      return anyType;
    default:
      return anyType;
  }
}

/** The type of the items of a list or map: `T` for `[]T`. */
function elementGoType(goType: string): string {
  return goType.replace(/^\[\]/, '').replace(/^map\[[^\]]*\]/, '');
}

function listType(document: OpenApiDocument, items: OpenApiSchema, goType: string): GoType {
  const item = fromSchema(document, items, elementGoType(goType));
  return {
    decode(value, context, owner) {
      if (!Array.isArray(value)) throw context.mismatch(value, owner, goType);
      return value.map((one, index) => {
        if (one === null) return item.absent();
        context.path.push(index);
        const decoded = item.decode(one, context, owner);
        context.path.pop();
        return decoded;
      });
    },
    absent: () => null,
    isEmpty: (value) => Array.isArray(value) && value.length === 0,
  };
}

function mapType(document: OpenApiDocument, values: OpenApiSchema, goType: string): GoType {
  const item = fromSchema(document, values, elementGoType(goType));
  return {
    decode(value, context, owner) {
      if (!isObject(value)) throw context.mismatch(value, owner, goType);
      const decoded: JsonObject = {};
      // Go writes maps in key order.
      for (const key of Object.keys(value).sort()) {
        const one = value[key];
        if (one === undefined) continue;
        setKey(decoded, key, one === null ? item.absent() : item.decode(one, context, owner));
      }
      return decoded;
    },
    absent: () => null,
    isEmpty: (value) => isObject(value) && Object.keys(value).length === 0,
  };
}

interface Field {
  readonly type: GoType;
  readonly pointer: boolean;
  readonly omitEmpty: boolean;
  /** The default if the field is absent, or is empty and not a pointer. */
  readonly fallback: Json | undefined;
}

const typeMeta: Field = { type: stringType('string'), pointer: false, omitEmpty: true, fallback: undefined };

class StructType implements GoType {
  readonly #document: OpenApiDocument;
  readonly #typeName: string;
  readonly #schema: OpenApiSchema;
  readonly #name: string;
  #fields: ReadonlyMap<string, Field> | undefined;
  /** The fields that are always written, with their values if they are absent. */
  #filled: readonly (readonly [string, () => Json])[] = [];

  constructor(document: OpenApiDocument, typeName: string, schema: OpenApiSchema) {
    this.#document = document;
    this.#typeName = typeName;
    this.#schema = schema;
    this.#name = typeName.split('.').at(-1) ?? typeName;
  }

  decode(value: Json, context: DecodeContext, owner: string): Json {
    if (!isObject(value)) throw context.mismatch(value, owner, this.#printedName());
    const fields = this.#fieldMap();
    const decoded: JsonObject = {};
    for (const key in value) {
      const field = fields.get(key);
      const given = value[key];
      if (!field) context.unknownField(key);
      else if (given !== null && given !== undefined) this.#decodeField(field, key, given, decoded, context);
    }
    for (const [key, absent] of this.#filled) if (decoded[key] === undefined) decoded[key] = absent();
    return decoded;
  }

  absent(): Json {
    this.#fieldMap();
    const made: JsonObject = {};
    for (const [key, absent] of this.#filled) made[key] = absent();
    return made;
  }

  isEmpty(): boolean {
    return false;
  }

  #decodeField(field: Field, key: string, given: Json, decoded: JsonObject, context: DecodeContext): void {
    context.path.push(key);
    const value = field.type.decode(given, context, this.#name);
    context.path.pop();
    if (!field.pointer && (field.omitEmpty || field.fallback !== undefined) && field.type.isEmpty(value)) return;
    decoded[key] = value;
  }

  #fieldMap(): ReadonlyMap<string, Field> {
    if (this.#fields) return this.#fields;
    const shapes = goFields(this.#typeName);
    const fields = new Map<string, Field>();
    // Set before it is filled, because a type can contain itself.
    this.#fields = fields;
    const filled: (readonly [string, () => Json])[] = [];
    for (const [name, schema] of Object.entries(this.#schema.properties ?? {})) {
      const shape = shapes[name];
      if (!shape) {
        fields.set(name, name === 'kind' || name === 'apiVersion' ? typeMeta : this.#looseField(schema));
        continue;
      }
      const field = this.#field(schema, shape);
      fields.set(name, field);
      const { fallback } = field;
      if (fallback !== undefined) filled.push([name, () => fallback]);
      else if (isWrittenWhenAbsent(field, shape)) filled.push([name, () => field.type.absent()]);
    }
    this.#filled = filled;
    return fields;
  }

  #field(schema: OpenApiSchema, [goType, mode]: GoField): Field {
    const type = fromSchema(this.#document, schema, goType);
    const fallback = schema.default as Json | undefined;
    const hasFallback = fallback !== undefined && !isZero(fallback);
    return {
      type,
      pointer: goType.startsWith('*'),
      omitEmpty: mode !== 'always',
      fallback: hasFallback ? fallback : undefined,
    };
  }

  #looseField(schema: OpenApiSchema): Field {
    return {
      type: fromSchema(this.#document, schema, 'string'),
      pointer: true,
      omitEmpty: true,
      fallback: undefined,
    };
  }

  #printedName(): string {
    const parts = this.#typeName.split('.');
    return `${parts.at(-2) ?? ''}.${this.#name}`;
  }
}

function isZero(value: Json): boolean {
  return (
    value === '' || value === 0 || value === false || value === null || equalJson(value, {}) || equalJson(value, [])
  );
}

/** Go's `omitempty` never omits a struct that is not a pointer, nor a time or a quantity; `omitzero` does. */
function isWrittenWhenAbsent({ type, pointer, omitEmpty }: Field, [, mode]: GoField): boolean {
  if (pointer || mode === 'omitzero') return false;
  if (!omitEmpty) return true;
  const valueTypes: readonly GoType[] = [quantityType, intOrStringType, secondTimeType, microTimeType];
  return type instanceof StructType || valueTypes.includes(type);
}
