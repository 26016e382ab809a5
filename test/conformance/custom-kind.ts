// SPDX-License-Identifier: Apache-2.0
import { expect } from 'vitest';
import { type Refusal, refusalOf, successOf } from './answer.ts';
import type { Stored } from './caller.ts';
import type { Trial } from './trial.ts';

export const crdsPath = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** The specific parts of a case's own kind. Everything else is minimal. */
export interface CustomKindOptions {
  /** The schema of `spec`. @default an object that keeps all fields */
  readonly spec?: object;
  /** The schema of `status`. @default an object that keeps all fields */
  readonly status?: object;
  /** Further parts of the schema's root, such as rules. @default none */
  readonly root?: object;
  /** Further parts of the only version: subresources, columns, selectable fields. @default none */
  readonly version?: object;
  /** @default 'Namespaced' */
  readonly scope?: 'Namespaced' | 'Cluster';
  /** Further parts of the definition's `spec`. @default none */
  readonly definition?: object;
}

/** A kind that a case has defined, in a separate group. */
export interface CustomKind {
  readonly group: string;
  readonly apiVersion: string;
  /** The name of the definition. */
  readonly name: string;
  /** The path of its objects. */
  path(namespace: string, name?: string): string;
  object(name: string, fields?: object): object;
}

const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/** The definition of a kind `Widget` in a group. */
export function widgetDefinition(
  group: string,
  options: CustomKindOptions = {},
): { metadata: { name: string }; spec: object } {
  const {
    spec = anything,
    status = anything,
    root = {},
    version = {},
    scope = 'Namespaced',
    definition = {},
  } = options;
  const openAPIV3Schema = { type: 'object', properties: { spec, status }, ...root };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `widgets.${group}` },
    spec: {
      group,
      scope,
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema }, ...version }],
      ...definition,
    },
  } as { metadata: { name: string }; spec: object };
}

/**
 * Defines a kind and waits until it is served and established: then the server does not update its definition any more.
 */
export async function customKind(t: Trial, options: CustomKindOptions = {}): Promise<CustomKind> {
  const group = `${t.unique('group')}.example.com`;
  await t.make(crdsPath, widgetDefinition(group, options));
  const kind = widgetsOf(group, options.scope);
  await t.eventually(async () => successOf(await t.get(`/apis/${group}/v1/widgets`)));
  await conditionsOf(t, kind.name, 'Established');
  return kind;
}

/** The kind `Widget` of a group, possibly not served yet. */
export function widgetsOf(group: string, scope: 'Namespaced' | 'Cluster' = 'Namespaced'): CustomKind {
  return {
    group,
    apiVersion: `${group}/v1`,
    name: `widgets.${group}`,
    path: (namespace, name) =>
      `/apis/${group}/v1/${scope === 'Cluster' ? '' : `namespaces/${namespace}/`}widgets${name === undefined ? '' : `/${name}`}`,
    object: (name, fields = {}) => ({ apiVersion: `${group}/v1`, kind: 'Widget', metadata: { name }, ...fields }),
  };
}

/** Tries to create an invalid definition; resolves with the error, in which the group is `GROUP`. */
export async function refusedDefinition(t: Trial, options: CustomKindOptions): Promise<Refusal> {
  const group = `${t.unique('group')}.example.com`;
  const refusal = refusalOf(await t.post(crdsPath, widgetDefinition(group, options)));
  return JSON.parse(JSON.stringify(refusal).replaceAll(group, 'GROUP')) as Refusal;
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** The conditions of a definition, once this condition has this status. */
export function conditionsOf(
  t: Trial,
  name: string,
  type: string,
  status: 'True' | 'False' = 'True',
): Promise<readonly Condition[]> {
  return t.eventually(async () => {
    const definition = await t.read<Stored & { status: { conditions?: readonly Condition[] } }>(`${crdsPath}/${name}`);
    const conditions = definition.status.conditions ?? [];
    expect(conditions.map((condition) => `${condition.type}=${condition.status}`)).toContain(`${type}=${status}`);
    return conditions;
  });
}
