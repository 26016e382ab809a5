// SPDX-License-Identifier: Apache-2.0
import { type Client, pods, type Transport, type TransportRequest } from '@operator-parts/kube';
import { ApiError } from '../api-error.ts';
import type { NodeProxy } from '../node-proxy.ts';
import { isTrue, parseRequestInfo } from '../request-info.ts';

/**
 * Sends requests for logs to the lab's nodes, and all other requests to the server. A server outside of the lab cannot
 * reach the kubelets in the lab's network.
 */
export function withPodLogs(base: Transport, client: () => Client, proxy: () => NodeProxy | undefined): Transport {
  return {
    ...base,
    async request(request) {
      const [path = '', text] = request.path.split('?');
      const query = new URLSearchParams(text);
      const info = parseRequestInfo(request.method, path, query);
      const nodes = proxy();
      const isLog = info.kind === 'resource' && info.resource === 'pods' && info.subresource === 'log';
      if (!isLog || !nodes) return base.request(request);
      const pod = await client().resource(pods).get({ namespace: info.namespace, name: info.name });
      const container = query.get('container') || (pod.spec?.containers[0]?.name ?? '');
      const body = await nodes
        .log(pod, { container, ...optionsOf(query) }, signalOf(request))
        .catch((error: unknown) => {
          throw new ApiError(500, 'InternalError', error instanceof Error ? error.message : String(error));
        });
      return { status: 200, headers: { 'content-type': 'text/plain' }, body };
    },
  };
}

function optionsOf(query: URLSearchParams) {
  const number = (name: string) => (query.get(name) ? { [name]: Number(query.get(name)) } : {});
  return {
    follow: isTrue(query.get('follow')),
    previous: isTrue(query.get('previous')),
    timestamps: isTrue(query.get('timestamps')),
    ...number('tailLines'),
    ...number('sinceSeconds'),
    ...number('limitBytes'),
  };
}

function signalOf({ signal }: TransportRequest): AbortSignal {
  return signal ?? new AbortController().signal;
}
