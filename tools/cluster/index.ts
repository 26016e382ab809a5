// SPDX-License-Identifier: Apache-2.0
/**
 * A real Kubernetes with one node on this machine, for tests and interactive use: kube-apiserver with RBAC,
 * controller-manager, scheduler, kubelet, containerd, kube-proxy and CoreDNS. It runs in its own process, mount and
 * network namespaces, which have no connection to the outside and end with their first process, so that nothing of it
 * remains. main.ts is `npm run cluster`.
 */

export type { RunOptions, RunResult } from '../process/run-program.ts';
export { type CertificateRequest, certificateFiles, makeCertificates } from './certificates.ts';
export { attachCluster, type Cluster } from './cluster.ts';
export { ClusterError, type ClusterErrorCode } from './cluster-error.ts';
export { inside } from './configuration.ts';
export { addresses, type Layout, layoutOf } from './layout.ts';
export { loadableImages, loadImages, writeImages } from './load-images.ts';
export { prepareMachine } from './machine.ts';
export { type StartOptions, startCluster } from './start-cluster.ts';
export { runningState } from './state.ts';
export { stopCluster } from './stop-cluster.ts';
