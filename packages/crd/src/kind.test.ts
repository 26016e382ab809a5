// SPDX-License-Identifier: Apache-2.0
import type { ResourceRequirements, Toleration } from '@operator-parts/kube';
import { describe, expect, expectTypeOf, test } from 'vitest';
import type { KeyNames } from './containers.ts';
import {
  anything,
  bool,
  dateTime,
  defineKind,
  embedded,
  enumeration,
  int32,
  intOrString,
  type KindOf,
  keyedList,
  list,
  map,
  nullable,
  object,
  optional,
  quantity,
  string,
  type ValueOf,
} from './index.ts';

const names = { group: 'example.com', version: 'v1', plural: 'widgets', scope: 'Namespaced' } as const;

const widgets = defineKind({
  ...names,
  kind: 'Widget',
  spec: object({
    size: int32({ minimum: 1 }),
    colour: enumeration(['Red', 'Blue'], { default: 'Red' }),
    labels: optional(map(string())),
    parts: optional(keyedList(object({ name: string(), spare: optional(bool()) }), ['name'])),
    notes: optional(list(string())),
    pod: optional(nullable(object({ resources: optional(embedded('core/v1', 'ResourceRequirements')) }))),
    tolerations: optional(list(embedded('core/v1', 'Toleration'))),
    extra: optional(anything()),
    memory: quantity({ default: '1Gi' }),
    surge: optional(intOrString()),
  }),
  status: object({ size: int32(), phase: string(), lastTime: optional(nullable(dateTime())) }),
});
type Widget = KindOf<typeof widgets>;

describe('the TypeScript type of a declared kind', () => {
  test('has required, optional and nullable fields as declared, all of them read-only', () => {
    expectTypeOf<Widget['spec']>().toEqualTypeOf<{
      readonly size: number;
      readonly colour?: 'Red' | 'Blue';
      readonly labels?: Readonly<Record<string, string>>;
      readonly parts?: readonly { readonly name: string; readonly spare?: boolean }[];
      readonly notes?: readonly string[];
      readonly pod?: { readonly resources?: ResourceRequirements } | null;
      readonly tolerations?: readonly Toleration[];
      readonly extra?: unknown;
      readonly memory?: number | string;
      readonly surge?: number | string;
    }>();
    expectTypeOf<NonNullable<Widget['status']>>().toEqualTypeOf<{
      readonly size: number;
      readonly phase: string;
      readonly lastTime?: string | null;
    }>();
  });

  test('knows its own apiVersion and kind', () => {
    expectTypeOf<Widget['apiVersion']>().toEqualTypeOf<'example.com/v1' | undefined>();
    expectTypeOf<Widget['kind']>().toEqualTypeOf<'Widget' | undefined>();
  });

  test('has no status if none is declared, and an optional spec if that is optional', () => {
    const plain = defineKind({ ...names, kind: 'Plain', spec: optional(object({ a: optional(string()) })) });
    expectTypeOf<KindOf<typeof plain>>().not.toHaveProperty('status');
    expectTypeOf<KindOf<typeof plain>['spec']>().toEqualTypeOf<{ readonly a?: string } | undefined>();
    expect(plain.hasStatus).toBe(false);
    expect(plain.schema.required).toBeUndefined();
  });

  test('lets only scalar fields be keys of a list', () => {
    const item = object({ name: string(), port: optional(int32()), nested: object({}), maybe: nullable(string()) });
    expectTypeOf<KeyNames<ValueOf<typeof item>>>().toEqualTypeOf<'name' | 'port'>();
  });
});

describe('a declared kind', () => {
  test('is a descriptor for clients', () => {
    const { group, version, kind, plural, namespaced } = widgets.resource;
    expect({ group, version, kind, plural, namespaced }).toEqual({
      group: 'example.com',
      version: 'v1',
      kind: 'Widget',
      plural: 'widgets',
      namespaced: true,
    });
  });

  test('asks for a spec unless the spec is optional, and never for what has a default', () => {
    expect(widgets.schema.required).toEqual(['spec']);
    expect(widgets.schema.properties?.['spec']?.required).toEqual(['size']);
  });
});
