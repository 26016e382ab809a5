// SPDX-License-Identifier: Apache-2.0
import {
  defineKind,
  enumeration,
  int32,
  type KindOf,
  keyedList,
  object,
  optional,
  quantity,
  string,
} from '@operator-parts/crd';

/** What users write: number of replicas, image, and volume size. */
export const stores = defineKind({
  group: 'databases.example.com',
  version: 'v1',
  kind: 'KeyValueStore',
  plural: 'keyvaluestores',
  shortNames: ['kvs'],
  scope: 'Namespaced',
  description: 'A small database: one primary that takes writes, and replicas that copy it.',
  spec: object({
    replicas: int32({ minimum: 1, maximum: 5, default: 1, description: 'Copies of the data, the primary included.' }),
    image: string({ default: 'key-value-store:1.0.0', description: 'The image of the database.' }),
    storage: quantity({ default: '64Mi', description: 'The size of the volume of each copy.' }),
  }),
  status: object({
    observedGeneration: optional(int32()),
    replicas: int32({ default: 0, description: 'Pods that exist.' }),
    readyReplicas: int32({ default: 0, description: 'Copies that are up to date.' }),
    primary: optional(string({ description: 'The pod that takes writes.' })),
    conditions: optional(
      keyedList(
        object({
          type: string(),
          status: enumeration(['True', 'False', 'Unknown']),
          reason: string(),
          message: string(),
          lastTransitionTime: string(),
          observedGeneration: optional(int32()),
        }),
        ['type'],
      ),
    ),
  }),
  scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
  columns: [
    { name: 'Replicas', path: '.spec.replicas' },
    { name: 'Ready', path: '.status.readyReplicas' },
    { name: 'Primary', path: '.status.primary' },
    { name: 'Age', path: '.metadata.creationTimestamp' },
  ],
});

export type Store = KindOf<typeof stores>;
