// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { WaitingBodies } from './waiting-bodies.ts';

describe('bodies that wait', () => {
  test('hold no more than the limit together: the one that arrives for longest makes room', () => {
    const bodies = new WaitingBodies(100);
    const gone: string[] = [];
    const [empty, slow, next] = ['empty', 'slow', 'next'].map((name) => bodies.begin(() => gone.push(name)));
    empty?.more(0);
    slow?.more(60);
    next?.more(40);
    expect(gone).toEqual([]);
    next?.more(10);
    expect(gone).toEqual(['slow']);
    slow?.end();
    next?.end();
    const last = bodies.begin(() => gone.push('last'));
    last.more(100);
    expect(gone).toEqual(['slow']);
  });

  test('a complete body that waits for its turn is dropped only if there is nothing else to drop', () => {
    const bodies = new WaitingBodies(100);
    const gone: string[] = [];
    const [first, second, arriving] = ['first', 'second', 'arriving'].map((name) =>
      bodies.begin(() => gone.push(name)),
    );
    for (const body of [first, second]) {
      body?.more(40);
      body?.complete();
    }
    arriving?.more(20);
    bodies.begin(() => gone.push('last')).more(15);
    expect(gone).toEqual(['arriving']);
    second?.more(20);
    expect(gone).toEqual(['arriving', 'last']);
    bodies.begin(() => gone.push('another')).more(10);
    expect(gone).toEqual(['arriving', 'last', 'first']);
  });
});
