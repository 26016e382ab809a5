// SPDX-License-Identifier: Apache-2.0
import { expect } from 'vitest';
import { refusalOf, successOf } from '../../answer.ts';
import {
  conditionsOf,
  crdsPath,
  customKind,
  refusedDefinition,
  widgetDefinition,
  widgetsOf,
} from '../../custom-kind.ts';
import { type Cause, invalid } from '../../invalid.ts';
import type { Subject } from '../../trial.ts';

/** Where the server stores the schema of a definition with a single version. */
const schemaField = 'spec.validation.openAPIV3Schema';
const badDefinition = (...causes: readonly Cause[]) =>
  invalid('CustomResourceDefinition.apiextensions.k8s.io', 'widgets.GROUP', ...causes);
const brief = (conditions: readonly { type: string; status: string; reason: string; message: string }[]) =>
  Object.fromEntries(conditions.map(({ type, status, reason, message }) => [type, `${status} ${reason}: ${message}`]));

/** CustomResourceDefinitions: their stored form, and invalid ones. */
export const definitions: Subject = {
  name: 'definitions of kinds',
  cases: {
    'a definition is completed with names, a conversion and the version that is stored': async (t) => {
      const group = `${t.unique('group')}.example.com`;
      const definition = { names: { plural: 'widgets', kind: 'Widget' } };
      await t.make(crdsPath, widgetDefinition(group, { definition }));
      await conditionsOf(t, `widgets.${group}`, 'Established');
      const made = await t.read(`${crdsPath}/widgets.${group}`);
      const names = { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' };
      expect(made.spec).toMatchObject({ names, conversion: { strategy: 'None' } });
      expect(made.status).toMatchObject({ acceptedNames: names, storedVersions: ['v1'] });
      expect(made.metadata.generation).toBe(1);
    },
    'a good definition is accepted and established': async (t) => {
      const group = `${t.unique('group')}.example.com`;
      await t.make(crdsPath, widgetDefinition(group));
      const conditions = await conditionsOf(t, `widgets.${group}`, 'Established');
      expect(brief(conditions)).toEqual({
        NamesAccepted: 'True NoConflicts: no conflicts found',
        Established: 'True InitialNamesAccepted: the initial names have been accepted',
      });
    },
    'names that another definition of the group has are not accepted': async (t) => {
      const kind = await customKind(t);
      const second = widgetDefinition(kind.group, {
        definition: { names: { plural: 'gadgets', singular: 'gadget', kind: 'Widget', listKind: 'GadgetList' } },
      });
      await t.make(crdsPath, { ...second, metadata: { name: `gadgets.${kind.group}` } });
      const conditions = await conditionsOf(t, `gadgets.${kind.group}`, 'NamesAccepted', 'False');
      expect(brief(conditions)).toEqual({
        NamesAccepted: 'False KindConflict: "Widget" is already in use',
        Established: 'False NotAccepted: not all names are accepted',
      });
    },
    'a group below k8s.io needs approval': async (t) => {
      const group = `${t.unique('group')}.k8s.io`;
      expect(refusalOf(await t.post(crdsPath, widgetDefinition(group)))).toEqual(
        invalid(
          'CustomResourceDefinition.apiextensions.k8s.io',
          `widgets.${group}`,
          'metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111',
        ),
      );
    },
    'an approval that says so is accepted as unapproved': async (t) => {
      const group = `${t.unique('group')}.k8s.io`;
      const annotations = { 'api-approved.kubernetes.io': 'unapproved, experimental-only' };
      const definition = widgetDefinition(group);
      await t.make(crdsPath, { ...definition, metadata: { ...definition.metadata, annotations } });
      await conditionsOf(t, `widgets.${group}`, 'Established');
      const conditions = await conditionsOf(t, `widgets.${group}`, 'KubernetesAPIApprovalPolicyConformant', 'False');
      expect(brief(conditions)['KubernetesAPIApprovalPolicyConformant']).toBe(
        'False UnapprovedAnnotation: not approved: "unapproved, experimental-only"',
      );
    },
    'an approval that is a URL is conformant': async (t) => {
      const group = `${t.unique('group')}.k8s.io`;
      const annotations = { 'api-approved.kubernetes.io': 'https://github.com/kubernetes/kubernetes/pull/1' };
      const definition = widgetDefinition(group);
      await t.make(crdsPath, { ...definition, metadata: { ...definition.metadata, annotations } });
      const conditions = await conditionsOf(t, `widgets.${group}`, 'KubernetesAPIApprovalPolicyConformant');
      expect(brief(conditions)['KubernetesAPIApprovalPolicyConformant']).toBe(
        'True ApprovedAnnotation: approved in https://github.com/kubernetes/kubernetes/pull/1',
      );
    },
    'the name must be that of the resource and the group': async (t) => {
      const group = `${t.unique('group')}.example.com`;
      const definition = { ...widgetDefinition(group), metadata: { name: `wrong.${group}` } };
      expect(refusalOf(await t.post(crdsPath, definition))).toEqual(
        invalid(
          'CustomResourceDefinition.apiextensions.k8s.io',
          `wrong.${group}`,
          `metadata.name: Invalid value: "wrong.${group}": must be spec.names.plural+"."+spec.group`,
        ),
      );
    },
    'a schema is required': async (t) => {
      expect(await refusedDefinition(t, { version: { schema: {} } })).toEqual(
        badDefinition('spec.versions[0].schema.openAPIV3Schema: Required value'),
      );
    },
    'a schema must be structural: every level has a type': async (t) => {
      const spec = { type: 'object', properties: { size: { minimum: 1 } } };
      expect(await refusedDefinition(t, { spec })).toEqual(
        badDefinition(
          `${schemaField}.properties[spec].properties[size].type: Required value: must not be empty for specified object fields`,
        ),
      );
    },
    'a schema must be structural: a type is not said inside of alternatives': async (t) => {
      const spec = { type: 'object', anyOf: [{ type: 'object' }] };
      expect(await refusedDefinition(t, { spec })).toEqual(
        badDefinition(`${schemaField}.properties[spec].anyOf[0].type: Forbidden: must be empty to be structural`),
      );
    },
    'a schema names its properties or keeps additional ones, not both': async (t) => {
      const spec = { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: { type: 'string' } };
      expect(await refusedDefinition(t, { spec })).toEqual(
        badDefinition(
          `${schemaField}.properties[spec].additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive`,
        ),
      );
    },
    'a schema has no unique items and no references': async (t) => {
      const spec = {
        type: 'object',
        properties: { a: { type: 'array', uniqueItems: true, items: { type: 'string' } }, b: { $ref: '#/x' } },
      };
      const { code, details } = await refusedDefinition(t, { spec });
      expect(code).toBe(422);
      const { causes } = details as { causes: { field: string; message: string }[] };
      expect(causes.map(({ field, message }) => `${field}: ${message}`)).toEqual(
        expect.arrayContaining([
          `${schemaField}.properties[spec].properties[a].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic`,
          `${schemaField}.properties[spec].properties[b].$ref: Forbidden: $ref is not supported`,
        ]),
      );
    },
    'a default must fit its own schema': async (t) => {
      const spec = { type: 'object', properties: { size: { type: 'integer', minimum: 1, default: 0 } } };
      expect(await refusedDefinition(t, { spec })).toEqual(
        badDefinition(
          `${schemaField}.properties[spec].properties[size].default: Invalid value: 0:  in body should be greater than or equal to 1`,
        ),
      );
    },
    'a pattern must be one': async (t) => {
      const spec = { type: 'object', properties: { a: { type: 'string', pattern: '([' } } };
      expect(await refusedDefinition(t, { spec })).toMatchObject({
        code: 422,
        details: { causes: [{ field: `${schemaField}.properties[spec].properties[a].pattern` }] },
      });
    },
    'the keys of a keyed list are required or have a default': async (t) => {
      const items = { type: 'object', properties: { key: { type: 'string' } } };
      const list = { type: 'array', items, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['key'] };
      const spec = { type: 'object', properties: { list } };
      expect(await refusedDefinition(t, { spec })).toEqual(
        badDefinition(
          `${schemaField}.properties[spec].properties[list].items.properties[key].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property`,
        ),
      );
    },
    'a rule that does not compile is refused with the place': async (t) => {
      const rules = [{ rule: 'self.size >> 1' }];
      const spec = { type: 'object', properties: { size: { type: 'integer' } }, 'x-kubernetes-validations': rules };
      const { code, details } = await refusedDefinition(t, { spec });
      expect(code).toBe(422);
      const { causes } = details as { causes: { field: string; message: string; reason: string }[] };
      expect(causes).toHaveLength(1);
      expect(causes[0]).toMatchObject({
        reason: 'FieldValueInvalid',
        field: `${schemaField}.properties[spec].x-kubernetes-validations[0].rule`,
        message: expect.stringMatching(
          /^Invalid value: \{"Rule":"self\.size \\u003e\\u003e 1",.*\}: compilation failed: ERROR: <input>:1:12: Syntax error: /,
        ),
      });
    },
    'a rule over a field that is not there is refused': async (t) => {
      const rules = [{ rule: 'self.none > 1' }];
      const spec = { type: 'object', properties: { size: { type: 'integer' } }, 'x-kubernetes-validations': rules };
      expect(await refusedDefinition(t, { spec })).toMatchObject({
        code: 422,
        details: {
          causes: [
            {
              field: `${schemaField}.properties[spec].x-kubernetes-validations[0].rule`,
              message: expect.stringContaining("undefined field 'none'"),
            },
          ],
        },
      });
    },
    'a rule that costs too much is refused': async (t) => {
      const rules = [{ rule: "self.all(x, self.all(y, x != y || x == ''))" }];
      const list = { type: 'array', items: { type: 'string' }, 'x-kubernetes-validations': rules };
      const spec = { type: 'object', properties: { list } };
      const { code, details } = await refusedDefinition(t, { spec });
      expect(code).toBe(422);
      const { causes } = details as { causes: { field: string; message: string }[] };
      const rule = `${schemaField}.properties[spec].properties[list].x-kubernetes-validations[0].rule`;
      const advice =
        '(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)';
      expect(causes.map(({ field, message }) => `${field}: ${message}`)).toEqual([
        `${rule}: Forbidden: estimated rule cost exceeds budget by factor of more than 100x ${advice}`,
        `${rule}: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema`,
        `${schemaField}: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of more than 100x ${advice}`,
      ]);
    },
    'the scope cannot be changed later': async (t) => {
      const kind = await customKind(t);
      const { metadata } = await t.read(`${crdsPath}/${kind.name}`);
      const changed = { ...widgetDefinition(kind.group, { scope: 'Cluster' }), metadata };
      expect(refusalOf(await t.put(`${crdsPath}/${kind.name}`, changed))).toEqual(
        invalid(
          'CustomResourceDefinition.apiextensions.k8s.io',
          kind.name,
          'spec.scope: Invalid value: "Cluster": field is immutable',
        ),
      );
    },
    'exactly one version is stored': async (t) => {
      const one = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } };
      const versions = [one, { ...one, name: 'v2' }];
      const { code, details } = await refusedDefinition(t, { definition: { versions } });
      expect(code).toBe(422);
      expect(details).toMatchObject({
        causes: [
          {
            reason: 'FieldValueInvalid',
            field: 'spec.versions',
            message: expect.stringMatching(/: must have exactly one version marked as storage version$/),
          },
          { field: 'status.storedVersions', message: 'Invalid value: ["v1"]: must have the storage version v2' },
        ],
      });
    },
    'two versions show the same objects': async (t) => {
      const group = `${t.unique('group')}.example.com`;
      const openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
      const version = (name: string, storage: boolean) => ({
        name,
        served: true,
        storage,
        schema: { openAPIV3Schema },
      });
      const versions = [version('v1', true), version('v1beta1', false)];
      await t.make(crdsPath, widgetDefinition(group, { definition: { versions } }));
      const ns = await t.namespace();
      await t.eventually(async () => successOf(await t.get(`/apis/${group}/v1beta1/widgets`)));
      await t.make(`/apis/${group}/v1beta1/namespaces/${ns}/widgets`, {
        apiVersion: `${group}/v1beta1`,
        kind: 'Widget',
        metadata: { name: 'w' },
        spec: { a: 1 },
      });
      const seen = await t.read(widgetsOf(group).path(ns, 'w'));
      expect(seen).toMatchObject({ apiVersion: `${group}/v1`, spec: { a: 1 } });
    },
    'a deprecated version warns': async (t) => {
      const version = { deprecated: true, deprecationWarning: 'use v2' };
      const kind = await customKind(t, { version });
      const ns = await t.namespace();
      await t.eventually(async () => {
        const { headers } = await t.get(kind.path(ns));
        expect(headers['warning']).toBe('299 - "use v2"');
      });
    },
    'a definition that goes takes its objects along and is 404 afterwards': async (t) => {
      const kind = await customKind(t);
      const ns = await t.namespace();
      await t.make(kind.path(ns), kind.object('w'));
      expect((await t.delete(`${crdsPath}/${kind.name}`)).code).toBe(200);
      await t.eventually(async () => {
        expect((await t.get(`${crdsPath}/${kind.name}`)).code).toBe(404);
        expect((await t.get(kind.path(ns, 'w'))).code).toBe(404);
      });
    },
    'a definition waits for the finalizers of its objects': async (t) => {
      const kind = await customKind(t);
      const ns = await t.namespace();
      await t.make(kind.path(ns), { ...kind.object('w'), metadata: { name: 'w', finalizers: ['example.com/hold'] } });
      await t.delete(`${crdsPath}/${kind.name}`);
      await t.eventually(async () => {
        const { metadata } = await t.read(kind.path(ns, 'w'));
        expect(metadata).toHaveProperty('deletionTimestamp');
      });
      const definition = await t.read(`${crdsPath}/${kind.name}`);
      expect(definition.metadata.finalizers).toEqual(['customresourcecleanup.apiextensions.k8s.io']);
      // The server reads the definition from a separate cache.
      await t.eventually(async () => {
        expect(refusalOf(await t.post(`${kind.path(ns)}?dryRun=All`, kind.object('late')))).toEqual({
          code: 403,
          reason: 'Forbidden',
          message: `widgets.${kind.group} "late" is forbidden: create not allowed while custom resource definition is terminating`,
          details: { name: 'late', group: kind.group, kind: 'widgets' },
        });
      });
      await t.patch(kind.path(ns, 'w'), 'merge', { metadata: { finalizers: null } });
      await t.eventually(async () => expect((await t.get(`${crdsPath}/${kind.name}`)).code).toBe(404));
    },
  },
};
