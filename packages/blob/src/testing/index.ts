// SPDX-License-Identifier: Apache-2.0
/** Real object stores on loopback, for tests of whoever builds on this package. */
export { type AzureServer, startAzurite } from './azurite.ts';
export { type GcsServer, startFakeGcsServer } from './fake-gcs-server.ts';
export { testdata } from './testdata.ts';
export { type S3Server, startVersitygw } from './versitygw.ts';
