// SPDX-License-Identifier: Apache-2.0
import { VirtualClock } from '@operator-parts/ports';
import { expect, test } from 'vitest';
import { DelayStream } from './delay-stream.ts';

test('every piece comes late by the same time, and so does the end', async () => {
  const clock = new VirtualClock();
  const stream = new DelayStream(clock, 100);
  const seen: string[] = [];
  stream.on('data', (chunk: Buffer) => seen.push(`${clock.monotonic()} ${chunk}`));
  stream.on('end', () => seen.push(`${clock.monotonic()} end`));
  stream.write('a');
  await clock.advance(50);
  stream.write('b');
  stream.end();
  await clock.advance(200);
  expect(seen).toEqual(['100 a', '150 b', '150 end']);
});

test('a sender that sends too much at once has to wait', async () => {
  const clock = new VirtualClock();
  const stream = new DelayStream(clock, 1000);
  const megabyte = Buffer.alloc(1024 * 1024);
  let taken = 0;
  stream.resume();
  for (let count = 0; count < 8; count++) stream.write(megabyte, () => (taken += 1));
  await clock.advance(10);
  expect(taken).toBe(3);
  await clock.advance(3000);
  expect(taken).toBe(8);
});
