// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import type { Capture } from './capture.ts';
import type { Schema } from './open-api.ts';
import { patchSchemas } from './patch-schemas.ts';

const reference = (name: string): Schema => ({ allOf: [{ $ref: `#/components/schemas/io.k8s.api.shop.v1.${name}` }] });

function written(schemas: Readonly<Record<string, Schema>>): string {
  const named = Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [`io.k8s.api.shop.v1.${name}`, schema]),
  );
  const documents = new Map([['apis/shop/v1', { components: { schemas: named } }]]);
  const capture: Capture = { documents, discovery: { api: { items: [] }, apis: { items: [] } }, version: {} };
  const { text } = patchSchemas(capture, 'out.ts');
  return text.slice(text.indexOf('export const patchKinds'));
}

describe('what strategic merge patch must know', () => {
  test('is the lists that are merged, and the way to them', () => {
    const text = written({
      Order: {
        properties: { spec: reference('Spec'), note: { type: 'string' } },
        'x-kubernetes-group-version-kind': [{ group: 'shop', version: 'v1', kind: 'Order' }],
      },
      Spec: {
        properties: {
          items: {
            type: 'array',
            items: reference('Item'),
            'x-kubernetes-patch-strategy': 'merge',
            'x-kubernetes-patch-merge-key': 'name',
          },
          atomic: { type: 'array', items: reference('Item') },
          plain: reference('Plain'),
        },
      },
      Item: {
        properties: { tags: { type: 'array', items: { type: 'string' }, 'x-kubernetes-patch-strategy': 'merge' } },
      },
      Plain: { properties: { a: { type: 'string' } } },
    });
    expect(text).toBe(`export const patchKinds: Readonly<Record<string, string>> = {
  "shop/v1/Order": "shop-v1.Order",
};

export const patchTypes: Readonly<Record<string, PatchType>> = {
  "shop-v1.Item": {"tags":{"strategy":"merge"}},
  "shop-v1.Order": {"spec":{"type":"shop-v1.Spec"}},
  "shop-v1.Spec": {"items":{"type":"shop-v1.Item","strategy":"merge","mergeKey":"name"}},
};
`);
  });

  test('is nothing for types that refer to themselves and say nothing', () => {
    const text = written({ Tree: { properties: { child: reference('Tree') } } });
    expect(text).not.toContain('Tree');
  });
});
