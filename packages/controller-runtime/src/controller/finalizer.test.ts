// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { thing } from '../testing/things.ts';
import { addFinalizerPatch, hasFinalizer, removeFinalizerPatch } from './finalizer.ts';

const meta = { uid: 'u', resourceVersion: '5' };

describe('finalizers', () => {
  test('are added behind those of others, with the UID and version as preconditions', () => {
    const object = thing('a/one', {}, { ...meta, finalizers: ['theirs'] });
    expect(addFinalizerPatch(object, 'ours')).toEqual({
      type: 'merge',
      patch: { metadata: { uid: 'u', resourceVersion: '5', finalizers: ['theirs', 'ours'] } },
    });
  });

  test('are neither added twice nor added to an object that is being deleted', () => {
    expect(addFinalizerPatch(thing('a/one', {}, { ...meta, finalizers: ['ours'] }), 'ours')).toBeUndefined();
    expect(
      addFinalizerPatch(thing('a/one', {}, { ...meta, deletionTimestamp: '2026-01-01T00:00:00Z' }), 'ours'),
    ).toBeUndefined();
  });

  test('are removed without touching those of others', () => {
    const object = thing('a/one', {}, { ...meta, finalizers: ['ours', 'theirs'] });
    expect(hasFinalizer(object, 'ours')).toBe(true);
    expect(removeFinalizerPatch(object, 'ours')).toMatchObject({ patch: { metadata: { finalizers: ['theirs'] } } });
    expect(removeFinalizerPatch(thing('a/one'), 'ours')).toBeUndefined();
  });
});
