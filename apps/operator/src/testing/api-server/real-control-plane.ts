// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path';
import { startApiServer, startControllerManager, startScheduler } from '@etcd-operator/tools';
import { type ApiServer, connectApiServer } from '@operator-parts/kube-lab';

/**
 * The controllers of kube-controller-manager that run. Those for volumes and for address ranges of nodes do not, because the lab does their
 * work.
 */
const controllers = [
  '*',
  '-persistentvolume-attach-detach-controller',
  '-persistentvolume-binder-controller',
  '-persistentvolume-expander-controller',
  '-node-ipam-controller',
];

const flags = [
  '--authorization-mode=RBAC',
  '--allow-privileged=true',
  '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
];

/** How long Kubernetes waits for the heartbeat of a node, in seconds. */
const nodeMonitorGrace = 50;

/**
 * The API server of a real control plane (kube-apiserver, kube-controller-manager and kube-scheduler as processes on loopback) if the tests
 * are to run against one, as in the vitest project `real-control-plane`. The lab that uses the control plane ends it.
 *
 * @param timeFactor divides the time after which a node without a heartbeat is not ready
 */
export async function realControlPlane(timeFactor = 1): Promise<ApiServer | undefined> {
  return process.env['LAB_CONTROL_PLANE'] === 'real' ? start(timeFactor) : undefined;
}

async function start(timeFactor: number): Promise<ApiServer> {
  await using stack = new AsyncDisposableStack();
  const real = stack.use(await startApiServer({ user: 'kubernetes-admin', flags }));
  const { url, ca: caPem, token } = real;
  for (const name of ['default', 'kube-node-lease', 'kube-system']) await real.serves(`/api/v1/namespaces/${name}`);
  const grace = Math.ceil(nodeMonitorGrace / timeFactor);
  const more = [
    `--root-ca-file=${join(real.folder, 'certs', 'apiserver.crt')}`,
    `--node-monitor-grace-period=${grace}s`,
  ];
  stack.use(await startControllerManager(real, controllers, more));
  stack.use(await startScheduler(real));
  const compact = async () => {
    await real.compact();
    // kube-apiserver answers watches from its cache of events, and compacting its etcd does not change this cache. So it is restarted.
    await real.stop();
    await real.start();
  };
  const server = await connectApiServer({ url, caPem, token, compact });
  const processes = stack.move();
  const close = async () => {
    await server.close();
    await processes.disposeAsync();
  };
  return { ...server, close };
}
