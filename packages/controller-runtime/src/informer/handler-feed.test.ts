// SPDX-License-Identifier: Apache-2.0
import { nextTurn, systemClock } from '@operator-parts/ports';
import { expect, test } from 'vitest';
import { type Thing, thing } from '../testing/things.ts';
import { news } from './event-handler.ts';
import { HandlerFeed } from './handler-feed.ts';

test('an asynchronous handler that waits for nothing does not keep the event loop from turning', async () => {
  let heard = 0;
  const added = async () => {
    heard++;
    for (const end = performance.now() + 1; performance.now() < end; );
  };
  const feed = new HandlerFeed<Thing>({ added }, (error) => expect.unreachable(String(error)), systemClock);
  for (let index = 0; index < 200; index++) feed.added(`a/${index}`, thing(`a/${index}`), news);
  let turns = 0;
  for (; heard < 200; turns++) await nextTurn();
  // 200 ms of work with a turn about every 10 ms. A busy machine does less per stretch, not more.
  expect(turns).toBeGreaterThan(10);
});
