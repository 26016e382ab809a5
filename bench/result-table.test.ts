// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { resultTable } from './result-table.ts';

test('a table has a line for each ratio, and says whether the bars are met', () => {
  const table = resultTable({
    B2: { ratios: { 'wall vs typed': 0.7, 'server CPU': 1.02 }, bars: { 'wall vs typed': 1 }, ok: true },
    B5: { ratios: { burst: 0.5 }, bars: { burst: 1 }, ok: false },
  });
  expect(table.split('\n')).toEqual([
    '     OURS / THEIRS     RATIO   BAR',
    'B2   wall vs typed     0.700   1.00',
    'B2   server CPU        1.020',
    'B2   all bars met',
    'B5   burst             0.500   1.00',
    'B5   a bar is missed',
    '',
  ]);
});
