// SPDX-License-Identifier: Apache-2.0
import {
  cel,
  crdYaml,
  defineKind,
  embedded,
  enumeration,
  int32,
  type KindOf,
  object,
  optional,
  string,
} from '@operator-parts/crd';

export const databases = defineKind({
  group: 'example.com',
  version: 'v1',
  kind: 'Database',
  plural: 'databases',
  shortNames: ['db'],
  scope: 'Namespaced',
  description: 'A database.',
  spec: object({
    size: int32({ minimum: 1, maximum: 7, rules: [cel('self % 2 == 1', 'must be odd')] }),
    engine: enumeration(['Fast', 'Safe'], { default: 'Safe', description: 'Which engine to run.' }),
    resources: optional(embedded('core/v1', 'ResourceRequirements')),
  }),
  status: object({ ready: int32({ default: 0 }), message: optional(string()) }),
  columns: [
    { name: 'Size', path: '.spec.size' },
    { name: 'Ready', path: '.status.ready' },
    { name: 'Age', path: '.metadata.creationTimestamp' },
  ],
  scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.ready' },
});

export type Database = KindOf<typeof databases>;

export const example: Database = {
  apiVersion: 'example.com/v1',
  kind: 'Database',
  metadata: { name: 'orders' },
  spec: { size: 3, resources: { requests: { memory: '1Gi' } } },
};

export const yaml = crdYaml(databases);
