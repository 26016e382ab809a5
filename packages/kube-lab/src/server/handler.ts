// SPDX-License-Identifier: Apache-2.0
import { authenticate } from '../authn/authenticate.ts';
import { authorize } from '../authz/authorize.ts';
import { withConversions } from '../crd/conversion.ts';
import { ConnectionLost } from '../faults/connection-lost.ts';
import { faultTarget } from '../faults/fault-target.ts';
import { review, reviewKinds } from '../handlers/access/reviews.ts';
import { requestToken } from '../handlers/access/token-request.ts';
import { createObject } from '../handlers/create.ts';
import { deleteCollection, deleteObject } from '../handlers/delete.ts';
import { finalizeNamespace } from '../handlers/finalize.ts';
import { patchObject } from '../handlers/patch.ts';
import { bindPod } from '../handlers/pods/binding.ts';
import { evictPod } from '../handlers/pods/eviction.ts';
import { type AcceptedChannel, acceptPodChannel } from '../handlers/pods/pod-channels.ts';
import { podLog } from '../handlers/pods/pod-log.ts';
import { proxyRequest } from '../handlers/pods/proxy.ts';
import { getObject, listObjects } from '../handlers/read.ts';
import { serveScale } from '../handlers/scale.ts';
import { replaceObject } from '../handlers/update.ts';
import { watchObjects } from '../handlers/watch.ts';
import { checkWriteOptions } from '../handlers/write-options.ts';
import { asObject, asString } from '../json/json.ts';
import { ApiError, methodNotAllowed, unknownPath } from './api-error.ts';
import { type ApiRequest, type ApiResponse, header, jsonResponse } from './api-request.ts';
import type { Call, Core } from './core.ts';
import { anonymousIdentity, type Identity } from './identity.ts';
import { servePath } from './path-handler.ts';
import { parseRequestInfo, type RequestInfo } from './request-info.ts';

/** Answers one request. Rejects only with the request's own abort reason, or with a `ConnectionLost` of a fault. */
export type Handler = (request: ApiRequest) => Promise<ApiResponse>;

/** The common path of every request: parse the path, find the kind, run the verb, convert errors to a Status. */
export function createHandler(core: Core): Handler {
  return async (request) => {
    const read = readRequest(request);
    try {
      return withCommonHeaders(core, await answer(core, read));
    } catch (error) {
      if (request.signal.aborted) throw request.signal.reason;
      if (error instanceof ConnectionLost) throw error;
      return withCommonHeaders(core, refusal(core, error));
    }
  };
}

/** Every answer has an audit ID and must not be cached. */
function withCommonHeaders({ random }: Core, response: ApiResponse): ApiResponse {
  const headers = { 'audit-id': random.uuid(), 'cache-control': 'no-cache, private', ...response.headers };
  return { ...response, headers };
}

async function answer(core: Core, read: ReadRequest): Promise<ApiResponse> {
  const { request, target } = read;
  if (!core.faults.isEmpty) await core.faults.beforeRequest(target, core.clock, request.signal);
  const response = await route(core, admitted(core, read));
  if (!core.faults.isEmpty) await core.faults.afterRequest(target, request.signal);
  return response;
}

/** An authenticated and authorized request. */
function admitted(core: Core, read: ReadRequest): ReadRequest {
  const identity = authenticate(core, read.request, read.info);
  authorize(core.authorizer, identity, read.info);
  return { ...read, identity };
}

function readRequest(request: ApiRequest): ReadRequest {
  const at = request.url.indexOf('?');
  const path = at < 0 ? request.url : request.url.slice(0, at);
  const query = new URLSearchParams(at < 0 ? '' : request.url.slice(at + 1));
  const info = parseRequestInfo(request.method, path, query);
  const identity = request.identity ?? anonymousIdentity;
  return { request, info, query, identity, target: faultTarget(info, clientOf(request, identity)) };
}

/** Accepts a channel, or returns an error. */
export type ChannelHandler = (
  request: ApiRequest,
  protocols: readonly string[],
) => Promise<{ readonly accepted: AcceptedChannel } | { readonly refused: ApiResponse }>;

/** Like `createHandler`, for requests that open a channel. */
export function createChannelHandler(core: Core): ChannelHandler {
  return async (request, protocols) => {
    const read = readRequest(request);
    try {
      if (!core.faults.isEmpty) await core.faults.beforeRequest(read.target, core.clock, request.signal);
      const { info, identity } = admitted(core, read);
      if (info.kind === 'path') throw unknownPath();
      return { accepted: acceptPodChannel(makeCall(core, { ...read, info, identity }), protocols) };
    } catch (error) {
      if (request.signal.aborted) throw request.signal.reason;
      if (error instanceof ConnectionLost) throw error;
      return { refused: refusal(core, error) };
    }
  };
}

/** A request whose path has been parsed. */
interface ReadRequest extends Pick<Call, 'request' | 'query' | 'identity' | 'target'> {
  readonly info: RequestInfo;
}

function route(core: Core, read: ReadRequest): Promise<ApiResponse> | ApiResponse {
  const { info, request } = read;
  if (info.kind === 'path') return servePath(core, request, info.path);
  const first = makeCall(core, { ...read, info });
  if (!first.resource.convertAll) return serve(first);
  return withConversions(core, first.resource.collection, () => serve(makeCall(core, { ...read, info })));
}

