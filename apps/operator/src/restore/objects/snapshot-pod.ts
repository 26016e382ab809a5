// SPDX-License-Identifier: Apache-2.0
import { clientPort } from '@etcd-operator/etcd';
import type { Container, Pod } from '@etcd-operator/kube';
import { annotations } from '../../api/names.ts';
import { type MemberPodOptions, memberPod } from '../../cluster/objects/member-pod.ts';

/** Where a member that was started for a snapshot listens for the operator: no Service has this port. */
export const snapshotPort = 2389;

/**
 * The pod of an old member that is started only so that a snapshot can be taken of its volume. etcd opens its client port when it has
 * a quorum, so the members must find each other by name, and this pod is behind the peer Service. No client reaches it: nothing
 * listens on the port that the Services lead to, which is also why it never becomes Ready. Its bootstrap configuration is cleared:
 * it can only continue where it was.
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
    // Sidecars and init containers of the user are for members that serve.
    spec: { ...withoutInit, containers: containers.filter(({ name }) => name === 'etcd').map(aside) },
  };
}

function aside(container: Container & { readonly name: string }): Container & { readonly name: string } {
  const { startupProbe: _startup, livenessProbe: _liveness, ...rest } = container;
  const listen = '--listen-client-urls=';
  return {
    ...rest,
    // A second listener of the user's would be where the Services lead to.
    env: (container.env ?? []).filter(({ name }) => name !== 'ETCD_LISTEN_CLIENT_HTTP_URLS'),
    command: (container.command ?? []).map((word) =>
      word.startsWith(listen) ? word.replace(`:${clientPort}`, `:${snapshotPort}`) : word,
    ),
    readinessProbe: { tcpSocket: { port: clientPort }, periodSeconds: 60 },
  };
}

/** The port at which the operator asks a pod's etcd. */
export function portOf({ metadata }: Pod): number {
  return metadata?.annotations?.[annotations.startedByRestore] === undefined ? clientPort : snapshotPort;
}
