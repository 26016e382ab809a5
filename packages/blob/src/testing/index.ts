// SPDX-License-Identifier: Apache-2.0
/** Real object stores on loopback, and one in memory, for tests of packages that use this one. */

export { createStore } from '../store.ts';
export { type AzureServer, startAzurite } from './azurite.ts';
export { AzureImmutability } from './behaviours/azure-immutability.ts';
export type { Asked, Told } from './behaviours/behaviour.ts';
export { GcsRetention } from './behaviours/gcs-retention.ts';
export { OssEncryption } from './behaviours/oss-encryption.ts';
export { type GcsServer, startFakeGcsServer } from './fake-gcs-server.ts';
export { FaultProxy } from './fault-proxy.ts';
export { killMidPut } from './kill-mid-put.ts';
export { MemoryDriver } from './memory-driver.ts';
export { testdata } from './testdata.ts';
export { type S3Server, startVersitygw } from './versitygw.ts';
