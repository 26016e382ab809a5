// SPDX-License-Identifier: Apache-2.0
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, VirtualClock } from '@operator-parts/ports';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { LogOptions } from '../../server/node-proxy.ts';
import { LogIndex } from './log-index.ts';
import { type LogSource, readLog } from './log-stream.ts';

let directory: string;
let file: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kube-lab-test-'));
  file = join(directory, '0.log');
});

afterEach(() => rm(directory, { recursive: true, force: true }));

const fixed = { timeOf: () => Date.parse('2026-01-01T00:00:00Z'), offsetSince: () => 0 };
const source = (isOpen = () => false): LogSource => ({ file, index: fixed, isOpen });

async function read(options: Partial<LogOptions> = {}, from: LogSource = source()): Promise<string> {
  let text = '';
  const selection = { follow: false, timestamps: false, ...options };
  for await (const bytes of readLog(from, selection, systemClock, new AbortController().signal)) {
    text += Buffer.from(bytes).toString();
  }
  return text;
}

test('the last lines of a log are those that `tail -n` shows', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: fc.constantFrom('a', 'b', ' ') })),
      fc.boolean(),
      fc.nat(8),
      async (lines, endsWithNewline, count) => {
        const text = lines.join('\n') + (endsWithNewline && lines.length > 0 ? '\n' : '');
        await writeFile(file, text);
        const all = text === '' ? [] : text.replace(/\n$/, '').split('\n');
        const expected = count === 0 ? '' : all.slice(-count).join('\n') + (text.endsWith('\n') ? '\n' : '');
        expect(await read({ tailLines: count })).toBe(expected);
      },
    ),
    { numRuns: 100 },
  );
});

test('tailing goes back over more than one piece', async () => {
  await writeFile(file, `first\n${'x'.repeat(200_000)}\nlast\n`);
  expect(await read({ tailLines: 1 })).toBe('last\n');
  expect((await read({ tailLines: 3 })).slice(0, 6)).toBe('first\n');
});

test('a limit cuts the log anywhere', async () => {
  await writeFile(file, 'one\ntwo\n');
  expect(await read({ limitBytes: 5 })).toBe('one\nt');
});

test('every line gets its time, a last one without newline too', async () => {
  await writeFile(file, 'one\ntwo');
  expect(await read({ timestamps: true })).toBe(
    '2026-01-01T00:00:00.000000000Z one\n2026-01-01T00:00:00.000000000Z two',
  );
});

test('following ends when the run has ended and everything is read', async () => {
  await writeFile(file, 'one\n');
  let open = true;
  const following = read(
    { follow: true },
    source(() => open),
  );
  await new Promise((resolve) => setTimeout(resolve, 80));
  await appendFile(file, 'two\n');
  open = false;
  expect(await following).toBe('one\ntwo\n');
});

test('the index knows when a part of a log was written', async () => {
  const clock = new VirtualClock();
  await writeFile(file, 'one\n');
  const index = new LogIndex(file, clock);
  await clock.advance(60_000);
  await appendFile(file, 'two\n');
  index.close();
  expect(index.timeOf(0)).toBe(Date.parse('2026-01-01T00:00:00Z'));
  expect(index.timeOf(4)).toBe(Date.parse('2026-01-01T00:01:00Z'));
  const selected = { ...source(), index };
  const since = await read({ sinceTime: '2026-01-01T00:00:30Z' }, selected);
  expect(since).toBe('two\n');
});
