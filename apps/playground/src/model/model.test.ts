// SPDX-License-Identifier: Apache-2.0
import type { EtcdCluster } from '@etcd-operator/operator';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { plainText } from '../terminal/line.ts';
import { emptyState, type State } from './state.ts';
import { update } from './update.ts';
import { view } from './view.ts';

const cluster: EtcdCluster = {
  apiVersion: 'etcd.database.coreos.com/v1beta2',
  kind: 'EtcdCluster',
  metadata: { name: 'example', namespace: 'default' },
  spec: { size: 3 },
  status: {
    phase: 'Running',
    readySize: 2,
    currentVersion: '3.6.16',
    memberDetails: [
      { name: 'example-a', role: 'Leader', version: '3.6.16', revision: 7, databaseSize: 20480, healthy: true },
      { name: 'example-b', role: 'Follower', version: '3.6.16', revision: 7, databaseSize: 20480, healthy: true },
      { name: 'example-c', role: 'Unknown', healthy: false, reason: 'its pod is gone' },
    ],
    plan: { next: ['example-d joins: the cluster has 2 of 3 members'], waitingFor: [] },
  },
};

const state: State = {
  ...emptyState,
  now: 12.34,
  cluster,
  placement: new Map([
    ['example-a', 'node-1'],
    ['example-b', 'node-2'],
  ]),
  nodes: [
    { name: 'node-1', isReady: true, isCut: false },
    { name: 'node-2', isReady: true, isCut: true },
  ],
  notes: [{ at: 11.9, text: 'you killed example-c', tone: 'bad' }],
  selected: 'example-b',
};

const screen = (of: State, columns: number, rows: number) => view(of, { columns, rows }).map(plainText).join('\n');

describe('the screen', () => {
  test('shows members, nodes, what the operator does and why, and the keys', () => {
    expect(screen(state, 110, 18)).toBe(
      `\
 etcd-operator playground  example  Running  2 of 3 ready  etcd 3.6.16                                   12 s
${'─'.repeat(110)}
  MEMBER     ROLE      VERSION  REVISION  SIZE    HEALTH       NODE    WHY
  example-a  leader    3.6.16   7         20 KiB  healthy      node-1
> example-b  follower  3.6.16   7         20 KiB  healthy      node-2
  example-c  unknown   -        -         -       not healthy  -       its pod is gone

 Nodes  node-1 ready  node-2 cut off

 The operator
  does example-d joins: the cluster has 2 of 3 members

 What happened
    11.9 s  you killed example-c


 k kill  b blank  c cut  h heal  r reboot  +- resize  u upgrade  s back up  l restore  ! shell  ? help
 q quit`,
    );
  });

  test('before there is anything says so', () => {
    const text = screen(emptyState, 80, 12);
    expect(text).toContain('Starting');
    expect(text).toContain('no members yet');
  });

  test('in a small terminal leaves out what matters least', () => {
    const text = screen(state, 60, 14);
    expect(text).toContain('example-c  unknown   not healthy  its pod is gone');
    expect(text).not.toContain('REVISION');
    expect(text).toContain('q quit');
  });

  test('fits into every terminal', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 200 }),
        fc.integer({ min: 1, max: 60 }),
        fc.boolean(),
        (columns, rows, help) => {
          const lines = view({ ...state, isHelpShown: help, hints: ['x'.repeat(90)] }, { columns, rows });
          expect(lines.length).toBeLessThanOrEqual(rows);
          expect(lines.filter((line) => line.reduce((sum, { text }) => sum + text.length, 0) > columns)).toEqual([]);
        },
      ),
    );
  });
});

describe('a key', () => {
  const press = (key: string, from: State = state) => update(from, { kind: 'key', key });

  test.each([
    ['k', { do: 'kill', member: 'example-b' }],
    ['b', { do: 'blank', member: 'example-b' }],
    ['c', { do: 'cut', node: 'node-2' }],
    ['h', { do: 'heal', node: undefined }],
    ['r', { do: 'reboot' }],
    ['+', { do: 'resize', size: 5 }],
    ['-', { do: 'resize', size: 1 }],
    ['u', { do: 'upgrade', version: undefined }],
    ['s', { do: 'backup' }],
    ['l', { do: 'restore' }],
    ['!', { do: 'shell' }],
    ['z', undefined],
  ])('%s does what it says', (key, effect) => {
    expect(press(key).effect).toEqual(effect);
  });

  test('acts on the first member as long as none is chosen, and on nothing if there is none', () => {
    expect(press('k', { ...state, selected: undefined }).effect).toEqual({ do: 'kill', member: 'example-a' });
    expect(press('k', emptyState).effect).toBeUndefined();
  });

  test('moves the choice and stops at the ends', () => {
    const down = press('down').state;
    expect(down.selected).toBe('example-c');
    expect(press('down', down).state.selected).toBe('example-c');
    expect(press('up', press('up').state).state.selected).toBe('example-a');
  });

  test('waits its turn', () => {
    const { state: next, effect } = press('k', { ...state, busy: 'rebooting' });
    expect(effect).toBeUndefined();
    expect(next.notes.at(-1)?.text).toBe('still busy: rebooting');
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
