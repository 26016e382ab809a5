// SPDX-License-Identifier: Apache-2.0
/** Real etcd processes on loopback, and stubs of many, for tests and benchmarks of whoever builds on this package. */
export { EtcdLab, type EtcdProcess, type StartOptions } from './etcd-process.ts';
export { StubEtcd, type StubPlace } from './stub-etcd.ts';
