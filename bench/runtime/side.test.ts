// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { Side } from './side.ts';

const never = new AbortController().signal;
const program = (source: string) => [process.execPath, '--input-type=module', '--eval', source];
const echo = `
  import { createInterface } from 'node:readline';
  console.log('{"ready":1}');
  for await (const word of createInterface(process.stdin)) console.log(JSON.stringify({ letters: word.length }));
`;

test('a side answers each word, shows its memory, and ends with its input', async () => {
  await using side = await Side.start(program(echo), {}, never);
  expect(await side.tell('four')).toEqual({ letters: 4 });
  expect(await side.tell('seventeen letters')).toEqual({ letters: 17 });
  expect(await side.settledMegabytes()).toBeGreaterThan(1);
  expect(side.peakMegabytes()).toBeGreaterThan(1);
});

test('a side that ends early is an error that says what it said last', async () => {
  const source = `console.log('{}'); console.error('out of luck'); process.stdin.once('data', () => process.exit(1));`;
  await using side = await Side.start(program(source), {}, never);
  await expect(side.tell('go')).rejects.toThrow(/ended at "go": out of luck/);
});

test('a program that is not there is an error', async () => {
  await expect(Side.start(['no-such-program-anywhere'], {}, never)).rejects.toThrow(/ENOENT/);
});
