// SPDX-License-Identifier: Apache-2.0
import { expect } from 'vitest';
import { badRequest, refusalOf } from '../../answer.ts';
import type { Subject, Trial } from '../../trial.ts';

const secretsIn = (namespace: string) => `/api/v1/namespaces/${namespace}/secrets`;

const labels: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  a: { app: 'one', tier: 'front' },
  b: { app: 'two', tier: 'front' },
  c: { app: 'one' },
  d: {},
};

/** A namespace with four Secrets with different labels. */
async function labelled(t: Trial): Promise<string> {
  const ns = await t.namespace();
  for (const name of Object.keys(labels)) {
    await t.make(secretsIn(ns), {
      metadata: { name, labels: labels[name] },
      type: name === 'a' ? 'example.com/a' : 'Opaque',
    });
  }
  return ns;
}

/** The names a query selects, joined. */
async function names(t: Trial, ns: string, query: Readonly<Record<string, string>>): Promise<string> {
  const { items } = await t.list(`${secretsIn(ns)}?${new URLSearchParams(query)}`);
  return items.map(({ metadata }) => metadata.name).join(' ');
}

const refused = async (t: Trial, path: string, query: Readonly<Record<string, string>>) =>
  refusalOf(await t.get(`${path}?${new URLSearchParams(query)}`));

