// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { metricValue } from './metric.ts';

const text = `# HELP a_total Help.
# TYPE a_total counter
a_total 3
a_total_more 4
b{label="x"} 5
c 1.5e+06 1700000000
d
e nonsense
`;

test.each([
  ['a_total', 3],
  ['a_total_more', 4],
  ['a', undefined],
  ['b', undefined],
  ['c', 1_500_000],
  ['d', undefined],
  ['e', undefined],
  ['missing', undefined],
])('%s is %s', (name, expected) => {
  expect(metricValue(text, name)).toBe(expected);
});
