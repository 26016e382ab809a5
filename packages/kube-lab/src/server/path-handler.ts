// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { apiGroup, apiGroupList, apiResourceList, apiVersions, groupDiscoveryList } from '../discovery/discovery.ts';
import { oldOpenApi } from '../discovery/old-open-api.ts';
import { openApiDocumentText, openApiIndex } from '../discovery/open-api.ts';
import type { JsonObject } from '../json/json.ts';
import { capturedDiscovery } from '../registry/captured-api.ts';
import { ApiError, methodNotAllowed, unknownPath } from './api-error.ts';
import { type ApiRequest, type ApiResponse, header, jsonResponse } from './api-request.ts';
import type { Core } from './core.ts';

const aggregatedType = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** Answers paths that are not below a resource: discovery, OpenAPI, version, health. */
export function servePath(core: Core, request: ApiRequest, path: string): ApiResponse {
  if (request.method !== 'GET' && request.method !== 'HEAD') throw methodNotAllowed();
  const parts = path.split('/').filter(Boolean);
  const [root = '', first = '', second = ''] = parts;
  switch (root) {
    case 'api':
      return parts.length === 1 ? groups(core, request, true) : resources(core, '', first);
    case 'apis':
      if (parts.length === 1) return groups(core, request, false);
      return parts.length === 2 ? found(apiGroup(core.registry.all(), first)) : resources(core, first, second);
    case 'openapi':
      if (first === 'v3') return openApi(core, parts.slice(2).join('/'));
      if (first === 'v2' && parts.length === 2) return swagger(core, request);
      break;
    case 'version':
      return json(versionInfo());
    case 'healthz':
    case 'livez':
    case 'readyz':
      return plain(200, 'ok');
    case '':
      return json({ paths: rootPaths(core) });
  }
  return plain(404, '404 page not found\n');
}

function groups(core: Core, request: ApiRequest, isCore: boolean): ApiResponse {
  const clauses = (header(request, 'accept') ?? '').replaceAll(' ', '').split(',');
  const isPlain = (clause: string) =>
    ['', '*/*', 'application/json', 'application/yaml'].includes(clause.split(';q=')[0] ?? '');
  const wanted = clauses.find((clause) => isPlain(clause) || isAggregated(clause));
  if (wanted === undefined && clauses.some((clause) => clause.includes('as=APIGroupDiscoveryList')))
    throw notAcceptable();
  if (wanted !== undefined && isAggregated(wanted)) {
    const text = JSON.stringify(groupDiscoveryList(core.registry.all(), isCore));
    const etag = JSON.stringify(createHash('sha512').update(text).digest('hex').toUpperCase());
    const headers = { 'content-type': aggregatedType, etag, vary: 'Accept' };
    if (header(request, 'if-none-match') === etag) return { status: 304, headers, body: '' };
    return jsonResponse(200, text, headers);
  }
  return json(isCore ? apiVersions('127.0.0.1:6443') : apiGroupList(core.registry.all()));
}

/** `g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList`, in any order. */
function isAggregated(clause: string): boolean {
  const parts = clause.split(';');
  return ['application/json', 'g=apidiscovery.k8s.io', 'v=v2', 'as=APIGroupDiscoveryList'].every((part) =>
    parts.includes(part),
  );
}

function notAcceptable(): ApiError {
  const types = 'application/json, application/yaml, application/vnd.kubernetes.protobuf';
  return new ApiError(406, 'NotAcceptable', `only the following media types are accepted: ${types}`);
}

function resources(core: Core, group: string, version: string): ApiResponse {
  const list = apiResourceList(core.registry.all(), group, version);
  if (!list && core.registry.all().some((one) => one.group === group)) throw unknownPath();
  return found(list);
}

function openApi(core: Core, key: string): ApiResponse {
  if (key === '') {
    const body = JSON.stringify(openApiIndex(core.customDocuments));
    return { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body };
  }
  const text = openApiDocumentText(key, core.customDocuments);
  return text === undefined ? plain(404, '404 page not found\n') : jsonResponse(200, text);
}

/** The media type in `Accept` of Go clients, and in the answer. */
const protobufAsked = /^application\/com\.github\.proto-openapi\.spec\.v2[.@]v1\.0\+protobuf$/;
const protobufType = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';

function swagger(core: Core, request: ApiRequest): ApiResponse {
  const { text, protobuf, etag } = oldOpenApi(core.customDocuments);
  const clauses = (header(request, 'accept') ?? '').split(',').map((clause) => clause.split(';')[0]?.trim() ?? '');
  const isProtobuf = protobufAsked.test(clauses[0] ?? '');
  if (!isProtobuf && !clauses.some((clause) => ['', '*/*', 'application/*', 'application/json'].includes(clause))) {
    return plain(406, '');
  }
  const headers = { etag, vary: 'Accept' };
  if (header(request, 'if-none-match') === etag) return { status: 304, headers, body: '' };
  if (!isProtobuf) return jsonResponse(200, text, headers);
  return { status: 200, headers: { ...headers, 'content-type': protobufType }, body: bytes(protobuf()) };
}

async function* bytes(whole: Uint8Array): AsyncGenerator<Uint8Array, void> {
  yield whole;
}

function versionInfo(): JsonObject {
  return {
    emulationMajor: '1',
    emulationMinor: '36',
    minCompatibilityMajor: '1',
    minCompatibilityMinor: '35',
    gitCommit: '',
    gitTreeState: '',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: 'go1.26',
    compiler: 'gc',
    platform: 'linux/amd64',
    ...capturedDiscovery().version,
  };
}

function rootPaths(core: Core): string[] {
  const own = core.registry.all().filter(({ group }) => group !== '');
  const paths = own.flatMap(({ group, version }) => [`/apis/${group}`, `/apis/${group}/${version}`]);
  return [
    '/api',
    '/api/v1',
    '/apis',
    ...new Set(paths),
    '/healthz',
    '/livez',
    '/openapi/v2',
    '/openapi/v3',
    '/readyz',
    '/version',
  ];
}

function found(body: JsonObject | undefined): ApiResponse {
  return body ? json(body) : plain(404, '404 page not found\n');
}

function json(body: JsonObject): ApiResponse {
  return jsonResponse(200, JSON.stringify(body));
}

function plain(status: number, body: string): ApiResponse {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8' }, body };
}
