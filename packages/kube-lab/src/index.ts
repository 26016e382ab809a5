// SPDX-License-Identifier: Apache-2.0
/**
 * A Kubernetes in one process tree. `startLab` is all of it: API server, controllers, and nodes that run pods as real
 * local processes. `createApiServer` is the API server alone: it needs only Node and runs on every system.
 */
export type { FaultScope } from './faults/fault-scope.ts';
export type { Fault as ApiFault, FaultCount, FaultError, Faults, LaggingReplica, LossKind } from './faults/faults.ts';
export {
  busyboxImages,
  createImage,
  createImageTable,
  type EtcdFiles,
  etcdImages,
  hostImage,
  type Image,
  type ImageEntry,
  type ImageFiles,
  type ImageReference,
  type ImageSet,
  type ImageTable,
  nodeImage,
  nodeProgramsImage,
  type ProgramFiles,
} from './images/index.ts';
export { type Destination, type Lab, type LabOptions, startLab } from './lab.ts';
export type { IpFamilies, IpFamily } from './network/addresses.ts';
export type { Forward } from './network/forward.ts';
export type {
  DiskFaults,
  Fault,
  LabFaults,
  NetworkFaults,
  NodeFaults,
  PodFaults,
  Target,
} from './node/faults/index.ts';
export type { LabNodeSpec } from './node/node-fleet.ts';
export { RuntimeError, type RuntimeErrorCode } from './runtime/runtime-error.ts';
export {
  type ApiServer,
  type ApiServerOptions,
  createApiServer,
  type Listening,
  type ListenOptions,
} from './server/api-server.ts';
export { adminIdentity, anonymousIdentity, type Identity } from './server/identity.ts';
export type {
  ByteChannel,
  ExecOptions,
  ExecStreams,
  LogOptions,
  NodeProxy,
} from './server/node-proxy.ts';
export type { ObjectChange, ObjectFeed } from './server/object-feed.ts';
export { connectApiServer, type RemoteServerOptions } from './server/remote/connect-api-server.ts';
