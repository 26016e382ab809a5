// SPDX-License-Identifier: Apache-2.0
import { createApiServer } from '@etcd-operator/kube-lab';
import { parse } from 'yaml';
import type { Backend } from './backend.ts';
import { httpsTransport } from './https-transport.ts';

interface Kubeconfig {
  readonly users: readonly [{ readonly user: Readonly<Record<string, string>> }];
}

/** kube-lab, over HTTPS like the real one, so that a case goes through everything a client goes through. */
export async function startLabBackend(): Promise<Backend> {
  const server = createApiServer();
  const { url, caPem: ca, kubeconfig } = await server.listen();
  const [{ user }] = (parse(kubeconfig) as Kubeconfig).users;
  const pem = (field: string) => Buffer.from(user[field] ?? '', 'base64').toString('utf8');
  const certificate = { cert: pem('client-certificate-data'), key: pem('client-key-data') };
  const transports = [httpsTransport({ url, ca, certificate })];
  const [admin] = transports;
  if (admin === undefined) throw new Error('the lab has no administrator');
  return {
    name: 'lab',
    patience: 5_000,
    admin,
    bearer: (token) => {
      const transport = httpsTransport({ url, ca, ...(token !== undefined && { token }) });
      transports.push(transport);
      return transport;
    },
    compact: async () => server.faults.compact(),
    [Symbol.asyncDispose]: async () => {
      await Promise.all(transports.map((transport) => transport.close()));
      await server.close();
    },
  };
}
