// SPDX-License-Identifier: Apache-2.0
import { duplexPair } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { VirtualClock } from '@operator-parts/ports';
import { expect, onTestFinished, test } from 'vitest';
import { Connection } from './connection.ts';

const limits = { idleMs: 30_000, keepaliveMs: 20_000, pingTimeoutMs: 2_000, windowBytes: 1024 * 1024 };

test.each([0, 1, 2, 3])('a connection that is given up %i ticks after it was made ends quietly', async (ticks) => {
  const thrown: unknown[] = [];
  const note = (error: unknown) => thrown.push(error);
  process.prependListener('uncaughtException', note);
  onTestFinished(() => void process.off('uncaughtException', note));
  const connection = new Connection(duplexPair()[0], 'http://[fd00::7]:2379', new VirtualClock(), limits);
  for (let tick = 0; tick < ticks; tick++) await new Promise<void>((resolve) => process.nextTick(resolve));
  connection.retire();
  for (let turn = 0; turn < 3; turn++) await setImmediate();
  expect([connection.usable, thrown]).toEqual([false, []]);
});
