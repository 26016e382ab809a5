// SPDX-License-Identifier: Apache-2.0
import { apiVersionOf } from '@operator-parts/kube';
import { stringify } from 'yaml';
import type { JsonObject } from '../json/json.ts';
import { listItemText } from '../registry/served-resource.ts';
import { ApiError } from '../server/api-error.ts';
import { type ApiResponse, header, jsonResponse } from '../server/api-request.ts';
import type { Call } from '../server/core.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import { partialMetadata, tableLayout, tableRow } from '../tables/table.ts';

/** The representation that a client requests. */
export type Form = 'object' | 'table' | 'metadata';

interface Wanted {
  readonly form: Form;
  readonly yaml: boolean;
}

const knownTypes = 'application/json, application/yaml, application/vnd.kubernetes.protobuf';
const watchTypes = 'application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch';

function isKnownType(clause: string): boolean {
  return ['application/json', 'application/yaml', '*/*'].includes(clause.split(';')[0]?.trim() ?? '');
}

const plain: Wanted = { form: 'object', yaml: false };

/** Parses `Accept`. The first supported form wins; if there is none, 406. */
export function wantedForm(call: Call): Wanted {
  const accept = header(call.request, 'accept');
  if (!accept || accept === 'application/json') return plain;
  const clauses = accept.split(',');
  for (const clause of clauses) {
    const wanted = readClause(clause);
    if (wanted) return wanted;
  }
  if (clauses.some((clause) => isKnownType(clause))) {
    throw new ApiError(406, 'NotAcceptable', `only the following media types are accepted: ${knownTypes}`);
  }
  const isCollection = call.info.name === '';
  const offered = isCollection ? `${knownTypes}, ${watchTypes}` : knownTypes;
  throw new ApiError(406, 'NotAcceptable', `406: Not Acceptable\n\nAvailable representations: ${offered}`, {});
}

function readClause(clause: string): Wanted | undefined {
  const [type = '', ...rest] = clause.split(';').map((part) => part.trim());
  const parameters = new Map(rest.map((part) => part.split('=') as [string, string]));
  const isYaml = type === 'application/yaml';
  if (type !== 'application/json' && type !== '*/*' && type !== 'application/*' && !isYaml) return undefined;
  const as = parameters.get('as');
  if (as === undefined) return { form: 'object', yaml: isYaml };
  if (parameters.get('g') !== 'meta.k8s.io' || parameters.get('v') !== 'v1') return undefined;
  if (as === 'Table') return { form: 'table', yaml: isYaml };
  return as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList'
    ? { form: 'metadata', yaml: isYaml }
    : undefined;
}

/** The answer with one object, in the requested form. */
export function objectAnswer(call: Call, status: number, stored: StoredObject): ApiResponse {
  const wanted = wantedForm(call);
  return respond(status, wanted, objectText(call, wanted.form, stored));
}

/** The text of one object in a form. */
export function objectText(call: Call, form: Form, stored: StoredObject, withColumns = true): string {
  const { codec } = call.resource;
  if (form === 'object') return codec.encode(stored);
  const object = codec.toVersion(stored.object);
  if (form === 'metadata') return JSON.stringify(partialMetadata(object));
  const version = (object['metadata'] as JsonObject)['resourceVersion'];
  const table = tableOf(call, [stored], { resourceVersion: String(version ?? '') });
  return JSON.stringify(withColumns ? table : { ...table, columnDefinitions: null });
}

/** The answer with a list, in the requested form. */
export function listAnswer(call: Call, items: readonly StoredObject[], metadata: JsonObject): ApiResponse {
  const { resource } = call;
  const wanted = wantedForm(call);
  if (wanted.form === 'table') return respond(200, wanted, JSON.stringify(tableOf(call, items, metadata)));
  if (wanted.form === 'metadata') {
    const partial = items.map((item) => partialMetadata(resource.codec.toVersion(item.object)));
    const list = { kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1', metadata, items: partial };
    return respond(200, wanted, JSON.stringify(list));
  }
  const head = `{"kind":"${resource.listKind}","apiVersion":"${apiVersionOf(resource)}","metadata":${JSON.stringify(metadata)},"items":[`;
  return respond(200, wanted, `${head}${items.map((item) => listItemText(resource, item)).join(',')}]}\n`);
}

/** Objects as a `Table`. */
function tableOf(call: Call, items: readonly StoredObject[], metadata: JsonObject): JsonObject {
  const layout = tableLayout(call.resource);
  const now = call.core.clock.now();
  const include = call.query.get('includeObject') ?? 'Metadata';
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata,
    columnDefinitions: [...layout.columnDefinitions],
    rows: items.map((item) => tableRow(layout, call.resource.codec.toVersion(item.object), now, include)),
  };
}

function respond(status: number, { yaml }: Wanted, text: string): ApiResponse {
  if (!yaml) return jsonResponse(status, text);
  return {
    status,
    headers: { 'content-type': 'application/yaml' },
    body: stringify(JSON.parse(text), { version: '1.1', sortMapEntries: true }),
  };
}
