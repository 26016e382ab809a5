// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { annotations } from './names.ts';
import { formatRestoreMarker, readRestoreMarker } from './restore-marker.ts';

test('a mark is read as it was written', () => {
  const markers = fc.record({
    name: fc.string(),
    uid: fc.string(),
    from: fc.record(
      {
        incarnation: fc.integer({ min: 1 }),
        clusterId: fc.string(),
        revision: fc.integer({ min: 1 }),
        bootstrapVersion: fc.string({ minLength: 1 }),
      },
      { requiredKeys: ['incarnation', 'clusterId'] },
    ),
  });
  fc.assert(
    fc.property(markers, (marker) => {
      expect(readRestoreMarker({ [annotations.restore]: formatRestoreMarker(marker) })).toEqual(marker);
    }),
  );
});

test('one that cannot be parsed still counts, and belongs to no EtcdRestore', () => {
  expect(readRestoreMarker(undefined)).toBeUndefined();
  expect(readRestoreMarker({})).toBeUndefined();
  for (const text of ['', 'x', '[]', 'null', '{"uid":7}', '{"from":{"incarnation":-1}}'])
    expect(readRestoreMarker({ [annotations.restore]: text })).toEqual({ name: '', uid: '' });
});
