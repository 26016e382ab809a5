// SPDX-License-Identifier: Apache-2.0
/**
 * The real programs for tests and the playground: etcd in several versions, Kubernetes, containerd, object stores. Each
 * is built or unpacked once to the user's cache directory and verified by running it. table.ts contains their versions
 * and checksums; ensure-part.ts builds them atomically. main.ts is `npm run tools`. Also contains the CA for tests of
 * TLS.
 */

export { type ApiServer, programOf, startApiServer } from '../api-server/api-server.ts';
export { freePort, freePorts } from '../api-server/free-ports.ts';
export { startControllerManager, startScheduler } from '../api-server/kubernetes-controllers.ts';
export { LeashedProcess, startLimit } from '../api-server/leashed-process.ts';
export {
  selfSignedCertificate,
  TestAuthority,
  type TestCertificate,
  type TestCertificateOptions,
} from '../certificates/test-authority.ts';
export { ownPackage } from '../own-packages.ts';
export { memoryOf } from '../process/memory-of.ts';
export { cacheDirectory } from './cache-directory.ts';
export { ensurePart, knownParts, partIfCached, partVersion } from './ensure-part.ts';
export { etcdOnPath } from './etcd-on-path.ts';
export { type KubernetesVersion, kubernetesVersions } from './kubernetes-parts.ts';
export { findOnPath } from './on-path.ts';
export { type Part, PartError, type PartErrorCode, type PartOptions } from './part.ts';
