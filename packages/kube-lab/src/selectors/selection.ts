// SPDX-License-Identifier: Apache-2.0
import { type FieldRequirement, type LabelRequirement, type Labels, matchesLabels } from '@operator-parts/kube';
import { asObject, type JsonObject } from '../json/json.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import { badRequest } from '../server/api-error.ts';
import type { Call } from '../server/core.ts';
import { hasFields, readFieldSelector } from './field-selector.ts';
import { parseLabelSelector } from './label-selector.ts';

/** What a list, watch or deletecollection selects. */
export interface Selection {
  /** The prefix of the objects' keys in the store. */
  readonly prefix: string;
  readonly empty: boolean;
  matches(object: JsonObject): boolean;
}

/** The selection of a request. Throws a 400 for invalid selectors or fields that are not selectable. */
export function selectionOf(call: Call): Selection {
  const { resource, info, query } = call;
  const labels = parseLabelSelector(query.get('labelSelector') ?? '');
  const fields = [...fieldsOf(resource, query.get('fieldSelector') ?? ''), ...nameField(info.name)];
  const prefix = resource.namespaced && info.namespace ? `${info.namespace}/` : '';
  const empty = labels.length === 0 && fields.length === 0;
  return { prefix, empty, matches: (object) => empty || selects(labels, fields, object) };
}

function selects(
  labels: readonly LabelRequirement[],
  fields: readonly FieldRequirement[],
  object: JsonObject,
): boolean {
  const metadata = asObject(object['metadata']);
  return hasFields(fields, object) && matchesLabels(labels, (asObject(metadata?.['labels']) ?? {}) as Labels);
}

function nameField(name: string): readonly FieldRequirement[] {
  return name ? [{ field: 'metadata.name', negated: false, value: name }] : [];
}

function fieldsOf(resource: ServedResource, text: string): readonly FieldRequirement[] {
  if (text === '') return [];
  const requirements = readFieldSelector(text);
  for (const { field } of requirements) {
    if (field === 'metadata.name' || (field === 'metadata.namespace' && resource.namespaced)) continue;
    if (!resource.selectableFields.includes(field)) throw unknownField(resource, field);
  }
  return requirements;
}

function unknownField({ custom, selectableFields }: ServedResource, field: string) {
  if (custom || selectableFields.length > 0) return badRequest(`field label not supported: ${field}`);
  const known = '"metadata.name", "metadata.namespace"';
  return badRequest(`${JSON.stringify(field)} is not a known field selector: only ${known}`);
}
