// SPDX-License-Identifier: Apache-2.0
import { describe, expectTypeOf, test } from 'vitest';
import {
  bool,
  cel,
  dateTime,
  defineKind,
  enumeration,
  int32,
  type KindOf,
  keyedList,
  list,
  map,
  nullable,
  object,
  optional,
  string,
} from './index.ts';

const widgets = defineKind({
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  shortNames: ['wd'],
  scope: 'Namespaced',
  spec: object({
    size: int32({ minimum: 1 }),
    colour: enumeration(['Red', 'Blue'], { default: 'Red' }),
    labels: optional(map(string())),
    parts: optional(keyedList(object({ name: string(), spare: optional(bool()) }), ['name'])),
    notes: optional(list(string())),
  }),
  status: object({ size: int32(), phase: string(), lastTime: optional(nullable(dateTime())) }),
  columns: [{ name: 'Size', path: '.spec.size' }],
  scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' },
  rules: [cel('self.metadata.name.size() <= 52', 'the name is too long')],
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
    }>();
    expectTypeOf<NonNullable<Widget['status']>>().toEqualTypeOf<{
      readonly size: number;
      readonly phase: string;
      readonly lastTime?: string | null;
    }>();
    expectTypeOf<Widget['apiVersion']>().toEqualTypeOf<'example.com/v1' | undefined>();
  });
});
