// SPDX-License-Identifier: Apache-2.0
/**
 * A real Kubernetes of one node on this machine, for tests and for playing: kube-apiserver with RBAC, controller-manager, scheduler,
 * kubelet, containerd, kube-proxy and CoreDNS. It lives in process, mount and network namespaces of its own, which have no way out and
 * end with their first process, so that nothing of it can stay behind. `npm run cluster` is main.ts.
 */
export { type CertificateRequest, certificateFiles, makeCertificates } from './certificates.ts';
export { attachCluster, type Cluster } from './cluster.ts';
export { ClusterError, type ClusterErrorCode } from './cluster-error.ts';
export { inside } from './configuration.ts';
export { addresses, type Layout, layoutOf } from './layout.ts';
export { loadableImages, loadImages, writeImages } from './load-images.ts';
export { prepareMachine } from './machine.ts';
export type { RunOptions, RunResult } from './run-program.ts';
export { type StartOptions, startCluster } from './start-cluster.ts';
export { runningState } from './state.ts';
export { stopCluster } from './stop-cluster.ts';
