// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { runOrFail, runProgram } from './run-program.ts';

test('a program is run to its end, and what it says is kept', async () => {
  const script = 'cat; echo "$A" >&2; exit 3';
  const result = await runProgram(['sh', '-c', script], { input: 'in', environment: { A: 'err' } });
  expect(result).toEqual({ status: 3, stdout: 'in', stderr: 'err\n' });
});

test('one that must succeed and does not is an error that says what it said', async () => {
  expect(await runOrFail(['echo', 'fine'])).toBe('fine\n');
  await expect(runOrFail(['sh', '-c', 'echo bad >&2; exit 1'])).rejects.toThrow('ended with 1: bad');
});

test('one that hangs is killed', async () => {
  expect((await runProgram(['sleep', '60'], { timeoutMilliseconds: 50 })).status).toBe(137);
});

test('one that is not there is named', async () => {
  await expect(runProgram(['no-such-program'])).rejects.toThrow('no-such-program could not be run');
});

test('one that does not read its input is no trouble', async () => {
  expect((await runProgram(['true'], { input: 'x'.repeat(1_000_000) })).status).toBe(0);
});
