// SPDX-License-Identifier: Apache-2.0
/** Real etcd processes on loopback, for tests of whoever builds on this package. */
export { EtcdLab, type EtcdProcess, type StartOptions } from './etcd-process.ts';
