// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import type { Tree } from '../check/tree.ts';
import { type ChecklistLine, checklist } from './checklist.ts';
import { coverageOf } from './coverage.ts';
import { describeCoverage } from './describe-coverage.ts';

const lines: readonly ChecklistLine[] = [
  { number: 1, marks: 'K', scope: 'cluster', sentence: 'One.' },
  { number: 2, marks: 'N', scope: 'cluster', sentence: 'Two.' },
  { number: 3, marks: 'KF', scope: 'backup', sentence: 'Three.' },
];

function treeOf(files: Readonly<Record<string, string>>): Tree {
  return {
    root: '',
    files: Object.keys(files),
    has: (path) => path in files,
    read: (path) => files[path] ?? '',
  };
}

const covered = (files: Readonly<Record<string, string>>) =>
  coverageOf(treeOf(files), lines).lines.map(({ tests }) => tests.length);

describe('which names count', () => {
  test.each([
    ["test('[1] works', () => {});", [1, 0, 0]],
    ["describe('[1] [3] works', () => {});", [1, 0, 1]],
    ["test.each([1])('[3] %s', () => {});", [0, 0, 1]],
    ["test(\n  '[2] long',\n", [0, 1, 0]],
    ["test('C-50, D17 [2] of several lists', () => {});", [0, 1, 0]],
    ["test('C-1 of another list', () => {});", [0, 0, 0]],
    ["{ name: '[1] a situation' }", [1, 0, 0]],
    ["test.each([\n  [\n    '[1] [3] a row',\n", [1, 0, 1]],
    ['test(`[1] ' + '$' + '{name}`)', [1, 0, 0]],
    ["expect(x).toBe('[1] must be a string')", [0, 0, 0]],
    ["test('works with [1]', () => {});", [0, 0, 0]],
    ['// [1] in a comment', [0, 0, 0]],
  ])('%s', (text, expected) => {
    expect(covered({ 'apps/operator/src/x.test.ts': text })).toEqual(expected);
  });

  test('in tests and in what only tests use, not in the product, not in packages', () => {
    const text = "{ name: '[1] x' }";
    expect(covered({ 'apps/operator/src/plan/testing/x.ts': text })).toEqual([1, 0, 0]);
    expect(covered({ 'apps/operator/src/x.ts': text })).toEqual([0, 0, 0]);
    expect(covered({ 'packages/crd/src/x.test.ts': text })).toEqual([0, 0, 0]);
  });
});

describe('the list in words', () => {
  test('a line without a test makes it incomplete, old or new', () => {
    const files = { 'test/x.test.ts': "test('[1] [3] here')" };
    const { text, isComplete } = describeCoverage(coverageOf(treeOf(files), lines));
    expect(isComplete).toBe(false);
    expect(text).toContain('  2 N   cluster Two.\n      NO TEST\n');
    expect(text).toContain('test/x.test.ts: here');
    expect(text).toContain('2 of 3 lines have tests.');
    expect(text).toContain('Without a test: 2.');
  });

  test('with a test for each it is complete', () => {
    const files = { 'test/x.test.ts': "test('[1] [2] [3] here')" };
    expect(describeCoverage(coverageOf(treeOf(files), lines)).isComplete).toBe(true);
  });

  test('a test with a number of no line makes it incomplete', () => {
    const files = { 'test/x.test.ts': "test('[1] [7] here')" };
    const { text, isComplete } = describeCoverage(coverageOf(treeOf(files), lines));
    expect(isComplete).toBe(false);
    expect(text).toContain('names line 7');
  });
});

test('the list is numbered without gaps', () => {
  expect(checklist.map(({ number }) => number)).toEqual(checklist.map((_, index) => index + 1));
});
