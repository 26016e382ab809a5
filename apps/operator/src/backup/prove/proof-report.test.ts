// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ProofWords, readWords, renderWords } from './proof-report.ts';

const figures = { revision: 9, compactRevision: 3, keys: 4, hash: 4_294_967_295 };
const report = { file: figures, served: figures, etcdVersion: '3.6.16', clusterId: 'abc', members: ['me'] };

test.each<ProofWords>([
  { kind: 'report', report },
  { kind: 'loginRefused', why: 'no' },
  { kind: 'unreadable', why: 'broken' },
  { kind: 'notServing', why: 'gone' },
])('what the agent says is what the operator reads: $kind', (words) => {
  expect(readWords(renderWords(words))).toEqual(words);
});

test('what is said fits what Kubernetes takes, and counts of too many members stay too many', () => {
  const members = Array.from({ length: 500 }, (_, index) => `${index}`.padEnd(300, 'x'));
  const text = renderWords({ kind: 'report', report: { ...report, members } });
  expect(Buffer.byteLength(text)).toBeLessThan(4_096);
  expect(readWords(text)).toMatchObject({ report: { members: { length: 20 } } });
  expect(renderWords({ kind: 'unreadable', why: 'x'.repeat(9_000) }).length).toBeLessThan(4_096);
});

test('whatever a container says, reading it does not throw, and what is no report is none', () => {
  fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (text) => void readWords(text)));
  for (const broken of [
    {},
    { ...report, file: {} },
    { ...report, members: 'me' },
    { ...report, served: { ...figures, keys: -1 } },
  ])
    expect(readWords(JSON.stringify({ kind: 'report', report: broken }))).toBeUndefined();
});
