// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { metricsIn } from './metric-page.ts';

test('metrics are found however they are registered', () => {
  const source = `registry.gauge({
      name: 'a_b',
      help: "It's so.",
      labels,
    }); const c = counter('c_total', 'Counted');
    histogram(
      'd_seconds',
      'Measured',
    )`;
  expect(metricsIn(source)).toEqual([
    { name: 'a_b', type: 'gauge', help: "It's so." },
    { name: 'c_total', type: 'counter', help: 'Counted' },
    { name: 'd_seconds', type: 'histogram', help: 'Measured' },
  ]);
});
