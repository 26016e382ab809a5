// SPDX-License-Identifier: Apache-2.0
import { createClient } from '@etcd-operator/kube';
import { createApiServer } from '@etcd-operator/kube-lab';
import { VirtualClock } from '@etcd-operator/ports';
import { expect, test } from 'vitest';
import { watchStatus } from './watch-status.ts';

test('a status is printed again when it changes, until it is interrupted', async () => {
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
  const read = async () => ({ data: '', lines: () => [told.shift() ?? 'two, 7 s ago'] });
  const ended = watchStatus(
    access,
    read,
    (report) => `${report.lines(false)[0]}\n`,
    (text) => {
      out += text;
    },
  );
  await clock.advance(9_000);
  stop.abort();
  await ended;
  expect(out).toBe('one, 1 s ago\n\ntwo, 5 s ago\n');
  await transport.close();
});
