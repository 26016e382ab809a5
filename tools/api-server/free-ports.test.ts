// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { freePorts } from './free-ports.ts';

test('free ports are all different, nothing listens on them, and the kernel assigns none of them to connections', async () => {
  const ports = [...(await freePorts(20)), ...(await freePorts(20))];
  expect(new Set(ports).size).toBe(40);
  // The default start of a kernel's ephemeral port range: 32768.
  expect(Math.max(...ports)).toBeLessThan(30_000);
  for (const port of ports) {
    const listening = createServer().listen(port, '127.0.0.1');
    await once(listening, 'listening');
    listening.close();
  }
});
