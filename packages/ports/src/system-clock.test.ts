// SPDX-License-Identifier: Apache-2.0
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { systemClock } from './system-clock.ts';

/** Runs a line of code with the system clock in a separate process and returns how long that ran. */
function lifetime(code: string): number {
  const text = `const { systemClock } = await import('${join(import.meta.dirname, 'system-clock.ts')}');\n${code}`;
  const started = performance.now();
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', text], { timeout: 110_000 });
  expect({ status, stderr: String(stderr) }).toEqual({ status: 0, stderr: '' });
  return performance.now() - started;
}

describe('the system clock', () => {
  test('tells the time of the machine', () => {
    expect(Math.abs(systemClock.now() - Date.now())).toBeLessThan(1000);
  });

  test('a wait longer than the longest timer of Node does not fire at once', async () => {
    let fired = false;
    const timer = systemClock.schedule(2 ** 31 + 1000, () => {
      fired = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 20));
    timer.cancel();
    expect(fired).toBe(false);
  });

  test('a background timer does not keep a finished process alive', () => {
    expect(lifetime('systemClock.schedule(600_000, () => {}, { background: true });')).toBeLessThan(100_000);
  }, 120_000);

  test('an ordinary timer does', () => {
    expect(lifetime('systemClock.schedule(300, () => {});')).toBeGreaterThan(300);
  }, 120_000);
});