/** Label and field selectors of lists. */
export const selectors: Subject = {
  name: 'selectors',
  cases: {
    'labels can be equal, unequal, both, and written with one or two equals signs': async (t) => {
      const ns = await labelled(t);
      expect(await names(t, ns, { labelSelector: 'app=one' })).toBe('a c');
      expect(await names(t, ns, { labelSelector: 'app==one' })).toBe('a c');
      expect(await names(t, ns, { labelSelector: 'app!=one' })).toBe('b d');
      expect(await names(t, ns, { labelSelector: 'app=one,tier=front' })).toBe('a');
    },
    'labels can be in a set or not, and what lacks the label is not in the set': async (t) => {
      const ns = await labelled(t);
      expect(await names(t, ns, { labelSelector: 'app in (one, two)' })).toBe('a b c');
      expect(await names(t, ns, { labelSelector: 'app notin (two)' })).toBe('a c d');
      expect(await names(t, ns, { labelSelector: 'app in (one),tier notin (front)' })).toBe('c');
    },
    'labels can be there or not': async (t) => {
      const ns = await labelled(t);
      expect(await names(t, ns, { labelSelector: 'tier' })).toBe('a b');
      expect(await names(t, ns, { labelSelector: '!tier' })).toBe('c d');
      expect(await names(t, ns, { labelSelector: 'app,!tier' })).toBe('c');
    },
    'labels that are numbers can be greater or less': async (t) => {
      const ns = await t.namespace();
      for (const weight of ['5', '10', 'heavy']) {
        await t.make(secretsIn(ns), { metadata: { name: `w${weight}`, labels: { weight } } });
      }
      expect(await names(t, ns, { labelSelector: 'weight>6' })).toBe('w10');
      expect(await names(t, ns, { labelSelector: 'weight<10' })).toBe('w5');
    },
    'an empty label selector selects everything': async (t) => {
      const ns = await labelled(t);
      expect(await names(t, ns, { labelSelector: '' })).toBe('a b c d');
    },
    'a label selector that cannot be read is 400 and says why': async (t) => {
      const ns = await t.namespace();
      expect(await refused(t, secretsIn(ns), { labelSelector: 'a in b' })).toEqual(
        badRequest(`unable to parse requirement: found 'b' expected: '('`),
      );
      const { code, message } = await refused(t, secretsIn(ns), { labelSelector: 'app=bad value!' });
      expect({ code, message }).toEqual({
        code: 400,
        message: `found 'value', expected: ',' or 'end of string'`,
      });
    },
    'every kind can be selected by name and namespace': async (t) => {
      const ns = await labelled(t);
      expect(await names(t, ns, { fieldSelector: 'metadata.name=b' })).toBe('b');
      expect(await names(t, ns, { fieldSelector: 'metadata.name!=b' })).toBe('a c d');
      const { items } = await t.list(`/api/v1/secrets?fieldSelector=metadata.namespace%3D${ns},metadata.name%3Da`);
      expect(items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)).toEqual([`${ns}/a`]);
    },
    'a Secret can be selected by type': async (t) => {
      const ns = await labelled(t);
      expect(await names(t, ns, { fieldSelector: 'type=example.com/a' })).toBe('a');
      expect(await names(t, ns, { fieldSelector: 'type!=example.com/a', labelSelector: 'app' })).toBe('b c');
    },
    'a Pod can be selected by node, phase, restart policy and service account': async (t) => {
      const ns = await t.podNamespace();
      const pods = `/api/v1/namespaces/${ns}/pods`;
      const containers = [{ name: 'c', image: 'i' }];
      const node = t.unique('node');
      await t.make(pods, { metadata: { name: 'a' }, spec: { containers, nodeName: node, restartPolicy: 'Never' } });
      await t.make(pods, { metadata: { name: 'b' }, spec: { containers } });
      const chosen = async (fieldSelector: string) =>
        (await t.list(`${pods}?${new URLSearchParams({ fieldSelector })}`)).items.map(({ metadata }) => metadata.name);
      expect(await chosen(`spec.nodeName=${node}`)).toEqual(['a']);
      expect(await chosen('spec.nodeName=')).toEqual(['b']);
      expect(await chosen('spec.restartPolicy=Never')).toEqual(['a']);
      expect(await chosen('status.phase=Pending')).toEqual(['a', 'b']);
      expect(await chosen('status.phase!=Pending')).toEqual([]);
      expect(await chosen('spec.serviceAccountName=default')).toEqual(['a', 'b']);
    },
    'a field that is not selectable is 400': async (t) => {
      const ns = await t.namespace();
      expect(await refused(t, secretsIn(ns), { fieldSelector: 'data.key=x' })).toEqual(
        badRequest('field label not supported: data.key'),
      );
      expect(await refused(t, `/api/v1/namespaces/${ns}/pods`, { fieldSelector: 'spec.hostname=x' })).toEqual(
        badRequest('field label not supported: spec.hostname'),
      );
      expect(await refused(t, `/apis/apps/v1/namespaces/${ns}/deployments`, { fieldSelector: 'spec.x=y' })).toEqual(
        badRequest('"spec.x" is not a known field selector: only "metadata.name", "metadata.namespace"'),
      );
    },
    'a field selector that cannot be read is 400': async (t) => {
      const ns = await t.namespace();
      const { code, reason, message } = await refused(t, secretsIn(ns), { fieldSelector: 'metadata.name' });
      expect({ code, reason, message }).toEqual(
        badRequest(`invalid selector: 'metadata.name'; can't understand 'metadata.name'`),
      );
    },
    'an Event can be selected by what it is about': async (t) => {
      const ns = await t.namespace();
      const events = `/api/v1/namespaces/${ns}/events`;
      const event = (name: string, about: string, reason: string) => ({
        metadata: { name },
        involvedObject: { apiVersion: 'v1', kind: 'Pod', namespace: ns, name: about },
        reason,
        type: 'Normal',
      });
      await t.make(events, event('a', 'pod-1', 'Pulled'));
      await t.make(events, event('b', 'pod-2', 'Started'));
      const chosen = async (fieldSelector: string) =>
        (await t.list(`${events}?${new URLSearchParams({ fieldSelector })}`)).items.map(
          ({ metadata }) => metadata.name,
        );
      expect(await chosen('involvedObject.name=pod-1')).toEqual(['a']);
      expect(await chosen('reason=Started')).toEqual(['b']);
      expect(await chosen('involvedObject.kind=Pod,type=Normal')).toEqual(['a', 'b']);
    },
    'lists are ordered by namespace, then by name': async (t) => {
      const names = [t.unique('order'), t.unique('order')].toReversed();
      for (const name of names) await t.make('/api/v1/namespaces', { metadata: { name, labels: { order: 'yes' } } });
      for (const ns of names) {
        for (const name of ['b', 'a.b', 'a', 'a-b']) {
          await t.make(secretsIn(ns), { metadata: { name, labels: { order: 'yes' } } });
        }
      }
      const { items } = await t.list('/api/v1/secrets?labelSelector=order%3Dyes');
      expect(items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)).toEqual(
        names.toSorted().flatMap((ns) => ['a', 'a-b', 'a.b', 'b'].map((name) => `${ns}/${name}`)),
      );
    },
    'an object in a list carries neither kind nor apiVersion': async (t) => {
      const ns = await labelled(t);
      const list = await t.list(secretsIn(ns));
      expect(list).toMatchObject({ kind: 'SecretList', apiVersion: 'v1' });
      for (const item of list.items) {
        expect(item).not.toHaveProperty('kind');
        expect(item).not.toHaveProperty('apiVersion');
      }
    },
  },
};
