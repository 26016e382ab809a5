// SPDX-License-Identifier: Apache-2.0
import { KubeError } from '@operator-parts/kube';
import { describe, expect, test } from 'vitest';
import { stallWatches, reflectorWorld as world } from '../testing/reflector-world.ts';
import { thing } from '../testing/things.ts';
import { ServerDataCheck } from './server-data-check.ts';

const refuse = () => new KubeError('ConnectionRefused', 'nobody there');

describe('replaced data', () => {
  test('storage restored with a bumped revision: what the new list shows wins, however old its objects are', async () => {
    for (const streaming of [true, false]) {
      const { clock, kind, told, names, lines, informer } = world({ streaming });
      kind.put(thing('a/edited'));
      kind.put(thing('a/gone-later'));
      const backup = kind.version;
      await clock.advance(10);
      kind.put(thing('a/edited', { size: 2 }));
      kind.remove('a/gone-later');
      kind.put(thing('a/made-later'));
      await clock.advance(10);
      kind.restore(backup, { bump: true });
      kind.disturb((stream) => stream.end());
      await clock.advance(10_000);
      expect(names().toSorted()).toEqual(['edited', 'gone-later']);
      expect(informer.lister.get('a/edited')?.metadata?.resourceVersion).toBe('2');
      expect(told.slice(-3)).toEqual(['~edited@4>edited@2', '+gone-later@3', '-made-later@6 unknown']);
      expect(informer.generation).toBe(1);
      expect(lines.filter(({ message }) => message.includes("the API server's data was replaced"))).toHaveLength(1);
    }
  });

  test.each(['stalled', 'event', 'bookmark'] as const)(
    'versions that go back (%s) are noticed, doubted, and taken after a few confirmations',
    async (sign) => {
      const { clock, kind, names, informer, problems } = world();
      kind.put(thing('a/kept'));
      const backup = kind.version;
      await clock.advance(10);
      kind.put(thing('a/lost'));
      kind.passVersions(100);
      kind.bookmark();
      await clock.advance(10_000);
      kind.restore(backup, { bump: false });
      // A server that is asked for changes after a version it has not reached sends nothing.
      if (sign === 'stalled') kind.disturb((stream) => stream.end());
      if (sign === 'event') kind.put(thing('a/new'));
      if (sign === 'bookmark') kind.bookmark();
      await clock.advance(1);
      expect(informer.status).toMatchObject({ phase: 'stale', problem: { kind: 'older' } });
      expect(names()).toEqual(['kept', 'lost']);
      await clock.advance(40_000);
      expect(names()).toEqual(sign === 'event' ? ['kept', 'new'] : ['kept']);
      expect(informer.status.phase).toBe('live');
      // What was noticed, and three views that were not enough.
      expect(problems('older')).toBe(4);
      kind.put(thing('a/after'));
      await clock.advance(10);
      expect(names()).toContain('after');
    },
  );

  test.each(['cut', 'stalled'] as const)(
    'storage restored and written to past the version held while the cache was away (%s) is read again',
    async (how) => {
      const { clock, kind, names, told, informer } = world();
      kind.put(thing('a/edited'));
      kind.put(thing('a/gone-later'));
      const backup = kind.version;
      await clock.advance(10);
      kind.put(thing('a/edited', { size: 2 }));
      kind.remove('a/gone-later');
      kind.put(thing('a/made-later'));
      kind.bookmark();
      await clock.advance(10);
      if (how === 'stalled') stallWatches(kind);
      else {
        kind.fail('list', refuse, 3);
        kind.fail('watch', refuse, 3);
        kind.disturb((stream) => stream.fail(refuse()));
      }
      kind.restore(backup, { bump: false });
      kind.passVersions(20);
      await clock.advance(120_000);
      expect(names().toSorted()).toEqual(['edited', 'gone-later']);
      expect(told.slice(-3)).toEqual(['~edited@4>edited@2', '+gone-later@3', '-made-later@6 unknown']);
      expect(informer.generation).toBe(1);
      expect(informer.status.phase).toBe('live');
    },
  );

  test('a restore that the cache was away for is found where a version came up twice', async () => {
    const { clock, kind, informer } = world();
    kind.put(thing('a/other'));
    kind.put(thing('a/edited'));
    const backup = kind.version;
    await clock.advance(10);
    kind.put(thing('a/edited', { size: 2 }));
    kind.put(thing('a/other', { size: 2 }));
    await clock.advance(10);
    kind.fail('list', refuse, 3);
    kind.fail('watch', refuse, 3);
    kind.disturb((stream) => stream.fail(refuse()));
    kind.restore(backup, { bump: false });
    kind.put(thing('a/edited', { size: 3 }));
    kind.passVersions(20);
    await clock.advance(120_000);
    expect(informer.lister.get('a/edited')?.spec).toEqual({ size: 3 });
    expect(informer.lister.get('a/edited')?.metadata?.resourceVersion).toBe('4');
  });

  test('a watch that breaks off is not resumed: within the shortest pause storage can be restored and written to', async () => {
    const { clock, kind, names, operations } = world();
    kind.put(thing('a/one'));
    await clock.advance(10_000);
    kind.put(thing('a/two'));
    await clock.advance(10);
    kind.disturb((stream) => stream.fail(refuse()));
    kind.put(thing('a/three'));
    await clock.advance(3000);
    expect(names()).toEqual(['one', 'two', 'three']);
    expect(operations()).toEqual(['stream', 'look', 'stream']);
  });

  test('an older view is believed at its third confirmation, and starts again when it gets older still', () => {
    const check = new ServerDataCheck();
    expect(check.judge('100')).toBe('same');
    const verdicts = ['50', '50', '51', '40', '41', '41', '99'].map((version) => check.judge(version));
    expect(verdicts).toEqual(['older', 'older', 'older', 'older', 'older', 'older', 'replaced']);
    expect(check.judge('98')).toBe('older');
    expect(check.judge('99')).toBe('same');
    expect(check.doubted).toBe(false);
  });
});
