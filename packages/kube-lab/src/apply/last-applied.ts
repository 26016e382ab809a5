// SPDX-License-Identifier: Apache-2.0
import { asObject, getIn, isObject, type Json, type JsonObject } from '../json/json.ts';
import { compareValues } from './compare.ts';
import { type Conflict, ConflictError } from './conflict.ts';
import { type Applied, applyConfig, type OwnershipRules, type Writer } from './field-manager.ts';
import type { FieldSet } from './field-set.ts';
import { toFieldSet } from './to-field-set.ts';

const annotation = 'kubectl.kubernetes.io/last-applied-configuration';

/** The maximum total size of annotations. If it would be exceeded, the last-applied annotation is removed. */
const annotationsLimit = 256 * 1024;

/**
 * Server-side apply by `kubectl`, whose user may have used client-side apply before.
 * - Fields that the last client-side apply set and that have not changed since cause no conflict: `kubectl` takes them
 *   over.
 * - The last-applied annotation is kept up to date, so that client-side apply still works.
 */
export function applyAfterClient(
  rules: OwnershipRules,
  live: JsonObject,
  empty: JsonObject,
  config: JsonObject,
  writer: Writer,
  force: boolean,
): Applied {
  const attempt = (forced: boolean) => applyConfig(rules, live, empty, config, writer, forced);
  // Only the default manager name of `kubectl` stands for a user of client-side apply.
  if (writer.manager !== 'kubectl') return attempt(force);
  return withLastApplied(
    attemptOwn(attempt, force, () => stillApplied(rules, live, writer.apiVersion)),
    config,
  );
}

function attemptOwn(attempt: (forced: boolean) => Applied, force: boolean, own: () => FieldSet | undefined): Applied {
  try {
    return attempt(force);
  } catch (error) {
    const allowed = error instanceof ConflictError ? own() : undefined;
    if (!(error instanceof ConflictError) || !allowed) throw error;
    const left = error.conflicts
      .map(({ manager, fields }): Conflict => ({ manager, fields: fields.difference(allowed) }))
      .filter(({ fields }) => !fields.isEmpty);
    if (left.length > 0) throw new ConflictError(left);
    return attempt(true);
  }
}

/**
 * The fields that the last client-side apply set and that have not changed since; undefined if there was no such apply
 * with this API version.
 */
function stillApplied({ type }: OwnershipRules, live: JsonObject, apiVersion: string): FieldSet | undefined {
  const last = parsed(getIn(live, 'metadata', 'annotations', annotation));
  if (!last || last['apiVersion'] !== apiVersion) return undefined;
  const { modified, added, removed } = compareValues(type, last, live);
  return toFieldSet(type, last).difference(modified).difference(added).difference(removed);
}

function parsed(text: Json | undefined): JsonObject | undefined {
  if (typeof text !== 'string' || text === '') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function withLastApplied({ object }: Applied, config: JsonObject): Applied {
  const metadata = asObject(object['metadata']) ?? {};
  const annotations = asObject(metadata['annotations']);
  if (!annotations?.[annotation]) return { object };
  const { [annotation]: _before, ...others } = annotations;
  const next: JsonObject = { ...others, [annotation]: configText(config) };
  const size = Object.entries(next).reduce((sum, [key, value]) => sum + key.length + String(value).length, 0);
  return { object: { ...object, metadata: { ...metadata, annotations: size > annotationsLimit ? others : next } } };
}

/** JSON in Go's format: sorted keys, escaped HTML characters, and a final newline. */
function configText(config: JsonObject): string {
  const { metadata, ...rest } = config;
  const own = { ...asObject(metadata) };
  const annotations = asObject(own['annotations']);
  if (annotations) {
    const { [annotation]: _before, ...others } = annotations;
    own['annotations'] = others;
  }
  const text = JSON.stringify(inOrder({ ...rest, metadata: own }));
  return `${text.replace(/[<>&]/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`)}\n`;
}

function inOrder(value: Json): Json {
  if (Array.isArray(value)) return value.map(inOrder);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, one]) => [key, inOrder(one ?? null)]));
}
