// SPDX-License-Identifier: Apache-2.0
import { createApiServer } from '@operator-parts/kube-lab';
import type { Backend } from './backend.ts';
import { type HttpsTarget, httpsTransport } from './https-transport.ts';
import { targetOf } from './kubeconfig.ts';

/** kube-lab over HTTPS like the real server, so that a case uses all layers of a client. */
export async function startLabBackend(): Promise<Backend> {
  const server = createApiServer();
  const { kubeconfig } = await server.listen();
  return {
    name: 'lab',
    patience: 60_000,
    ...reach(targetOf(kubeconfig)),
    compact: async () => server.faults.compact(),
    [Symbol.asyncDispose]: () => server.close(),
  };
}

/** Clients of a server: its administrator, and others with or without credentials. */
export function reach(target: HttpsTarget): Pick<Backend, 'admin' | 'bearer'> {
  const { url, ca } = target;
  return {
    admin: httpsTransport(target),
    bearer: (token) => httpsTransport({ url, ca, ...(token !== undefined && { token }) }),
  };
}
