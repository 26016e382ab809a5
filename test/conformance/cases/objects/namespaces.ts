// SPDX-License-Identifier: Apache-2.0
import { expect } from 'vitest';
import { refusalOf, successOf } from '../../answer.ts';
import { invalid } from '../../invalid.ts';
import type { Subject } from '../../trial.ts';

const namespaces = '/api/v1/namespaces';

/** Namespaces, from creation to deletion. */
export const namespaceLifecycle: Subject = {
  name: 'namespaces',
  cases: {
    'those that every cluster has are there': async (t) => {
      const { items } = await t.list(namespaces);
      const names = items.map(({ metadata }) => metadata.name);
      expect(names).toEqual(expect.arrayContaining(['default', 'kube-node-lease', 'kube-public', 'kube-system']));
    },
    'a namespace is active, labelled with its name and held by a finalizer of its spec': async (t) => {
      const name = t.unique('ns');
      const made = await t.make(namespaces, { metadata: { name } });
      expect(made).toMatchObject({
        metadata: { labels: { 'kubernetes.io/metadata.name': name } },
        spec: { finalizers: ['kubernetes'] },
        status: { phase: 'Active' },
      });
      expect(made.metadata).not.toHaveProperty('generation');
    },
    'a finalizer of a namespace has a domain': async (t) => {
      const name = t.unique('ns');
      const answer = await t.post(namespaces, { metadata: { name }, spec: { finalizers: ['Bad_Name'] } });
      const why = 'Invalid value: "Bad_Name": name is neither a standard finalizer name nor is it fully qualified';
      expect(refusalOf(answer)).toEqual(invalid('Namespace', name, ['spec.finalizers', 'Invalid', why]));
    },
    'the label with the name comes back': async (t) => {
      const name = await t.namespace();
      const labels = { 'kubernetes.io/metadata.name': 'other' };
      const { body } = await t.patch(`${namespaces}/${name}`, 'merge', { metadata: { labels } });
      expect(body.metadata.labels).toEqual({ 'kubernetes.io/metadata.name': name });
    },
    'a namespace gets a service account': async (t) => {
      const ns = await t.namespace();
      const account = await t.eventually(() => t.read(`${namespaces}/${ns}/serviceaccounts/default`));
      expect(account.metadata.name).toBe('default');
    },
    'a namespace that is deleted is terminating, and then gone with all that is in it': async (t) => {
      const ns = await t.namespace();
      await t.make(`${namespaces}/${ns}/configmaps`, { metadata: { name: 'm' } });
      const { code, body } = await t.delete(`${namespaces}/${ns}`);
      expect(code).toBe(200);
      expect(body).toMatchObject({
        kind: 'Namespace',
        metadata: { deletionTimestamp: expect.any(String) },
        status: { phase: 'Terminating' },
      });
      await t.eventually(async () => {
        expect((await t.get(`${namespaces}/${ns}`)).code).toBe(404);
      });
      expect((await t.get(`${namespaces}/${ns}/configmaps/m`)).code).toBe(404);
    },
    'nothing new comes into a namespace that is terminating': async (t) => {
      const ns = await t.namespace();
      const metadata = { name: 'm', finalizers: ['example.com/hold'] };
      await t.make(`${namespaces}/${ns}/configmaps`, { metadata });
      t.defer(async () => {
        await t.patch(`${namespaces}/${ns}/configmaps/m`, 'merge', { metadata: { finalizers: null } });
      });
      await t.delete(`${namespaces}/${ns}`);
      await t.eventually(async () => {
        expect(refusalOf(await t.post(`${namespaces}/${ns}/secrets`, { metadata: { name: 'late' } }))).toEqual({
          code: 403,
          reason: 'Forbidden',
          message: `secrets "late" is forbidden: unable to create new content in namespace ${ns} because it is being terminated`,
          details: {
            name: 'late',
            kind: 'secrets',
            causes: [
              {
                reason: 'NamespaceTerminating',
                message: `namespace ${ns} is being terminated`,
                field: 'metadata.namespace',
              },
            ],
          },
        });
      });
    },
    'a namespace waits for the finalizers of what is in it and says so in its conditions': async (t) => {
      const ns = await t.namespace();
      const path = `${namespaces}/${ns}/configmaps/m`;
      await t.make(`${namespaces}/${ns}/configmaps`, { metadata: { name: 'm', finalizers: ['example.com/hold'] } });
      await t.delete(`${namespaces}/${ns}`);
      await t.eventually(async () => {
        const { status } = await t.read(`${namespaces}/${ns}`);
        const conditions = (status['conditions'] ?? []) as {
          type: string;
          status: string;
          reason: string;
          message: string;
        }[];
        const told = Object.fromEntries(
          conditions.map((one) => [one.type, `${one.status} ${one.reason}: ${one.message}`]),
        );
        expect(told).toEqual({
          NamespaceDeletionDiscoveryFailure: 'False ResourcesDiscovered: All resources successfully discovered',
          NamespaceDeletionGroupVersionParsingFailure:
            'False ParsedGroupVersions: All legacy kube types successfully parsed',
          NamespaceDeletionContentFailure:
            'False ContentDeleted: All content successfully deleted, may be waiting on finalization',
          NamespaceContentRemaining:
            'True SomeResourcesRemain: Some resources are remaining: configmaps. has 1 resource instances',
          NamespaceFinalizersRemaining:
            'True SomeFinalizersRemain: Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances',
        });
      });
      successOf(await t.patch(path, 'merge', { metadata: { finalizers: null } }));
      await t.eventually(async () => expect((await t.get(`${namespaces}/${ns}`)).code).toBe(404));
    },
    'a namespace with a finalizer of its own waits for it': async (t) => {
      const name = t.unique('ns');
      await t.make(namespaces, { metadata: { name, finalizers: ['example.com/hold'] } });
      await t.delete(`${namespaces}/${name}`);
      await t.eventually(async () => {
        const { spec } = await t.read(`${namespaces}/${name}`);
        expect(spec).toEqual({});
      });
      await t.patch(`${namespaces}/${name}`, 'merge', { metadata: { finalizers: null } });
      await t.eventually(async () => expect((await t.get(`${namespaces}/${name}`)).code).toBe(404));
    },
    'the finalizers of the spec are changed by a path of their own': async (t) => {
      const name = t.unique('ns');
      const made = await t.make(namespaces, { metadata: { name }, spec: { finalizers: ['example.com/mine'] } });
      expect(made.spec).toEqual({ finalizers: ['example.com/mine', 'kubernetes'] });
      const patched = await t.patch(`${namespaces}/${name}`, 'merge', { spec: { finalizers: [] } });
      expect(patched.body.spec).toEqual(made.spec);
      const body = { metadata: { name }, spec: { finalizers: ['kubernetes'] } };
      const { code, body: changed } = await t.put(`${namespaces}/${name}/finalize`, body);
      expect(code).toBe(200);
      expect(changed.spec).toEqual({ finalizers: ['kubernetes'] });
    },
    'the namespaces of the system stay': async (t) => {
      for (const name of ['default', 'kube-system', 'kube-public']) {
        expect(refusalOf(await t.delete(`${namespaces}/${name}`))).toEqual({
          code: 403,
          reason: 'Forbidden',
          message: `namespaces "${name}" is forbidden: this namespace may not be deleted`,
          details: { name, kind: 'namespaces' },
        });
      }
    },
    'a second deletion of a namespace is answered like the first': async (t) => {
      const name = t.unique('ns');
      await t.make(namespaces, { metadata: { name, finalizers: ['example.com/hold'] } });
      t.defer(async () => {
        await t.patch(`${namespaces}/${name}`, 'merge', { metadata: { finalizers: null } });
      });
      await t.delete(`${namespaces}/${name}`);
      await t.eventually(async () => expect((await t.read(`${namespaces}/${name}`)).spec).toEqual({}));
      const { code, body } = await t.delete(`${namespaces}/${name}`);
      expect(code).toBe(200);
      expect(body.status['phase']).toBe('Terminating');
    },
  },
};
