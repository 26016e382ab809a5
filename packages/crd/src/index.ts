// SPDX-License-Identifier: Apache-2.0
/**
 * One declaration of a custom resource gives its TypeScript type, its structural schema with defaults and CEL rules,
 * its CustomResourceDefinition, its reference page, and the descriptor for clients and informers. Declarations that
 * Kubernetes would refuse do not compile, or throw an error with the path.
 */
export { type CelOptions, cel } from './cel.ts';
export {
  type Fields,
  keyedList,
  type ListOptions,
  list,
  type MapOptions,
  map,
  type ObjectOf,
  type ObjectOptions,
  object,
  set,
} from './containers.ts';
export { crdOf } from './crd.ts';
export { crdYaml } from './crd-yaml.ts';
export { DeclarationError, type Problem } from './declaration-error.ts';
export { type EmbeddableVersion, embedded } from './embedded.ts';
export type { EmbeddableTypes } from './generated/embedded-types.ts';
export {
  type Column,
  type ColumnType,
  defineKind,
  type Kind,
  type KindDeclaration,
  type KindFacts,
  type KindObject,
  type KindOf,
  type Scale,
} from './kind.ts';
export { referencePage } from './reference/reference-page.ts';
export {
  anything,
  bool,
  choice,
  dateTime,
  duration,
  enumeration,
  int32,
  int64,
  intOrString,
  type NumberOptions,
  number,
  quantity,
  type StringFormat,
  type StringOptions,
  string,
} from './scalars.ts';
export {
  type NodeOptions,
  nullable,
  optional,
  type Presence,
  type Schema,
  type ValueOf,
  type WithDefault,
} from './schema.ts';
export type { RuleReason, StructuralSchema, ValidationRule } from './structural-schema.ts';
export { yamlText } from './yaml-text.ts';
