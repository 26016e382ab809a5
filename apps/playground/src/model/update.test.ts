// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { emptyState, type State } from './state.ts';
import { cluster, screen, state } from './testing/example-state.ts';
import { update } from './update.ts';

describe('a key', () => {
  const press = (key: string, from: State = state) => update(from, { kind: 'key', key });

  test.each([
    ['k', { do: 'kill', member: 'example-b' }],
    ['b', { do: 'blank', member: 'example-b' }],
    ['x', { do: 'lose', but: 'example-b' }],
    ['c', { do: 'cut', node: 'node-2' }],
    ['h', { do: 'heal', node: undefined }],
    ['r', { do: 'reboot' }],
    ['+', { do: 'resize', size: 5 }],
    ['-', { do: 'resize', size: 1 }],
    ['u', { do: 'upgrade', version: undefined }],
    ['s', { do: 'backup' }],
    ['!', { do: 'shell' }],
  ])('%s does what it says', (key, effect) => {
    expect(press(key).effect).toEqual(effect);
  });

  const sized = (size: number) => ({ ...state, cluster: { ...cluster, spec: { size } } });
  test.each([
    ['+', sized(7), 'spec.size is 7, the maximum'],
    ['-', sized(1), 'spec.size is 1, the minimum'],
    ['+', emptyState, 'there is no cluster to resize'],
    ['k', emptyState, 'there is no member to kill'],
    ['b', emptyState, 'there is no member whose data could be deleted'],
    ['c', emptyState, 'the member does not run on a node, so no node can be disconnected'],
    ['x', emptyState, 'there are no other members that could be lost'],
    ['v', state, 'v works only on a cluster that has lost its quorum'],
    ['l', state, 'there is no backup yet; press s to take one'],
    ['n', state, 'n works only on a cluster that has lost its data'],
    ['tab', state, 'there is no other cluster to switch to'],
    ['z', state, 'z is not a command; press ? for the list of keys'],
  ])('%s answers where it can do nothing', (key, from, text) => {
    const { state: next, effect } = press(key, from);
    expect(effect).toBeUndefined();
    expect(next.notes.at(-1)?.text).toBe(text);
  });

  test('resizes to the limits and not past them', () => {
    expect(press('+', sized(6)).effect).toEqual({ do: 'resize', size: 7 });
    expect(press('-', sized(2)).effect).toEqual({ do: 'resize', size: 1 });
  });

  test('acts on the first member as long as none is chosen', () => {
    expect(press('k', { ...state, selected: undefined }).effect).toEqual({ do: 'kill', member: 'example-a' });
  });

  test('moves the choice and stops at the ends', () => {
    const down = press('down').state;
    expect(down.selected).toBe('example-c');
    expect(press('down', down).state.selected).toBe('example-c');
    expect(press('up', press('up').state).state.selected).toBe('example-a');
  });

  test('waits its turn', () => {
    const busy = { ...state, busy: ['reboot'] };
    const { state: next, effect } = press('k', busy);
    expect(effect).toBeUndefined();
    expect(next.notes.at(-1)?.text).toBe('reboot is still in progress: press k again when it has finished');
    // A restore may be waiting for a disconnected node.
    expect(press('h', busy).effect).toEqual({ do: 'heal', node: undefined });
  });

  test('is busy until the last of several things has ended', () => {
    const doing = (from: State, kind: 'begun' | 'ended', what: string) => update(from, { kind, what }).state;
    const both = doing(doing(state, 'begun', 'restore'), 'begun', 'heal');
    expect(doing(both, 'ended', 'heal').busy).toEqual(['restore']);
    expect(doing(doing(both, 'ended', 'heal'), 'ended', 'restore').busy).toEqual([]);
  });

  test('q and Ctrl-C leave, ? shows help', () => {
    expect(press('q').state.isOver).toBe(true);
    expect(press('ctrl-c').state.isOver).toBe(true);
    expect(screen(press('?').state, 80, 24)).toContain('Arrows choose a member');
  });
});

test('the diary is bounded', () => {
  let current = emptyState;
  for (let count = 0; count < 500; count++)
    current = update(current, { kind: 'note', text: String(count), tone: 'plain' }).state;
  expect(current.notes.length).toBe(200);
  expect(current.notes.at(-1)?.text).toBe('499');
});
