// SPDX-License-Identifier: Apache-2.0
/**
 * The Kubernetes API over HTTP: configuration and authentication, a typed client that keeps objects as they are, patches,
 * and the small values of the API (quantities, selectors, times). Knows nothing of controllers.
 */
export type {
  ApplyOptions,
  CallOptions,
  Client,
  DeleteOptions,
  JsonPatchOperation,
  ListOptions,
  Patch,
  Reader,
  ResourceClient,
  SelectOptions,
  SubresourceClient,
  WatchOptions,
  WriteOptions,
  Writer,
} from './client/client.ts';
export { type ClientOptions, createClient } from './client/create-client.ts';
export type { WatchEvent } from './client/watch-event.ts';
export { isKubeError, KubeError, type KubeErrorCode, type RequestSummary, type Status } from './kube-error.ts';
export {
  type KubeObject,
  keyOf,
  keyString,
  type ManagedFieldsEntry,
  type ObjectKey,
  type ObjectList,
  type ObjectMeta,
  type OwnerReference,
  parseKey,
} from './object.ts';
export { apiVersionOf, qualifiedName, type Resource, resourcePath } from './resource.ts';
export type {
  ChannelRequest,
  HttpMethod,
  MessageChannel,
  Transport,
  TransportRequest,
  TransportResponse,
} from './transport/transport.ts';
