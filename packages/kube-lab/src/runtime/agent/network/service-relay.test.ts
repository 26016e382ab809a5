// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '@etcd-operator/tools';
import { expect, test } from 'vitest';
import { ServiceRelay } from './service-relay.ts';

const uncut = { blocks: () => false, onChange: () => {} };

test('a service that is deleted and created again at once is reached at its new address', async () => {
  const endpoint = createServer((socket) => socket.end('reached'));
  endpoint.listen(0, '127.0.0.1');
  await once(endpoint, 'listening');
  const target = { host: '127.0.0.1', port: (endpoint.address() as AddressInfo).port };
  const port = await freePort();
  // The first address takes longest to remove.
  const relay = new ServiceRelay({ own: (_address, present) => sleep(present ? 20 : 50) }, uncut);
  const routeAt = (address: string, targets: readonly (typeof target)[]) => ({ address, ports: [{ port, targets }] });

  await relay.set('Service default/example', routeAt('127.0.0.2', [target]));
  await Promise.all([
    relay.set('Service default/example', undefined),
    relay.set('Service default/example', routeAt('127.0.0.3', [])),
    relay.set('Service default/example', routeAt('127.0.0.3', [target])),
  ]);

  expect(await text(connect(port, '127.0.0.3'))).toBe('reached');
  await relay.set('Service default/example', undefined);
  endpoint.close();
});