/** The name of the client with which the scope of a fault is compared. */
function clientOf(request: ApiRequest, identity: Identity): string {
  const program = (header(request, 'user-agent') ?? '').split('/')[0];
  return identity.client ?? (program || identity.user);
}

function makeCall(core: Core, read: Pick<Call, 'request' | 'query' | 'identity' | 'target' | 'info'>): Call {
  const { info } = read;
  const resource = core.registry.find(info.group, info.version, info.resource);
  if (!resource) throw new UnknownResource(core.registry.isBuiltin(info.group));
  const warnings: string[] = [];
  return {
    ...read,
    core,
    resource,
    warnings,
    clock: core.clock,
    random: core.random,
    ipFamilies: core.ipFamilies,
    store: core.store,
    warn: (message) => warnings.push(message),
  };
}

async function serve(call: Call): Promise<ApiResponse> {
  const { info, resource } = call;
  checkPlace(call);
  if (info.subresource !== '' && !resource.subresources.some(({ name }) => name === info.subresource))
    throw unknownPath();
  if (info.subresource === 'proxy') return proxyRequest(call);
  checkWriteOptions(call);
  if (resource.strategy.deprecation) call.warn(resource.strategy.deprecation);
  try {
    const response = await runSubresource(call);
    return { ...response, headers: { ...response.headers, ...warningHeader(call.warnings) } };
  } catch (error) {
    if (error instanceof ApiError) error.warnings = call.warnings;
    throw error;
  }
}

function warningHeader(warnings: readonly string[]): ApiResponse['headers'] {
  return warnings.length === 0 ? {} : { warning: warnings.map((text) => `299 - ${JSON.stringify(text)}`) };
}

const namedVerbs = new Set(['get', 'update', 'patch', 'delete']);

/** Refuses invalid paths: cluster-scoped kinds in a namespace, objects without a namespace, verbs without a name. */
function checkPlace({ info, resource }: Call): void {
  const { verb, namespace, name, subresource } = info;
  if (!resource.namespaced && namespace !== '' && resource.collection !== 'namespaces')
    throw new UnknownResource(!resource.custom);
  if (name === '' && namedVerbs.has(verb)) throw methodNotAllowed();
  if (subresource === '' && !resource.verbs.includes(verb)) throw methodNotAllowed();
  if (verb === 'create' && name !== '' && subresource === '') throw methodNotAllowed();
  const needsNamespace =
    resource.namespaced && namespace === '' && !['list', 'watch', 'deletecollection'].includes(verb);
  if (needsNamespace) throw name === '' ? methodNotAllowed() : new UnknownResource(!resource.custom);
  const sub = resource.subresources.find((one) => one.name === subresource);
  if (sub && !sub.verbs.includes(verb) && verb !== 'create') throw methodNotAllowed();
}

function runSubresource(call: Call): Promise<ApiResponse> | ApiResponse {
  const { info, resource } = call;
  const { collection } = resource;
  switch (info.subresource) {
    case '':
      if (collection === 'bindings') return bindPod(call, bindingName(call));
      return reviewKinds.has(collection) ? review(call) : runVerb(call);
    case 'scale':
      return resource.scale ? serveScale(call, resource.scale) : runVerb(call);
    case 'binding':
      return bindPod(call, info.name);
    case 'eviction':
      return evictPod(call);
    case 'token':
      return requestToken(call);
    case 'finalize':
      return finalizeNamespace(call);
    case 'log':
      return podLog(call);
    case 'exec':
    case 'attach':
    case 'portforward':
      // Called for its errors: only an upgrade request can open a channel.
      acceptPodChannel(call, []);
      throw methodNotAllowed();
    default:
      return runVerb(call);
  }
}

/** The old form of a binding names the pod only in the body. */
function bindingName({ request }: Call): string {
  const body = asObject(JSON.parse(request.body ?? '{}'));
  return asString(asObject(body?.['metadata'])?.['name']) ?? '';
}

function runVerb(call: Call): Promise<ApiResponse> | ApiResponse {
  switch (call.info.verb) {
    case 'get':
      return getObject(call);
    case 'list':
      return listObjects(call);
    case 'watch':
      return watchObjects(call);
    case 'create':
      return createObject(call);
    case 'update':
      return replaceObject(call);
    case 'patch':
      return patchObject(call);
    case 'delete':
      return deleteObject(call);
    case 'deletecollection':
      return deleteCollection(call);
    default:
      throw methodNotAllowed();
  }
}

/** A path below `/apis` that names no served resource. Groups of custom resources answer in plain text. */
class UnknownResource extends Error {
  readonly response: ApiResponse;

  constructor(isBuiltin: boolean) {
    super('no such resource');
    this.response = isBuiltin
      ? jsonResponse(404, JSON.stringify(unknownPath().toStatus()))
      : { status: 404, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: '404 page not found\n' };
  }
}

function refusal(core: Core, error: unknown): ApiResponse {
  if (error instanceof UnknownResource) return error.response;
  if (error instanceof ApiError) {
    const after = error.details?.retryAfterSeconds;
    const headers = { ...(after ? { 'retry-after': String(after) } : {}), ...warningHeader(error.warnings) };
    return jsonResponse(error.code, JSON.stringify(error.toStatus()), headers);
  }
  core.log.error('a request failed unexpectedly', { error });
  const message = error instanceof Error ? error.message : String(error);
  const status = new ApiError(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] });
  return jsonResponse(500, JSON.stringify(status.toStatus()));
}
