// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { connect } from 'node:tls';
import { selfSignedCertificate } from '@etcd-operator/tools';
import { type Client, type ConfigMap, validatingWebhookConfigurations } from '@operator-parts/kube';
import { systemClock } from '@operator-parts/ports';
import { allow, WebhookServer } from '../index.ts';

const half = 'POST /validate HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{';

/** A webhook that the API server calls for every ConfigMap with a label. It answers two at a time, slowly. */
export class BesiegedWebhook implements AsyncDisposable {
  readonly #server: WebhookServer;
  readonly #end: () => Promise<void>;
  /** How many reviews were answered. */
  reviews = 0;

  private constructor(server: WebhookServer, end: () => Promise<void>) {
    this.#server = server;
    this.#end = end;
  }

  static async start(client: Client, label: string): Promise<BesiegedWebhook> {
    const certificate = await selfSignedCertificate('webhook');
    const server = new WebhookServer({
      host: '127.0.0.1',
      port: 0,
      certificate: async () => certificate,
      maxConcurrent: 2,
    });
    const stop = new AbortController();
    let ended: Promise<void> | undefined;
    const webhook = new BesiegedWebhook(server, async () => {
      stop.abort();
      await ended;
    });
    server.validate<ConfigMap>('/validate', async () => {
      await systemClock.sleep(5);
      webhook.reviews++;
      return allow();
    });
    ended = server.run(stop.signal);
    while (server.ready() !== undefined) await systemClock.sleep(20);
    const hook = {
      name: 'churn.example.com',
      admissionReviewVersions: ['v1'],
      sideEffects: 'None' as const,
      failurePolicy: 'Fail' as const,
      clientConfig: {
        url: `https://127.0.0.1:${server.address?.port}/validate`,
        caBundle: Buffer.from(certificate.cert).toString('base64'),
      },
      objectSelector: { matchExpressions: [{ key: label, operator: 'Exists' }] },
      rules: [
        {
          apiGroups: [''],
          apiVersions: ['v1'],
          resources: ['configmaps'],
          operations: ['CREATE' as const, 'UPDATE' as const],
        },
      ],
    };
    await client.resource(validatingWebhookConfigurations).create({ metadata: { name: 'churn' }, webhooks: [hook] });
    return webhook;
  }

  /** Opens `count` connections whose bodies never end, while `action` runs. */
  async besiege(count: number, action: () => Promise<void>): Promise<void> {
    const port = this.#server.address?.port ?? 0;
    const sockets = Array.from({ length: count }, () =>
      connect({ host: '127.0.0.1', port, rejectUnauthorized: false }),
    );
    try {
      for (const socket of sockets) socket.on('error', () => undefined);
      await Promise.all(sockets.map((socket) => once(socket, 'secureConnect')));
      for (const socket of sockets) socket.write(half);
      await action();
    } finally {
      for (const socket of sockets) socket.destroy();
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#end();
  }
}
