// SPDX-License-Identifier: Apache-2.0
import type { HttpMethod } from '@operator-parts/kube';

/** The verbs of RBAC and faults. */
export type Verb =
  | 'get'
  | 'list'
  | 'watch'
  | 'create'
  | 'update'
  | 'patch'
  | 'delete'
  | 'deletecollection'
  | 'head'
  | 'options';

/** The parsed path of a request below `/api` or `/apis`. */
export interface ResourceRequest {
  readonly kind: 'resource';
  readonly verb: Verb;
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly namespace: string;
  readonly resource: string;
  readonly name: string;
  /** Everything after the name: `status`; empty if none. For `proxy`, the rest of the path is not parsed. */
  readonly subresource: string;
  readonly path: string;
}

/** Any other path: `/version`, `/healthz`, discovery. `verb` is the method in lower case. */
export interface PathRequest {
  readonly kind: 'path';
  readonly verb: string;
  readonly path: string;
}

export type RequestInfo = ResourceRequest | PathRequest;

const writeVerbs: Readonly<Record<HttpMethod, Verb>> = {
  GET: 'get',
  HEAD: 'get',
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
  OPTIONS: 'options',
};

const namespaceSubresources = new Set(['status', 'finalize']);

/** Parses verb, kind and name of a request. */
export function parseRequestInfo(method: HttpMethod, path: string, query: URLSearchParams): RequestInfo {
  const parts = path
    .split('/')
    .filter((part) => part !== '')
    .map(decode);
  const other: PathRequest = { kind: 'path', verb: method.toLowerCase(), path };
  const [root] = parts;
  if (root !== 'api' && root !== 'apis') return other;
  const [group, rest] = root === 'api' ? ['', parts.slice(1)] : [parts[1] ?? '', parts.slice(2)];
  const [version, ...names] = rest;
  if (version === undefined || names.length === 0) return other;
  const asked = isTrue(query.get('watch'));
  const legacy = names[0] === 'watch' && names.length > 1;
  if (legacy) names.shift();
  const { namespace, resource, name, subresource } = split(names);
  const verb = verbOf(method, name, legacy || (asked && name === ''));
  const all: ResourceRequest = { kind: 'resource', verb, group, version, namespace, resource, name, subresource, path };
  // A list or watch that selects a single name is authorized for that name.
  const selected = /^metadata\.name==?([^,]+)$/.exec(query.get('fieldSelector') ?? '')?.[1];
  return selected !== undefined && (verb === 'list' || verb === 'watch') && name === ''
    ? { ...all, name: selected }
    : all;
}

function split(names: readonly string[]): Pick<ResourceRequest, 'namespace' | 'resource' | 'name' | 'subresource'> {
  const [first = '', second = '', third = '', ...more] = names;
  if (first === 'namespaces' && names.length > 2 && !namespaceSubresources.has(third)) {
    return { namespace: second, resource: third, name: more[0] ?? '', subresource: subresourceOf(more.slice(1)) };
  }
  const namespace = first === 'namespaces' ? second : '';
  return { namespace, resource: first, name: second, subresource: subresourceOf([third, ...more].filter(Boolean)) };
}

function subresourceOf(parts: readonly string[]): string {
  return parts[0] === 'proxy' ? 'proxy' : parts.join('/');
}

function verbOf(method: HttpMethod, name: string, watching: boolean): Verb {
  const verb = writeVerbs[method];
  if (verb === 'delete' && name === '') return 'deletecollection';
  if (verb !== 'get') return verb;
  if (watching) return 'watch';
  return name === '' ? 'list' : 'get';
}

function decode(part: string): string {
  if (!part.includes('%')) return part;
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The real server's boolean query parameters: true if present, unless the value is false or 0. */
export function isTrue(value: string | null): boolean {
  return value !== null && value !== 'false' && value !== '0';
}
