// SPDX-License-Identifier: Apache-2.0
import {
  configMaps,
  connect,
  createClient,
  endpointSlices,
  namespaces,
  nodes,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
  secrets,
  services,
  storageClasses,
  type Transport,
} from '@operator-parts/kube';
import { type Clock, type Logger, silentLogger, systemClock } from '@operator-parts/ports';
import { kubeconfigText } from '../../tls/kubeconfig.ts';
import type { ApiServer } from '../api-server.ts';
import { adminIdentity, type Identity } from '../identity.ts';
import type { NodeProxy } from '../node-proxy.ts';
import { faultyTransport } from './faulty-transport.ts';
import { RemoteFaults } from './remote-faults.ts';
import { RemoteFeed } from './remote-feed.ts';
import { withPodLogs } from './remote-pod-log.ts';

/** How to reach an API server outside of the lab. */
export interface RemoteServerOptions {
  readonly url: string;
  /** The certificate authority of its serving certificate. */
  readonly caPem: string;
  /** The token of an administrator, who may also impersonate. */
  readonly token: string;
  /** Compacts the history of the server now, as its storage does every few minutes. */
  readonly compact: () => Promise<void>;
  /** @default `systemClock` */
  readonly clock?: Clock;
  /** @default `silentLogger` */
  readonly log?: Logger;
}

/** The kinds that the nodes, the network and the volumes of a lab read. */
const kinds = [
  configMaps,
  endpointSlices,
  namespaces,
  nodes,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
  secrets,
  services,
  storageClasses,
];

/**
 * Connects to an API server outside of the lab, for `startLab`. The same faults of requests and watches are possible as
 * with the lab's own API server; they happen between client and server. The server has its own controllers and
 * scheduler. It can show the logs of the lab's pods, but cannot execute commands in them or forward their ports.
 */
export async function connectApiServer(options: RemoteServerOptions): Promise<ApiServer> {
  const { url, caPem, clock = systemClock, log = silentLogger } = options;
  const ending = new AbortController();
  const transports = new Set<Transport>();
  const proxy: { current: NodeProxy | undefined } = { current: undefined };
  const open = (identity: Identity) => {
    const transport = connect(configOf(options, identity));
    transports.add(transport);
    return transport;
  };
  const admin = createClient(open(adminIdentity));
  const newest = async () => (await admin.resource(namespaces).list({ limit: 1 })).metadata.resourceVersion ?? '';
  const faults = new RemoteFaults(newest, options.compact);
  const feed = new RemoteFeed({ client: admin, clock, log, signal: ending.signal });
  await feed.know(kinds);
  return {
    transport: (identity = adminIdentity) => {
      const base = withPodLogs(
        open(identity),
        () => admin,
        () => proxy.current,
      );
      return faultyTransport({ base, client: identity.client ?? identity.user, faults, clock });
    },
    feed,
    faults,
    clock,
    useNodeProxy: (used) => {
      proxy.current = used;
    },
    useDialService: () => undefined,
    listen: async () => {
      const user = { name: adminIdentity.user, token: options.token };
      return { url, caPem, kubeconfig: kubeconfigText({ url, caPem, user }) };
    },
    close: async () => {
      ending.abort(new Error('the connection to the API server is closed'));
      await Promise.all([...transports].map((transport) => transport.close()));
    },
  };
}

function configOf({ url, caPem, token }: RemoteServerOptions, { user, uid, groups, extra }: Identity) {
  const isAdmin = groups.includes('system:masters');
  return {
    server: url,
    namespace: 'default',
    certificateAuthority: { kind: 'data', pem: caPem },
    credential: { kind: 'token', token },
    source: 'the API server of a lab',
    ...(isAdmin ? {} : { impersonate: { user, groups, ...(uid ? { uid } : {}), ...(extra ? { extra } : {}) } }),
  } as const;
}
