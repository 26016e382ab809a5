// SPDX-License-Identifier: Apache-2.0
/**
 * A Kubernetes in one process tree. `createApiServer` is the API server alone: it needs nothing but Node and works
 * everywhere; see the package's README for the nodes that run pods.
 */
export { type ApiServer, type ApiServerOptions, createApiServer } from './server/api-server.ts';
export { adminIdentity, anonymousIdentity, type Identity } from './server/identity.ts';
export type {
  ByteChannel,
  ExecOptions,
  ExecStreams,
  LogOptions,
  NodeProxy,
} from './server/node-proxy.ts';
export type { ObjectChange, ObjectFeed } from './server/object-feed.ts';
