// SPDX-License-Identifier: Apache-2.0
import { networkInterfaces } from 'node:os';
import { createLogger, systemClock } from '@operator-parts/ports';
import { expect, test } from 'vitest';
import { HttpEndpoint, plain } from './http-endpoint.ts';

/** This machine: 127.0.0.1, and ::1 if it has IPv6. */
const loopbacks = (networkInterfaces()['lo'] ?? []).map(({ address }) => address);

test('without a host it answers at every address, of both IP families where the machine has them', async () => {
  const log = createLogger({ clock: systemClock, write: () => undefined });
  const endpoint = new HttpEndpoint({ port: 0 }, new Map([['/readyz', () => plain(200, 'ok\n')]]), log);
  await endpoint.listen();
  try {
    expect(loopbacks.length).toBeGreaterThan(0);
    for (const address of loopbacks) {
      const host = address.includes(':') ? `[${address}]` : address;
      const answer = await fetch(`http://${host}:${endpoint.address?.port}/readyz`);
      expect([address, await answer.text()]).toEqual([address, 'ok\n']);
    }
  } finally {
    await endpoint.close();
  }
});
