// SPDX-License-Identifier: Apache-2.0
/**
 * The real parts that tests and the playground run: etcd in several versions, Kubernetes, containerd, object stores.
 * Each is built or unpacked once into the user's cache directory, verified by running it, and found there by everyone
 * afterwards. What there is, in which version and with which checksum, is in table.ts; how a part comes to be there
 * without ever being half-made is in ensure-part.ts. `npm run tools` is main.ts.
 * Beside them: the certificate authority that tests of TLS share.
 */

export { type ApiServer, certificateOf, programOf, startApiServer } from '../api-server/api-server.ts';
export { ownFlags as apiServerFlags } from '../api-server/api-server-flags.ts';
export { startEtcd as startApiServerEtcd } from '../api-server/etcd.ts';
export { freePort, freePorts } from '../api-server/free-ports.ts';
export { LeashedProcess, startLimit } from '../api-server/leashed-process.ts';
export {
  selfSignedCertificate,
  TestAuthority,
  type TestCertificate,
  type TestCertificateOptions,
} from '../certificates/test-authority.ts';
export { cacheDirectory } from './cache-directory.ts';
export { ensurePart, knownParts, partIfCached, partVersion } from './ensure-part.ts';
export { etcdOnPath } from './etcd-on-path.ts';
export { kubernetesVersions } from './kubernetes-parts.ts';
export { findOnPath } from './on-path.ts';
export { type Part, PartError, type PartErrorCode, type PartOptions } from './part.ts';
