// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { PeerTraffic } from './peer-traffic.ts';

const bytes = (b: number, c: number) => new Map(Object.entries({ b, c }));

test('a first reading tells nothing', () => {
  expect(new PeerTraffic().note('a', bytes(10, 10), 0)).toBeUndefined();
});

test('a peer that has sent bytes since the previous reading is heard from, one that has not is not', () => {
  const traffic = new PeerTraffic();
  traffic.note('a', bytes(10, 10), 0);
  expect(traffic.note('a', bytes(30, 10), 2_000)).toEqual(new Set(['b']));
});

test('a reading that follows too soon says what the one before said', () => {
  const traffic = new PeerTraffic();
  traffic.note('a', bytes(10, 10), 0);
  traffic.note('a', bytes(30, 10), 2_000);
  expect(traffic.note('a', bytes(30, 10), 2_300)).toEqual(new Set(['b']));
  expect(traffic.note('a', bytes(30, 10), 4_000)).toEqual(new Set());
});

test('growth since a reading of long ago does not tell which peers run now', () => {
  const traffic = new PeerTraffic();
  traffic.note('a', bytes(10, 10), 0);
  expect(traffic.note('a', bytes(30, 30), 120_000)).toBeUndefined();
});

test('a process that was started meanwhile counts from nothing', () => {
  const traffic = new PeerTraffic();
  traffic.note('a', bytes(1_000, 1_000), 0);
  expect(traffic.note('a', bytes(20, 0), 2_000)).toEqual(new Set(['b']));
});

test('a pod that is gone is forgotten', () => {
  const traffic = new PeerTraffic();
  traffic.note('a', bytes(10, 10), 0);
  traffic.forgetAllBut(new Set());
  expect(traffic.note('a', bytes(30, 10), 2_000)).toBeUndefined();
});
