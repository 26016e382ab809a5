// SPDX-License-Identifier: Apache-2.0
import { type Client, createClient, KubeError, nodes, type Transport } from '@operator-parts/kube';
import { createApiServer } from '@operator-parts/kube-lab';
import { afterAll, beforeAll } from 'vitest';

interface ServerWithNodes {
  readonly client: Client;
  /** A client without the permission to read nodes. */
  readonly refused: Client;
  readonly signal: AbortSignal;
}

/** For a test file: an API server with a node `alive`, and a node `declared-off` that is declared out of service. */
export function serverWithNodes(): ServerWithNodes {
  const server = createApiServer();
  const client = createClient(server.transport());
  const refusing: Transport = {
    ...server.transport(),
    request: () => Promise.reject(new KubeError('Forbidden', 'nodes is forbidden')),
  };
  beforeAll(async () => {
    await client.resource(nodes).create({ metadata: { name: 'alive' } });
    const taints = [{ key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' as const }];
    await client.resource(nodes).create({ metadata: { name: 'declared-off' }, spec: { taints } });
  });
  afterAll(() => server.close());
  return { client, refused: createClient(refusing), signal: new AbortController().signal };
}
