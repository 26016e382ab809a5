// SPDX-License-Identifier: Apache-2.0
import type { Endpoints, KubeObject, Lease } from '@operator-parts/kube';
import { VirtualClock } from '@operator-parts/ports';
import { beforeEach, expect, test } from 'vitest';
import { Claims } from './claims.ts';

let clock: VirtualClock;
let claims: Claims;
let lease: Lease | undefined;
let lock: Endpoints | undefined;
let lag: number;

function cacheOf<T extends KubeObject>(get: () => T | undefined) {
  return {
    lister: { get, list: () => [], byIndex: () => [], size: 0 } as never,
    get status() {
      return { phase: 'stale' as const, sinceContact: 0, lag };
    },
  };
}

beforeEach(() => {
  clock = new VirtualClock();
  [lease, lock, lag] = [undefined, undefined, 0];
  claims = new Claims({ clock, name: 'etcd-operator', leases: cacheOf(() => lease), locks: cacheOf(() => lock) });
});

const heldBy = (holderIdentity: string, renewTime: string): Lease => ({
  metadata: { namespace: 'n', name: 'etcd-operator' },
  spec: { holderIdentity, renewTime, leaseDurationSeconds: 15 },
});
const kind = () => claims.of('n').kind;

test('a namespace without a Lease is claimed by no operator', () => {
  expect(kind()).toBe('none');
});

test('a Lease claims it while it is renewed, and for a minute longer', async () => {
  for (let second = 0; second < 60; second += 2) {
    lease = heldBy('one', `t${second}`);
    expect(kind()).toBe('held');
    await clock.advance(2000);
  }
  await clock.advance(12_000);
  expect(kind()).toBe('held');
  await clock.advance(1000);
  expect(claims.of('n')).toEqual({ kind: 'lapsed', by: 'the operator one in namespace n' });
  await clock.advance(59_000);
  expect(kind()).toBe('lapsed');
  await clock.advance(1000);
  expect(kind()).toBe('none');
});

test('a Lease that was released may be taken again by the next pod of its operator', async () => {
  lease = heldBy('one', 't0');
  expect(kind()).toBe('held');
  lease = heldBy('', 't1');
  expect(kind()).toBe('lapsed');
  await clock.advance(30_000);
  lease = heldBy('two', 't2');
  expect(kind()).toBe('held');
  lease = heldBy('', 't3');
  expect(kind()).toBe('lapsed');
  await clock.advance(60_000);
  expect(kind()).toBe('none');
});

test('the lock of a CoreOS operator counts as well', async () => {
  const key = 'control-plane.alpha.kubernetes.io/leader';
  lock = { metadata: { annotations: { [key]: JSON.stringify({ holderIdentity: 'old-1', renewTime: 't' }) } } };
  expect(claims.of('n')).toEqual({ kind: 'held', by: 'the CoreOS operator old-1 in namespace n' });
  await clock.advance(76_000);
  expect(kind()).toBe('none');
});

test('a cache that lost its connection tells what it knows for as long as a watch may send nothing', () => {
  lag = 100_000;
  expect(kind()).toBe('none');
  lag = 100_001;
  expect(kind()).toBe('unknown');
});

test('a Lease that was deleted may be made again by who held it', async () => {
  lease = heldBy('one', 't0');
  expect(kind()).toBe('held');
  lease = undefined;
  expect(kind()).toBe('lapsed');
  await clock.advance(59_000);
  expect(kind()).toBe('lapsed');
  await clock.advance(1000);
  expect(kind()).toBe('none');
});
