// SPDX-License-Identifier: Apache-2.0
/**
 * The real parts that tests and the playground run: etcd in several versions, Kubernetes, containerd, object stores.
 * Each is built or unpacked once into the user's cache directory, verified by running it, and found there by everyone
 * afterwards. What there is, in which version and with which checksum, is in table.ts; how a part comes to be there
 * without ever being half-made is in ensure-part.ts. `npm run tools` is main.ts.
 * Beside them: the certificate authority that tests of TLS share.
 */
export {
  selfSignedCertificate,
  TestAuthority,
  type TestCertificate,
  type TestCertificateOptions,
} from '../certificates/test-authority.ts';
export { type ApiServer, startApiServer } from '../generate/api-server.ts';
export { cacheDirectory } from './cache-directory.ts';
export { ensurePart, knownParts } from './ensure-part.ts';
export { type Part, PartError, type PartErrorCode, type PartOptions } from './part.ts';
