// SPDX-License-Identifier: Apache-2.0
import { createClient } from '@operator-parts/kube';
import { seededRandom, silentLogger, VirtualClock } from '@operator-parts/ports';
import { describe, expect, test } from 'vitest';
import { Informer } from '../informer/informer.ts';
import { answerOf, frame, listEnd, ScriptedWire } from '../testing/scripted-wire.ts';
import { thing, things } from '../testing/things.ts';

const large = thing('a/large', {}, { uid: 'u', resourceVersion: '5', annotations: { text: 'x'.repeat(1000) } });

describe('a large object on a slow link', () => {
  test.each([
    { streaming: true, how: 'as an event' },
    { streaming: false, how: 'in a page of a list' },
  ])(
    'is delivered $how, however long its bytes take: the idle limit counts silence, not events',
    async ({ streaming }) => {
      const clock = new VirtualClock();
      async function* trickle(text: string, signal: AbortSignal | undefined) {
        for (let start = 0; start < text.length; start += 200) {
          yield text.slice(start, start + 200);
          await clock.sleep(60_000, signal);
        }
        await clock.sleep(3_600_000, signal);
      }
      const page = JSON.stringify({ kind: 'ThingList', metadata: { resourceVersion: '5' }, items: [large] });
      const wire = new ScriptedWire(({ signal }, url) => {
        if (url.searchParams.has('watch')) {
          return answerOf(200, trickle(streaming ? frame('ADDED', large) + listEnd('5') : '', signal));
        }
        return answerOf(200, endsAfter(trickle(page, signal), page.length));
      });
      const informer = new Informer({
        resource: things,
        reader: createClient(wire, { clock }).resource(things),
        clock,
        random: seededRandom(1),
        log: silentLogger,
        streaming,
      });
      const stop = new AbortController();
      const ended = informer.run(stop.signal);
      await clock.advance(7 * 60_000);
      expect(informer.lister.get('a/large')?.metadata?.annotations?.['text']).toHaveLength(1000);
      const lists = wire.requests.filter((request) => /sendInitialEvents|limit=500/.test(request));
      expect(lists).toHaveLength(1);
      stop.abort();
      await ended;
    },
  );
});

/** The pieces up to a given length: an answer that ends. */
async function* endsAfter(pieces: AsyncIterable<string>, length: number) {
  let size = 0;
  for await (const piece of pieces) {
    yield piece;
    size += piece.length;
    if (size >= length) return;
  }
}
