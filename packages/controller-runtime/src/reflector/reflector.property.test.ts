// SPDX-License-Identifier: Apache-2.0
import { KubeError } from '@operator-parts/kube';
import { seededRandom, silentLogger, VirtualClock } from '@operator-parts/ports';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { Informer } from '../informer/informer.ts';
import { ScriptedKind } from '../testing/scripted-kind.ts';
import { type Thing, thing, things } from '../testing/things.ts';

/** Long limits: thousands of runs or real connections on a possibly busy machine. */
vi.setConfig({ testTimeout: 120_000 });

/** One thing that happens to a server and its connections. */
type Happening =
  | { readonly do: 'put' | 'remove' | 'recreate'; readonly key: string }
  | {
      readonly do:
        | 'compact'
        | 'end'
        | 'cut'
        | 'garbage'
        | 'stallWatches'
        | 'bookmark'
        | 'lag'
        | 'catchUp'
        | 'uninstall'
        | 'install'
        | 'restored'
        | 'wentBack'
        | 'swapped'
        | 'overtaken';
    }
  | { readonly do: 'fail'; readonly operation: 'list' | 'watch'; readonly code: FailureCode; readonly times: number }
  | { readonly do: 'wait'; readonly time: number };

type FailureCode = 'InternalError' | 'Gone' | 'Forbidden' | 'ConnectionRefused' | 'TooManyRequests' | 'Invalid';

const happening: fc.Arbitrary<Happening> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom<'put' | 'remove' | 'recreate'>('put', 'put', 'put', 'remove', 'recreate'),
      key: fc.constantFrom('a/one', 'a/two', 'b/one'),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'compact',
        'end',
        'cut',
        'garbage',
        'stallWatches',
        'bookmark',
        'lag',
        'catchUp',
        'uninstall',
        'install',
        'restored',
        'wentBack',
        'swapped',
        'overtaken',
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('fail' as const),
      operation: fc.constantFrom('list', 'watch'),
      code: fc.constantFrom<FailureCode>(
        'InternalError',
        'Gone',
        'Forbidden',
        'ConnectionRefused',
        'TooManyRequests',
        'Invalid',
      ),
      times: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('wait' as const), time: fc.constantFrom(1, 1000, 10_000, 100_000) }),
  },
);

const acts: {
  readonly [A in Exclude<Happening['do'], 'wait'>]: (kind: ScriptedKind<Thing>, what: Happening & { do: A }) => unknown;
} = {
  put: (kind, { key }) => kind.put(thing(key)),
  remove: (kind, { key }) => kind.remove(key),
  recreate: (kind, { key }) => {
    const gone = kind.remove(key);
    return kind.put(thing(key, {}, { uid: `${gone?.metadata?.uid ?? key}'` }));
  },
  compact: (kind) => kind.compact(),
  end: (kind) => kind.disturb((stream) => stream.end()),
  cut: (kind) => kind.disturb((stream) => stream.fail(new KubeError('ConnectionLost', 'cut'))),
  garbage: (kind) => kind.disturb((stream) => stream.fail(new KubeError('BadResponse', 'half a frame'))),
  stallWatches: (kind) =>
    kind.disturb((stream) => {
      stream.stalled = true;
    }),
  bookmark: (kind) => kind.bookmark(),
  lag: (kind) => Object.assign(kind, { lagAt: 2 }),
  catchUp: (kind) => Object.assign(kind, { lagAt: undefined }),
  uninstall: (kind) => Object.assign(kind, { installed: false }),
  install: (kind) => Object.assign(kind, { installed: true }),
  // A backup is restored with --bump-revision --mark-compacted, and the server starts again.
  restored: (kind) => {
    kind.restore(kind.version / 2, { bump: true });
    kind.disturb((stream) => stream.end());
  },
  // Versions go back far, so that a view is not overtaken without being noticed. Watches stay open.
  wentBack: (kind) => kind.restore(Math.floor(kind.version / 2), { bump: false }),
  // Another server answers at the same address.
  swapped: (kind) => {
    kind.restore(Math.floor(kind.version / 2), { bump: false });
    kind.disturb((stream) => stream.end());
  },
  // Restored while the network was disconnected; by the time it is reconnected, the server has written past every
  // version that was seen.
  overtaken: (kind) => {
    const { version } = kind;
    kind.fail('list', () => new KubeError('ConnectionRefused', 'scripted'), 3);
    kind.fail('watch', () => new KubeError('ConnectionRefused', 'scripted'), 3);
    acts.cut(kind, { do: 'cut' });
    kind.restore(Math.floor(version / 2), { bump: false });
    kind.passVersions(version);
  },
  fail: (kind, { operation, code, times }) => kind.fail(operation, () => new KubeError(code, 'scripted'), times),
};

