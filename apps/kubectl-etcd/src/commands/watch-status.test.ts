// SPDX-License-Identifier: Apache-2.0
import { createClient } from '@operator-parts/kube';
import { createApiServer } from '@operator-parts/kube-lab';
import { VirtualClock } from '@operator-parts/ports';
import { expect, test } from 'vitest';
import { watchStatus } from './watch-status.ts';

test.each([
  ['text', 'one, 1 s ago\n\ntwo, 5 s ago\n'],
  ['json', '"one, 1 s ago"\n\n"two, 5 s ago"\n'],
  ['yaml', 'one, 1 s ago\n---\ntwo, 5 s ago\n'],
] as const)('a status is printed again when it changes, until it is interrupted: -o %s', async (format, printed) => {
  const clock = new VirtualClock();
  const transport = createApiServer({}).transport();
  const stop = new AbortController();
  const access = {
    client: createClient(transport),
    transport,
    namespace: 'default',
    clock,
    signal: stop.signal,
    tell: () => undefined,
  };
  const told = ['one, 1 s ago', 'one, 3 s ago', 'two, 5 s ago'];
  let out = '';
  const read = async () => {
    const words = told.shift() ?? 'two, 7 s ago';
    return { data: words, lines: () => [words] };
  };
  const ended = watchStatus(access, read, format, (text) => {
    out += text;
  });
  await clock.advance(9_000);
  stop.abort();
  await ended;
  expect(out).toBe(printed);
  await transport.close();
});
