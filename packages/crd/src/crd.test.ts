// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { crdOf, crdYaml, defineKind, object, optional, string } from './index.ts';
import { gadgets } from './testing/every-feature.ts';

const small = defineKind({
  group: 'example.com',
  version: 'v1',
  kind: 'Note',
  plural: 'notes',
  scope: 'Cluster',
  deprecated: 'use something else',
  spec: optional(object({ text: optional(string()) })),
});

describe('the CustomResourceDefinition of a kind', () => {
  test('is this file, to the letter', async () => {
    await expect(crdYaml(gadgets)).toMatchFileSnapshot('golden/gadgets.yaml');
  });

  test('says nothing of what was not declared', () => {
    expect(crdOf(small)).toEqual({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'notes.example.com' },
      spec: {
        group: 'example.com',
        names: { kind: 'Note', listKind: 'NoteList', plural: 'notes', singular: 'note' },
        scope: 'Cluster',
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            deprecated: true,
            deprecationWarning: 'use something else',
            schema: {
              openAPIV3Schema: {
                type: 'object',
                properties: {
                  apiVersion: { type: 'string' },
                  kind: { type: 'string' },
                  metadata: { type: 'object' },
                  spec: { type: 'object', properties: { text: { type: 'string' } } },
                },
              },
            },
          },
        ],
      },
    });
  });

  test('carries annotations, so that an experiment may use a group of Kubernetes', () => {
    const annotations = { 'api-approved.kubernetes.io': 'unapproved, experimental-only' };
    const kind = defineKind({ ...small, group: 'samplecrd.k8s.io', annotations, spec: object({}) });
    expect(crdOf(kind).metadata).toEqual({ name: 'notes.samplecrd.k8s.io', annotations });
  });

  test('comes with others as one stream of documents', () => {
    expect(crdYaml(small, gadgets)).toBe(`${crdYaml(small)}---\n${crdYaml(gadgets)}`);
  });
});
