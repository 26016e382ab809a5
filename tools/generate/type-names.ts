// SPDX-License-Identifier: Apache-2.0

/** The TypeScript file (without extension) and name for a schema of the server. */
export interface TypeName {
  readonly file: string;
  readonly name: string;
}

/** `io.k8s.api.core.v1.Pod` is `Pod` in `core-v1`. */
export function typeNameOf(schemaName: string): TypeName {
  const [name = '', version = '', group = ''] = schemaName.split('.').reverse();
  return { file: `${group}-${version}`, name };
}

const objectTypes = ['ObjectMeta', 'OwnerReference', 'ManagedFieldsEntry'];

/**
 * Schemas without an interface. Quantities and times are strings (the server accepts numbers for quantities and never
 * returns them). `metadata` has hand-written types.
 */
export function wellKnownType(schemaName: string): string | undefined {
  const { name } = typeNameOf(schemaName);
  if (schemaName.startsWith('io.k8s.apimachinery.')) {
    if (objectTypes.includes(name)) return name;
    return machineryTypes[name];
  }
  if (schemaName.includes('.apiextensions.')) return extensionTypes[name];
  return undefined;
}

/** True if the type comes from the package's own `object.ts`. */
export function isObjectType(name: string): boolean {
  return objectTypes.includes(name);
}

const anyObject = 'Readonly<Record<string, unknown>>';

const machineryTypes: Readonly<Record<string, string>> = {
  Quantity: 'string',
  IntOrString: 'number | string',
  Time: 'string',
  MicroTime: 'string',
  RawExtension: anyObject,
  FieldsV1: anyObject,
};

const extensionTypes: Readonly<Record<string, string>> = {
  JSON: 'unknown',
  JSONSchemaPropsOrArray: 'JSONSchemaProps | readonly JSONSchemaProps[]',
  JSONSchemaPropsOrBool: 'JSONSchemaProps | boolean',
  JSONSchemaPropsOrStringArray: 'JSONSchemaProps | readonly string[]',
};
