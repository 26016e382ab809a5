// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { judgeProof } from './judge-proof.ts';
import type { ProofReport } from './proof-report.ts';

const figures = { revision: 9, compactRevision: 3, keys: 4, hash: 77 };
const good: ProofReport = {
  file: figures,
  served: figures,
  etcdVersion: '3.6.16',
  clusterId: 'new',
  members: ['me'],
};
const expected = { revision: 9, clusterId: 'old', member: 'me' };

test('a member that serves exactly what the backup holds passes', () => {
  expect(judgeProof(good, expected)).toBeUndefined();
  expect(judgeProof(good, { ...expected, revision: undefined, clusterId: undefined })).toBeUndefined();
});

test.each<[Partial<ProofReport>, string]>([
  [{ served: { ...figures, revision: 8 } }, 'RevisionDiffers'],
  [{ served: { ...figures, compactRevision: 2 } }, 'RevisionDiffers'],
  [{ file: { ...figures, revision: 8 }, served: { ...figures, revision: 8 } }, 'RevisionDiffers'],
  [{ served: { ...figures, keys: 3 } }, 'KeyCountDiffers'],
  [{ served: { ...figures, hash: 78 } }, 'HashDiffers'],
  [{ members: ['me', 'old'] }, 'OldMembers'],
  [{ members: ['old'] }, 'OldMembers'],
  [{ members: [] }, 'OldMembers'],
  [{ clusterId: 'old' }, 'OldMembers'],
])('%j is %s', (change, reason) => {
  expect(judgeProof({ ...good, ...change }, expected)).toMatchObject({ reason });
});

test('whatever is reported, what differs anywhere is never good', () => {
  const some = fc.record({
    revision: fc.integer({ min: 8, max: 10 }),
    compactRevision: fc.integer({ min: 2, max: 4 }),
    keys: fc.integer({ min: 3, max: 5 }),
    hash: fc.integer({ min: 76, max: 78 }),
  });
  fc.assert(
    fc.property(some, some, (file, served) => {
      const isSame = JSON.stringify(file) === JSON.stringify(served) && file.revision === expected.revision;
      expect(judgeProof({ ...good, file, served }, expected) === undefined).toBe(isSame);
    }),
    { numRuns: 1_000 },
  );
});
