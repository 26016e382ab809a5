// SPDX-License-Identifier: Apache-2.0
import { VirtualClock } from '@operator-parts/ports';
import { expect, test } from 'vitest';
import { FileCache } from './file-cache.ts';

function cache() {
  const clock = new VirtualClock();
  const state = { text: 'one' as string | undefined, reads: 0 };
  const readFile = async () => {
    state.reads++;
    if (state.text === undefined) throw new Error('ENOENT');
    return state.text;
  };
  return { clock, state, files: new FileCache({ readFile, clock }) };
}

test('a file is read once a minute at most, and followed when it changes', async () => {
  const { clock, state, files } = cache();
  expect(await files.read('/f', 'x')).toBe('one');
  state.text = 'two';
  await clock.advance(59_999);
  expect(await files.read('/f', 'x')).toBe('one');
  await clock.advance(1);
  expect(await files.read('/f', 'x')).toBe('two');
  expect(state.reads).toBe(2);
});

test('forgetting makes the next read a fresh one', async () => {
  const { state, files } = cache();
  await files.read('/f', 'x');
  state.text = 'two';
  files.forget();
  expect(await files.read('/f', 'x')).toBe('two');
});

test('a file that vanishes for a while keeps its last content; one that was never there is an error', async () => {
  const { clock, state, files } = cache();
  await files.read('/f', 'x');
  state.text = undefined;
  await clock.advance(60_000);
  expect(await files.read('/f', 'x')).toBe('one');
  await expect(files.read('/g', 'context "dev"')).rejects.toThrow('context "dev": cannot read /g (ENOENT)');
});
