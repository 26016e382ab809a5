// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { thing } from '../testing/things.ts';
import {
  allOf,
  annotationsChanged,
  anyOf,
  deletionRequested,
  generationChanged,
  labelsChanged,
  matching,
  not,
} from './predicate.ts';

const before = thing('a/one', {}, { generation: 1, labels: { x: '1' }, annotations: { n: '1' } });
const changed = (metadata: object) => ({ ...before, metadata: { ...before.metadata, ...metadata } });

describe('predicates', () => {
  test('generationChanged wants changes of the spec alone', () => {
    expect(generationChanged.updated?.(before, changed({ generation: 2 }))).toBe(true);
    expect(generationChanged.updated?.(before, changed({ labels: {} }))).toBe(false);
  });

  test('labelsChanged and annotationsChanged compare content, not identity', () => {
    expect(labelsChanged.updated?.(before, changed({ labels: { x: '1' } }))).toBe(false);
    expect(labelsChanged.updated?.(before, changed({ labels: { y: '1' } }))).toBe(true);
    expect(annotationsChanged.updated?.(before, changed({ annotations: { n: '1', m: '2' } }))).toBe(true);
    expect(annotationsChanged.updated?.(before, changed({ annotations: { n: '1' } }))).toBe(false);
  });

  test('deletionRequested wants the moment an object is asked to go', () => {
    const dying = changed({ deletionTimestamp: '2026-01-01T00:00:00Z' });
    expect(deletionRequested.updated?.(before, dying)).toBe(true);
    expect(deletionRequested.updated?.(dying, dying)).toBe(false);
  });

  test('matching looks at both sides of an update', () => {
    const predicate = matching((object) => object.metadata?.labels?.['x'] === '1');
    expect(predicate.updated?.(before, changed({ labels: {} }))).toBe(true);
    expect(predicate.updated?.(changed({ labels: {} }), changed({ labels: {} }))).toBe(false);
    expect(predicate.added?.(before)).toBe(true);
  });

  test('combine with all, any and not; an unanswered question counts as yes', () => {
    const both = allOf(generationChanged, labelsChanged);
    const either = anyOf(generationChanged, labelsChanged);
    const onlyLabels = changed({ labels: {} });
    expect(both.updated?.(before, onlyLabels)).toBe(false);
    expect(either.updated?.(before, onlyLabels)).toBe(true);
    expect(both.added?.(before)).toBe(true);
    expect(not(generationChanged).updated?.(before, onlyLabels)).toBe(true);
    expect(not(generationChanged).removed?.(before)).toBe(false);
    expect(allOf().removed?.(before)).toBe(true);
  });
});