/**
 * Receives the events of an informer and records impossible ones. Objects may become older only in a view of replaced
 * data.
 */
class Witness {
  mayGoBack = false;
  readonly held = new Map<string, Thing>();
  readonly complaints: string[] = [];

  added(object: Thing): void {
    const key = `${object.metadata?.namespace}/${object.metadata?.name}`;
    if (this.held.has(key)) this.complaints.push(`${key} added twice`);
    this.held.set(key, object);
  }

  updated(before: Thing, after: Thing): void {
    const key = `${after.metadata?.namespace}/${after.metadata?.name}`;
    if (this.held.get(key) !== before) this.complaints.push(`${key} updated from what it was not`);
    if (before.metadata?.uid !== after.metadata?.uid) this.complaints.push(`${key} changed its UID`);
    if (!this.mayGoBack && Number(after.metadata?.resourceVersion) <= Number(before.metadata?.resourceVersion)) {
      this.complaints.push(`${key} went back in time`);
    }
    this.held.set(key, after);
  }

  removed(object: Thing): void {
    const key = `${object.metadata?.namespace}/${object.metadata?.name}`;
    if (!this.held.delete(key)) this.complaints.push(`${key} removed without having been added`);
  }
}

async function live(happenings: readonly Happening[], streaming: boolean, seed: number) {
  const clock = new VirtualClock();
  const kind = new ScriptedKind<Thing>(clock);
  kind.streaming = streaming;
  const witness = new Witness();
  const informer = new Informer<Thing>({
    resource: things,
    reader: kind,
    clock,
    random: seededRandom(seed),
    log: silentLogger,
    pageSize: 1,
  });
  informer.addHandler(witness);
  informer.onReplaced(() => (witness.mayGoBack = true));
  informer.onProgress(() => (witness.mayGoBack = false));
  const stop = new AbortController();
  kind.put(thing('a/one'));
  // The next version is far away, so that half of it lies in between.
  kind.passVersions(100_000);
  const ended = informer.run(stop.signal);
  for (const what of happenings) {
    if (what.do === 'wait') await clock.advance(what.time);
    else (acts[what.do] as (kind: ScriptedKind<Thing>, what: Happening) => unknown)(kind, what);
  }
  // All faults end.
  acts.catchUp(kind, { do: 'catchUp' });
  acts.install(kind, { do: 'install' });
  await clock.advance(600_000);
  const minutes = clock.monotonic() / 60_000;
  stop.abort();
  await ended;
  await clock.advance(0);
  return { clock, kind, informer, witness, minutes };
}

describe('reflector against a server that misbehaves', () => {
  test('whatever happens, it ends up with the truth, goes back in time only with the server, and never hammers it', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(happening, { maxLength: 25 }),
        fc.boolean(),
        fc.nat(1000),
        async (steps, streaming, seed) => {
          const { clock, kind, informer, witness, minutes } = await live(steps, streaming, seed);
          const held = new Map(
            informer.lister.list().map((each) => [`${each.metadata?.namespace}/${each.metadata?.name}`, each]),
          );
          expect(held).toEqual(new Map(kind.objects()));
          expect(witness.held).toEqual(held);
          expect(witness.complaints).toEqual([]);
          // A paged list of three objects needs three requests; a pause follows every failure.
          expect(kind.requests.length).toBeLessThan(30 * minutes + 5 * steps.length + 40);
          expect([kind.openWatches, clock.pendingTimers]).toEqual([0, 0]);
        },
      ),
      { numRuns: 1000 },
    );
  });
});
