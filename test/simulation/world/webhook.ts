// SPDX-License-Identifier: Apache-2.0
import type { Pod, Transport, TransportRequest } from '@operator-parts/kube';

/** What an admission webhook does to requests of the operator. One that is down is an error of the API server. */
export type Webhook =
  /** What is changed of such objects stays as it was, and the answer is that all went well. */
  | { readonly kind: 'undoes'; readonly resource: string }
  /** Each new pod gets a container, a label and an annotation. */
  | { readonly kind: 'adds' };

/** The way to the API server, with a webhook in it as long as there is one. */
export function admitted(transport: Transport, webhook: () => Webhook | undefined): Transport {
  return {
    request: async (request) => {
      const found = webhook();
      if (found?.kind === 'adds') return transport.request(withSidecar(request));
      const isUndone = found?.kind === 'undoes' && isChangeOf(request, found.resource);
      const present = isUndone ? await transport.request(readOf(request)) : undefined;
      return present?.status === 200 ? present : transport.request(request);
    },
    connect: (request) => transport.connect(request),
    close: () => transport.close(),
  };
}

function isChangeOf({ method, path }: TransportRequest, resource: string): boolean {
  return (method === 'PATCH' || method === 'PUT') && plain(path).split('/').at(-2) === resource;
}

function readOf({ path, headers, signal, fence }: TransportRequest): TransportRequest {
  const accept = headers?.['accept'];
  return {
    method: 'GET',
    path: plain(path),
    ...(accept !== undefined && { headers: { accept } }),
    ...(signal && { signal }),
    ...(fence && { fence }),
  };
}

function withSidecar(request: TransportRequest): TransportRequest {
  const { method, path, body } = request;
  if (method !== 'POST' || !plain(path).endsWith('/pods') || typeof body !== 'string') return request;
  const { metadata, spec, ...rest }: Pod = JSON.parse(body);
  const labels = { ...metadata?.labels, 'mesh.example.com/injected': 'true' };
  const annotations = { ...metadata?.annotations, 'mesh.example.com/status': 'injected' };
  const containers = [...(spec?.containers ?? []), { name: 'mesh', image: 'mesh.example.com/proxy:v1' }];
  const pod = { ...rest, metadata: { ...metadata, labels, annotations }, spec: { ...spec, containers } };
  return { ...request, body: JSON.stringify(pod) };
}

function plain(path: string): string {
  return path.split('?')[0] ?? path;
}
