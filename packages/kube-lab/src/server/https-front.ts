// SPDX-License-Identifier: Apache-2.0
import { apiServerAddress } from '../network/addresses.ts';
import { type CertificateAuthority, createCertificateAuthority } from '../tls/certificates.ts';
import { kubeconfigText } from '../tls/kubeconfig.ts';
import type { Listening, ListenOptions } from './api-server.ts';
import type { Core } from './core.ts';
import type { ChannelHandler, Handler } from './handler.ts';
import { type HttpsListener, listenHttps } from './https-listener.ts';

const serviceNames = [
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
];

/** The HTTPS side of a server: one certificate authority, any number of listeners. */
export class HttpsFront {
  readonly #handle: Handler;
  readonly #openChannel: ChannelHandler;
  readonly #core: Pick<Core, 'clock' | 'random'>;
  readonly #listeners = new Set<HttpsListener>();
  #authority: Promise<CertificateAuthority> | undefined;

  constructor(core: Pick<Core, 'clock' | 'random'>, handle: Handler, openChannel: ChannelHandler) {
    this.#core = core;
    this.#handle = handle;
    this.#openChannel = openChannel;
  }

  async listen({ host = '127.0.0.1', port = 0, dnsNames = [], ipAddresses = [] }: ListenOptions): Promise<Listening> {
    const authority = await this.authority();
    const [serving, admin] = await Promise.all([
      authority.issue({
        commonName: 'kube-apiserver',
        dnsNames: ['localhost', ...serviceNames, ...dnsNames],
        ipAddresses: ['127.0.0.1', '::1', ...Object.values(apiServerAddress), ...ipAddresses],
        usage: 'server',
      }),
      authority.issue({ commonName: 'kubernetes-admin', organizations: ['system:masters'], usage: 'client' }),
    ]);
    const clientCaPem = authority.certificatePem;
    const listener = await listenHttps(this.#handle, this.#openChannel, {
      host,
      port,
      serving,
      clientCaPem,
      clock: this.#core.clock,
      random: this.#core.random,
    });
    this.#listeners.add(listener);
    const url = `https://${host.includes(':') ? `[${host}]` : host}:${listener.port}`;
    const user = { name: 'kubernetes-admin', keyPair: admin };
    return { url, caPem: clientCaPem, kubeconfig: kubeconfigText({ url, caPem: clientCaPem, user }) };
  }

  authority(): Promise<CertificateAuthority> {
    this.#authority ??= createCertificateAuthority('kube-lab');
    return this.#authority;
  }

  async close(): Promise<void> {
    const listeners = [...this.#listeners];
    this.#listeners.clear();
    await Promise.all(listeners.map((listener) => listener.close()));
  }
}
