// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { unrecordedRevisions } from './run-stream.ts';

test('what was changed while no process recorded is known by the revision that recording begins at', () => {
  expect(unrecordedRevisions(20n, 20n, { revision: 20n, time: 1_000 })).toBeUndefined();
  expect(unrecordedRevisions(20n, 25n, { revision: 20n, time: 1_000 })).toEqual({ until: 25n, since: 1_000 });
  expect(unrecordedRevisions(20n, 25n, undefined)).toEqual({ until: 25n, since: 0 });
  // The recovery point is above the stored revision: segments have been deleted since.
  expect(unrecordedRevisions(20n, 25n, { revision: 22n, time: 1_000 })).toEqual({ until: 25n, since: 0 });
});
