// SPDX-License-Identifier: Apache-2.0
import { crdOf } from './crd.ts';
import type { Kind } from './kind.ts';
import { yamlText } from './yaml-text.ts';

/** The CustomResourceDefinitions of these kinds as one YAML file. The same kinds always give the same text. */
export function crdYaml(...kinds: readonly Kind[]): string {
  return kinds.map((kind) => yamlText(crdOf(kind))).join('---\n');
}
