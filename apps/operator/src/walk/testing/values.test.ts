// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { valuesOf } from './values.ts';

test('a quantity and a text with a pattern need no example: their values are made, the same in every run', () => {
  const size = { 'x-kubernetes-int-or-string': true, pattern: '^[0-9]+(Ki|Mi|Gi)?$' } as const;
  expect(valuesOf({ path: 'spec.trial', schema: size })).toEqual(['1Gi', '2Gi']);
  const schema = { type: 'string', pattern: '^[a-z]{3,8}/[0-9]{1,9}$', maxLength: 12 } as const;
  const made = valuesOf({ path: 'spec.trial', schema });
  expect(new Set(made).size).toBe(2);
  for (const value of made) expect(value).toMatch(/^(?=.{5,12}$)[a-z]{3,8}\/\d{1,9}$/);
  expect(valuesOf({ path: 'spec.trial', schema })).toEqual(made);
});

test('where a pattern has one value, the walk asks for an example', () => {
  const schema = { type: 'string', pattern: '^only$' } as const;
  expect(() => valuesOf({ path: 'spec.trial', schema })).toThrow('Add valid values for it to examples');
});
