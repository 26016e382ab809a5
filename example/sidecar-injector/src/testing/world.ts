// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { connect } from 'node:tls';
import { freePort } from '@etcd-operator/tools';
import {
  type Client,
  createClient,
  type MutatingWebhookConfiguration,
  mutatingWebhookConfigurations,
} from '@operator-parts/kube';
import { type ApiServer, createApiServer } from '@operator-parts/kube-lab';
import { createLogger, systemClock } from '@operator-parts/ports';
import { runSidecarInjector, type SidecarInjectorOptions } from '../sidecar-injector.ts';
import { apply, localConfiguration } from './manifests.ts';

/** The account of deploy/rbac.yaml: the injector has only its rights. */
const account = {
  user: 'system:serviceaccount:default:sidecar-injector',
  groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
  client: 'sidecar-injector',
};

/** A cluster with the injector, all in this process. */
export interface World extends AsyncDisposable {
  readonly server: ApiServer;
  /** The client of a user with kubectl. */
  readonly client: Client;
  readonly lines: readonly string[];
  /** Installs the configuration of deploy/webhook.yaml with this process as target. */
  installWebhook(failurePolicy?: 'Fail' | 'Ignore'): Promise<void>;
  configuration(): Promise<MutatingWebhookConfiguration>;
  /** The fingerprint of the serving certificate of a new connection. */
  servedCertificate(): Promise<string>;
  startInjector(options?: Partial<SidecarInjectorOptions>): void;
  stopInjector(): Promise<void>;
}

export async function createWorld(server = createApiServer()): Promise<World> {
  const client = createClient(server.transport());
  const port = await freePort();
  const lines: string[] = [];
  const log = createLogger({ clock: systemClock, write: ({ message }) => lines.push(message) });
  const api = client.resource(mutatingWebhookConfigurations);
  let running: { readonly stop: AbortController; readonly ended: Promise<void> } | undefined;
  const stopInjector = async () => {
    running?.stop.abort();
    await running?.ended;
    running = undefined;
  };
  const configuration = () => api.get({ name: 'sidecar-injector' });
  await apply(client, 'deploy/rbac.yaml');
  return {
    server,
    client,
    lines,
    async installWebhook(failurePolicy = 'Fail') {
      await api.create(localConfiguration(port, failurePolicy));
    },
    configuration,
    async servedCertificate() {
      const [webhook] = (await configuration()).webhooks ?? [];
      const ca = Buffer.from(webhook?.clientConfig.caBundle ?? '', 'base64');
      const socket = connect({ host: '127.0.0.1', port, ca });
      await once(socket, 'secureConnect');
      const { fingerprint256 } = socket.getPeerCertificate();
      socket.destroy();
      return fingerprint256;
    },
    startInjector(options = {}) {
      const stop = new AbortController();
      const parts = {
        client: createClient(server.transport(account)),
        log,
        namespace: 'default',
        listen: { host: '127.0.0.1', port },
        settlingTime: 50,
      };
      running = { stop, ended: runSidecarInjector({ ...parts, ...options }, stop.signal) };
    },
    stopInjector,
    async [Symbol.asyncDispose]() {
      await stopInjector();
      await server.close();
    },
  };
}
