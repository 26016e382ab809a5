// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { part, thing, things } from '../testing/things.ts';
import { controllerOf, isControlledBy, refersTo, setControllerReference } from './owner-reference.ts';

const owner = thing('a/one', {}, { uid: 'u-1' });

describe('owner references', () => {
  test('make the owner the controller, and keep other references', () => {
    const friend = { apiVersion: 'v1', kind: 'Friend', name: 'f', uid: 'u-f' };
    const owned = setControllerReference(part('a/p', { ownerReferences: [friend] }), owner, things);
    expect(owned.metadata?.ownerReferences).toEqual([
      friend,
      {
        apiVersion: 'lab.example/v1',
        kind: 'Thing',
        name: 'one',
        uid: 'u-1',
        controller: true,
        blockOwnerDeletion: true,
      },
    ]);
    expect(isControlledBy(owned, owner)).toBe(true);
    expect(isControlledBy(owned, thing('a/one', {}, { uid: 'u-2' }))).toBe(false);
  });

  test('setting them twice changes nothing, and arguments are never modified', () => {
    const object = part('a/p');
    const once = setControllerReference(object, owner, things);
    expect(setControllerReference(once, owner, things)).toEqual(once);
    expect(object).toEqual(part('a/p'));
  });

  test('what another object controls is not taken over', () => {
    const taken = setControllerReference(part('a/p'), thing('a/two', {}, { uid: 'u-2' }), things);
    expect(() => setControllerReference(taken, owner, things)).toThrow(/already controlled by Thing two/);
  });

  test('an owner in another namespace, or one that was not read from the API, is refused', () => {
    expect(() => setControllerReference(part('b/p'), owner, things)).toThrow(/not in the namespace/);
    expect(() => setControllerReference(part('a/p'), thing('a/one'), things)).toThrow(/no UID/);
  });

  test('fault R22: a reference is recognised by group and kind, in whatever version it was written', () => {
    const reference = { kind: 'Thing', name: 'one', uid: 'u-1', controller: true };
    expect(refersTo({ ...reference, apiVersion: 'lab.example/v1beta2' }, things)).toBe(true);
    expect(refersTo({ ...reference, apiVersion: 'other.example/v1' }, things)).toBe(false);
    expect(refersTo({ ...reference, apiVersion: 'v1' }, things)).toBe(false);
    expect(controllerOf(part('a/p'))).toBeUndefined();
  });
});
