// SPDX-License-Identifier: Apache-2.0
import { expect } from 'vitest';
import { refusalOf } from '../../answer.ts';
import { invalid } from '../../invalid.ts';
import { labelValueRule, qualifiedNameRule, subdomainRule } from '../../messages.ts';
import type { Subject, Trial } from '../../trial.ts';

const long = (length: number) => 'a'.repeat(length);

/** Tries to create a ConfigMap with this metadata and resolves with the error. */
async function refusedMap(t: Trial, metadata: object, more: object = {}) {
  const ns = await t.namespace();
  return refusalOf(await t.post(`/api/v1/namespaces/${ns}/configmaps`, { metadata, ...more }));
}

const owner = (name: string, uid: string, more: object = {}) => ({ apiVersion: 'v1', kind: 'X', name, uid, ...more });

/** Names, labels, annotations and the other fields of metadata, and their limits. */
export const metadata: Subject = {
  name: 'metadata',
  cases: {
    'a name must be a DNS subdomain': async (t) => {
      expect(await refusedMap(t, { name: 'B_' })).toEqual(
        invalid('ConfigMap', 'B_', `metadata.name: Invalid value: "B_": ${subdomainRule}`),
      );
    },
    'a name has at most 253 characters': async (t) => {
      const name = long(254);
      const message = `Invalid value: "${name}": must be no more than 253 characters`;
      expect(await refusedMap(t, { name })).toEqual(invalid('ConfigMap', name, ['metadata.name', 'Invalid', message]));
    },
    'a name or a beginning of one is required': async (t) => {
      expect(await refusedMap(t, {})).toEqual(
        invalid('ConfigMap', '', 'metadata.name: Required value: name or generateName is required'),
      );
    },
    'the name of a namespace has no dots': async (t) => {
      expect(refusalOf(await t.post('/api/v1/namespaces', { metadata: { name: 'a.b' } }))).toEqual(
        invalid('Namespace', 'a.b', 'metadata.name: Invalid value: "a.b": must not contain dots'),
      );
    },
    'a name may not be a path segment with a meaning': async (t) => {
      const ns = await t.namespace();
      const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name: '..' } };
      expect(refusalOf(await t.post(`/apis/rbac.authorization.k8s.io/v1/namespaces/${ns}/roles`, role))).toEqual(
        invalid('Role.rbac.authorization.k8s.io', '..', 'metadata.name: Invalid value: "..": may not be \'..\''),
      );
    },
    'the name of a Role may hold capitals and colons': async (t) => {
      const ns = await t.namespace();
      const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name: 'Team:One' } };
      const made = await t.make(`/apis/rbac.authorization.k8s.io/v1/namespaces/${ns}/roles`, role);
      expect(made.metadata.name).toBe('Team:One');
    },
    'keys and values of labels are checked, all of them at once': async (t) => {
      expect(await refusedMap(t, { name: 'a', labels: { 'bad key': 'v' } })).toEqual(
        invalid('ConfigMap', 'a', `metadata.labels: Invalid value: "bad key": name part ${qualifiedNameRule}`),
      );
      expect(await refusedMap(t, { name: 'a', labels: { key: 'bad value!' } })).toEqual(
        invalid('ConfigMap', 'a', `metadata.labels: Invalid value: "bad value!": ${labelValueRule}`),
      );
    },
    'the value of a label has at most 63 bytes': async (t) => {
      const message = `Invalid value: "${long(64)}": must be no more than 63 bytes`;
      expect(await refusedMap(t, { name: 'a', labels: { key: long(64) } })).toEqual(
        invalid('ConfigMap', 'a', ['metadata.labels', 'Invalid', message]),
      );
    },
    'a label key has at most one prefix': async (t) => {
      const message = `Invalid value: "a/b/c": a valid label key ${qualifiedNameRule} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`;
      expect(await refusedMap(t, { name: 'a', labels: { 'a/b/c': 'v' } })).toEqual(
        invalid('ConfigMap', 'a', ['metadata.labels', 'Invalid', message]),
      );
    },
    'keys of annotations are checked, their values are free': async (t) => {
      expect(await refusedMap(t, { name: 'a', annotations: { 'bad key': 'any value, {}' } })).toEqual(
        invalid('ConfigMap', 'a', `metadata.annotations: Invalid value: "bad key": name part ${qualifiedNameRule}`),
      );
      const ns = await t.namespace();
      const annotations = { 'example.com/Free': 'any value, {}\nä' };
      const made = await t.make(`/api/v1/namespaces/${ns}/configmaps`, { metadata: { name: 'a', annotations } });
      expect(made.metadata.annotations).toEqual(annotations);
    },
    'all annotations together have at most 256 KiB': async (t) => {
      const message = 'Too long: may not be more than 262144 bytes';
      expect(await refusedMap(t, { name: 'a', annotations: { k: long(262_144) } })).toEqual(
        invalid('ConfigMap', 'a', ['metadata.annotations', 'TooLong', message]),
      );
    },
    'a ConfigMap holds at most 1 MiB': async (t) => {
      const message = 'Too long: may not be more than 1048576 bytes';
      expect(await refusedMap(t, { name: 'a' }, { data: { k: long(1_048_577) } })).toEqual(
        invalid('ConfigMap', 'a', ['[]', 'TooLong', message]),
      );
    },
    'a request of more than 3 MiB is 413': async (t) => {
      expect(await refusedMap(t, { name: 'a' }, { data: { k: long(3_145_728) } })).toEqual({
        code: 413,
        reason: 'RequestEntityTooLarge',
        message: 'Request entity too large: limit is 3145728',
      });
    },
    'a finalizer needs a domain': async (t) => {
      const message = 'Invalid value: "mine": name is neither a standard finalizer name nor is it fully qualified';
      expect(await refusedMap(t, { name: 'a', finalizers: ['mine'] })).toEqual(
        invalid('ConfigMap', 'a', ['metadata.finalizers[0]', 'Invalid', message]),
      );
    },
    'an owner needs a version, a kind, a name and a UID': async (t) => {
      expect(await refusedMap(t, { name: 'a', ownerReferences: [{}] })).toEqual(
        invalid(
          'ConfigMap',
          'a',
          'metadata.ownerReferences.apiVersion: Invalid value: "": version must not be empty',
          'metadata.ownerReferences.kind: Invalid value: "": must not be empty',
          'metadata.ownerReferences.name: Invalid value: "": must not be empty',
          'metadata.ownerReferences.uid: Invalid value: "": must not be empty',
        ),
      );
    },
    'only one owner is the controller': async (t) => {
      const ownerReferences = [owner('one', '1', { controller: true }), owner('two', '2', { controller: true })];
      const message = `Invalid value: ${JSON.stringify(ownerReferences)}: Only one reference can have Controller set to true. Found "true" in references for X/one and X/two`;
      expect(await refusedMap(t, { name: 'a', ownerReferences })).toEqual(
        invalid('ConfigMap', 'a', ['metadata.ownerReferences', 'Invalid', message]),
      );
    },
    'an Event owns nothing': async (t) => {
      const event = { apiVersion: 'v1', kind: 'Event', name: 'a', uid: '1' };
      const message = `Invalid value: ${JSON.stringify(event)}: /v1, Kind=Event is disallowed from being an owner`;
      expect(await refusedMap(t, { name: 'a', ownerReferences: [event] })).toEqual(
        invalid('ConfigMap', 'a', ['metadata.ownerReferences', 'Invalid', message]),
      );
    },
    'the same owner twice is kept once, with a warning': async (t) => {
      const ns = await t.namespace();
      const ownerReferences = [owner('one', '1'), owner('one', '1')];
      const answer = await t.post(`/api/v1/namespaces/${ns}/configmaps`, { metadata: { name: 'a', ownerReferences } });
      expect(answer.body.metadata.ownerReferences).toEqual([owner('one', '1')]);
      expect(answer.headers['warning']).toBe(
        '299 - ".metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: 1"',
      );
    },
    'unknown fields of metadata are dropped': async (t) => {
      const ns = await t.namespace();
      const body = { metadata: { name: 'a', mine: 'yes', labels: { kept: 'yes' } } };
      const { metadata } = await t.make(`/api/v1/namespaces/${ns}/configmaps`, body);
      expect(metadata).not.toHaveProperty('mine');
      expect(metadata.labels).toEqual({ kept: 'yes' });
    },
  },
};
