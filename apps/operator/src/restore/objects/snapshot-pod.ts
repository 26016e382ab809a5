// SPDX-License-Identifier: Apache-2.0
import { clientPort } from '@operator-parts/etcd';
import type { Container, Pod } from '@operator-parts/kube';
import { annotations } from '../../api/names.ts';
import { type MemberPodOptions, memberPod } from '../../cluster/objects/member-pod.ts';

/** The client port of a member that was started only for a snapshot. No Service has this port. */
export const snapshotPort = 2389;

/**
 * The pod of an old member that is started only so that a snapshot can be taken of its volume. etcd opens its client port when it has a
 * quorum, so the members must find each other by name, and the peer Service includes this pod. No client reaches it: nothing listens on the
 * port of the client Services, which is also why the pod never becomes Ready. Its bootstrap configuration is cleared: etcd can only
 * continue from its data.
 */
export function snapshotPod(options: Omit<MemberPodOptions, 'boot'>, restoreUid: string): Pod {
  const pod = memberPod({ ...options, boot: { state: 'cleared' } });
  const { containers = [], initContainers: _ofUser, ...withoutInit } = pod.spec ?? {};
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      annotations: { ...pod.metadata?.annotations, [annotations.startedByRestore]: restoreUid },
    },
    // Sidecars and init containers of the user are left out: they are only for members that serve clients.
    spec: { ...withoutInit, containers: containers.filter(({ name }) => name === 'etcd').map(aside) },
  };
}

function aside(container: Container & { readonly name: string }): Container & { readonly name: string } {
  const { startupProbe: _startup, livenessProbe: _liveness, ...rest } = container;
  const listen = '--listen-client-urls=';
  return {
    ...rest,
    // This variable of the user could open a second listener on the port of the client Services.
    env: (container.env ?? []).filter(({ name }) => name !== 'ETCD_LISTEN_CLIENT_HTTP_URLS'),
    command: (container.command ?? []).map((word) =>
      word.startsWith(listen) ? word.replace(`:${clientPort}`, `:${snapshotPort}`) : word,
    ),
    readinessProbe: { tcpSocket: { port: clientPort }, periodSeconds: 60 },
  };
}

/** The port on which the operator reaches the etcd of a pod. */
export function portOf({ metadata }: Pod): number {
  return metadata?.annotations?.[annotations.startedByRestore] === undefined ? clientPort : snapshotPort;
}
