// SPDX-License-Identifier: Apache-2.0
import { definitionDefaults, definitionStrategy } from '../crd/definition-kind.ts';
import type { Defaults } from './builtin-codec.ts';
import type { Strategy } from './strategy.ts';

/** What the server knows of a built-in kind beyond its schema. */
export interface KindRules {
  readonly defaults?: Defaults;
  readonly strategy?: Strategy;
  readonly selectableFields?: readonly string[];
}

/** The rules of built-in kinds by qualified name. Kinds that are missing here behave as their schema says. */
export const kindRules: Readonly<Record<string, KindRules>> = {
  'customresourcedefinitions.apiextensions.k8s.io': { defaults: definitionDefaults, strategy: definitionStrategy },
};
