// SPDX-License-Identifier: Apache-2.0
import { freePort, selfSignedCertificate } from '@etcd-operator/tools';
import { expect, test, vi } from 'vitest';
import { ApiServerScene } from './testing/api-server-scene.ts';

test('with metrics over TLS the port of the probes tells none', async () => {
  await using scene = await ApiServerScene.open();
  const [port, secure] = [await freePort(), await freePort()];
  const certificate = await selfSignedCertificate('metrics');
  const host = '127.0.0.1';
  scene.start({
    http: { host, port },
    secureMetrics: { host, port: secure, certificate: async () => certificate },
  });
  const statusOf = async (path: string) => (await fetch(`http://${host}:${port}${path}`)).status;
  await vi.waitFor(async () => expect(await statusOf('/readyz')).toBe(200), { timeout: 60_000 });
  expect(await statusOf('/metrics')).toBe(404);
  // A server with TLS listens there, with a certificate that the client does not trust yet.
  await expect(fetch(`https://${host}:${secure}/metrics`)).rejects.toMatchObject({
    cause: { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' },
  });
});
