// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { outputOf, runProgram } from './run-program.ts';

test('a program is run to its end, and what it says is kept', async () => {
  const script = 'cat; echo "$A" >&2; exit 3';
  const result = await runProgram(['sh', '-c', script], { input: 'in', environment: { ...process.env, A: 'err' } });
  expect(result).toEqual({ outcome: 'failed', status: 3, ending: '3', stdout: 'in', stderr: 'err\n' });
});

test('one that must succeed and does not is an error that says what it said', async () => {
  expect(await outputOf(['echo', 'fine'])).toBe('fine\n');
  await expect(outputOf(['sh', '-c', 'echo bad >&2; exit 1'])).rejects.toThrow('ended with 1: bad');
});

test('one that hangs is killed', async () => {
  expect(await runProgram(['sleep', '60'], { timeoutMilliseconds: 50 })).toMatchObject({
    outcome: 'failed',
    status: 137,
    ending: 'SIGKILL',
  });
});

test('one that is aborted has ended, with its child processes, before the promise rejects', async () => {
  const stop = new AbortController();
  // The child process holds the pipe: the promise settles only when both have ended.
  const running = runProgram(['sh', '-c', 'sleep 60 & wait'], { signal: stop.signal, withChildren: true });
  stop.abort(new Error('not needed any more'));
  await expect(running).rejects.toThrow('not needed any more');
  await expect(runProgram(['true'], { signal: stop.signal })).rejects.toThrow('not needed any more');
});

test('one that is not there is a result, and is named where it must succeed', async () => {
  expect(await runProgram(['no-such-program'])).toMatchObject({ outcome: 'missing', status: 127 });
  await expect(outputOf(['no-such-program'])).rejects.toThrow('no-such-program could not be run');
});

test('one that does not read its input is no trouble', async () => {
  expect((await runProgram(['true'], { input: 'x'.repeat(1_000_000) })).status).toBe(0);
});

test('of one that says too much the end is kept', async () => {
  expect(await runProgram(['seq', '1000'], { keptCharacters: 9 })).toMatchObject({ stdout: '999\n1000\n' });
});
