// SPDX-License-Identifier: Apache-2.0
/**
 * Real etcd processes on loopback, stubs of many, data to fill them with and a client that watches, for tests and benchmarks of
 * whoever builds on this package.
 */
export { boltFile, revisionKey } from './bolt-file.ts';
export { EtcdLab, type EtcdProcess, type StartOptions } from './etcd-process.ts';
export { FakeMember } from './fake-member.ts';
export { messages } from './messages.ts';
export { writeRandomHistory } from './random-history.ts';
export { fillStore, type StoreContents, storeContents } from './sample-data.ts';
export { StubEtcd, type StubPlace } from './stub-etcd.ts';
export { WatchingClient } from './watching-client.ts';
export { WritingClient, writtenKeys } from './writing-client.ts';
