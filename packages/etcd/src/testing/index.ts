// SPDX-License-Identifier: Apache-2.0
/**
 * Real etcd processes on loopback, stubs of many, sample data and a watching client, for tests and benchmarks of
 * packages that use this one.
 */
export { boltFile, revisionKey } from './bolt-file.ts';
export { EtcdLab, type EtcdProcess, type StartOptions } from './etcd-process.ts';
export { FakeMember } from './fake-member.ts';
export { labEtcd } from './lab-etcd.ts';
export { messages } from './messages.ts';
export { writeRandomHistory } from './random-history.ts';
export { fillStore, type StoreContents, storeContents } from './sample-data.ts';
export { StubEtcd, type StubPlace } from './stub-etcd.ts';
export { WatchingClient } from './watching-client.ts';
export { WritingClient, writtenKeys } from './writing-client.ts';
