// SPDX-License-Identifier: Apache-2.0

/**
 * Marks a node of a built-in type with its name, for the reference page. A symbol, so that it is copied with the node
 * but never appears in a CustomResourceDefinition.
 */
export const builtInType: unique symbol = Symbol('built-in type');

/** A CEL rule, as in `x-kubernetes-validations`. */
export interface ValidationRule {
  readonly rule: string;
  readonly message: string;
  readonly messageExpression?: string;
  readonly reason?: RuleReason;
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
}

/** The error type when a rule is violated; the default is `FieldValueInvalid`. */
export type RuleReason = 'FieldValueInvalid' | 'FieldValueForbidden' | 'FieldValueRequired' | 'FieldValueDuplicate';

/**
 * A structural OpenAPI v3 schema: the part of JSON Schema that Kubernetes accepts in a CustomResourceDefinition.
 * Created by the functions of this package; keywords that Kubernetes refuses (`$ref`, `const`, `oneOf` of objects,
 * `uniqueItems`, ...) have no field here.
 */
export interface StructuralSchema {
  readonly description?: string;
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  readonly format?: string;
  readonly nullable?: true;
  readonly default?: unknown;
  readonly enum?: readonly (string | boolean)[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: true;
  readonly exclusiveMaximum?: true;
  readonly multipleOf?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, StructuralSchema>>;
  readonly additionalProperties?: StructuralSchema;
  readonly items?: StructuralSchema;
  /** Only the two branches of an int-or-string. */
  readonly anyOf?: readonly { readonly type: 'integer' | 'string' }[];
  readonly 'x-kubernetes-int-or-string'?: true;
  readonly 'x-kubernetes-preserve-unknown-fields'?: true;
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map';
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: 'atomic' | 'granular';
  readonly 'x-kubernetes-validations'?: readonly ValidationRule[];
  readonly [builtInType]?: string;
}
