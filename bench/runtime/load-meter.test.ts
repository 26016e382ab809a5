// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { startMeter } from './load-meter.ts';

test('what our own processes do is not load from elsewhere', async () => {
  const stop = await startMeter();
  const child = spawn(process.execPath, ['--eval', 'for (const end = Date.now() + 300; Date.now() < end; );']);
  await once(child, 'exit');
  const cores = await stop();
  expect(cores).toBeGreaterThanOrEqual(0);
  expect(cores).toBeLessThan(1024);
});
