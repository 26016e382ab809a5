// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { readingOf, readReport } from './report.ts';

const log = {
  ...{ memberId: 7n, clusterId: 1n, state: { term: 4n, vote: 0n, commit: 8n }, lastTerm: 3n, lastIndex: 9n },
  terms: [
    { index: 4n, term: 1n },
    { index: 7n, term: 3n },
  ],
  ...{ voters: [7n, 8n, 9n], learners: [], baseIndex: 4n, end: { offset: 0, crc: 0, isTorn: false } },
};

const { clusterId: _of, ...nobodys } = { clusterId: '', ...readingOf(log, 40n, 44n) };
const anonymous = JSON.stringify(nobodys);

describe('what a pod says that it found on the volume of a member', () => {
  test('is read as it was written, with what the member knew to be committed', () => {
    const reading = readingOf(log, 40n, 44n);
    expect(reading).toEqual({
      ...{ kind: 'log', term: 3, index: 9, commit: 8, voters: 3, isVoter: true, isTorn: false },
      ...{ clusterId: '1', memberId: '7', voterIds: ['7', '8', '9'] },
      terms: [
        [4, 1],
        [7, 3],
      ],
      newestEntry: 40,
      highestRevision: 44,
    });
    expect(readReport(JSON.stringify(reading))).toEqual(reading);
    expect(readingOf({ ...log, memberId: 5n }, 40n, 44n)).toMatchObject({ isVoter: false });
  });

  test('does not say how far its log leads if that is not what was written', () => {
    const { highestRevision: _highest, ...older } = { highestRevision: 0, ...readingOf(log, 40n, 44n) };
    expect(readReport(JSON.stringify(older))).toEqual(older);
    expect(readReport(JSON.stringify({ ...older, highestRevision: 'x' }))).toEqual(older);
  });

  test('does not say where terms begin if that is not what was written, or too long for a status', () => {
    const termsOf = (terms: unknown) => readReport(JSON.stringify({ ...readingOf(log, 40n, 44n), terms }));
    for (const terms of [
      undefined,
      'x',
      [[1]],
      [[1, 'x']],
      [
        [4, 1],
        [3, 2],
      ],
      [
        [4, 2],
        [5, 2],
      ],
      [7],
    ])
      expect(termsOf(terms)).toMatchObject({ kind: 'log', terms: [] });
    const many = Array.from({ length: 101 }, (_, index) => ({ index: BigInt(index), term: BigInt(index) }));
    expect(readingOf({ ...log, terms: many }, 40n, 44n)).toMatchObject({ terms: [] });
    const terms = many.slice(1).map(({ index }) => ({ index: index + 10n ** 12n, term: index }));
    const most = readingOf({ ...log, terms }, 10n ** 15n, 10n ** 15n);
    expect(JSON.stringify(most).length).toBeLessThan(4_096 - 7 * 20);
  });

  test.each(['', '{}', '{"kind":"log","term":3,"index":9,"isTorn":false}', 'no JSON', anonymous])(
    'is nothing in %j',
    (text) => {
      expect(readReport(text)).toBeUndefined();
    },
  );
});
