// SPDX-License-Identifier: Apache-2.0
import { expect } from 'vitest';
import { type Answer, refusalOf, successOf } from '../../answer.ts';
import type { Stored } from '../../caller.ts';
import { customKind } from '../../custom-kind.ts';
import { invalid } from '../../invalid.ts';
import type { Subject, Trial } from '../../trial.ts';
import { type AdmissionRequest, startWebhookServer, type Webhook } from '../../webhook-server.ts';

const configurations = {
  Mutating: '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations',
  Validating: '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
};
const mapsIn = (namespace: string) => `/api/v1/namespaces/${namespace}/configmaps`;
const mapRules = [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['*'] }];

interface Hook {
  readonly ns: string;
  readonly webhook: Webhook;
  /** Orders the configurations of a case. @default any */
  readonly name?: string;
  /** Further fields of the webhook. @default none */
  readonly fields?: object;
}

/** Registers a webhook for one namespace and waits until the server uses it. */
async function register(
  t: Trial,
  type: keyof typeof configurations,
  { ns, webhook, name = 'any', fields = {} }: Hook,
): Promise<string> {
  const server = await startWebhookServer();
  t.defer(async () => server[Symbol.asyncDispose]());
  let seen = false;
  const clientConfig = server.serve((request) => {
    seen = true;
    return request.name?.startsWith('probe') ? { allowed: true } : webhook(request);
  });
  const path = configurations[type];
  const configuration = t.unique(name);
  const hook = {
    name: 'hook.example.com',
    clientConfig,
    rules: mapRules,
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': ns } },
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
    ...fields,
  };
  const probing = { ...hook, matchConditions: undefined, objectSelector: undefined, rules: mapRules };
  t.defer(async () => {
    await t.delete(`${path}/${configuration}`);
  });
  await t.make(path, { metadata: { name: configuration }, webhooks: [probing] });
  await t.eventually(async () => {
    await t.post(`${mapsIn(ns)}?dryRun=All`, { metadata: { name: t.unique('probe') } });
    expect(seen).toBe(true);
  });
  if ('matchConditions' in fields || 'objectSelector' in fields || 'rules' in fields) {
    await t.patch(`${path}/${configuration}`, 'merge', { webhooks: [hook] });
    // Only the effect shows that the server has seen the change, so the case repeats itself.
  }
  return configuration;
}

const allow: Webhook = () => ({ allowed: true });
const deny: Webhook = () => ({ allowed: false, status: { message: 'because' } });
const label =
  (key: string, value: string): Webhook =>
  () => ({
    allowed: true,
    patch: [{ op: 'add', path: '/metadata/labels', value: { [key]: value } }],
  });

/** The requests to a webhook that allows everything. */
async function recorded(t: Trial, ns: string, fields = {}): Promise<readonly AdmissionRequest[]> {
  const asked: AdmissionRequest[] = [];
  const webhook: Webhook = (request) => {
    asked.push(request);
    return { allowed: true };
  };
  await register(t, 'Validating', { ns, webhook, fields });
  return asked;
}

const make = (t: Trial, ns: string, more: object = {}): Promise<Answer<Stored>> =>
  t.post(mapsIn(ns), { metadata: { name: t.unique('m') }, ...more });

/** Admission webhooks. */
export const admission: Subject = {
  name: 'admission webhooks',
  cases: {
    'a webhook is asked with all there is to know': async (t) => {
      const ns = await t.namespace();
      const asked = await recorded(t, ns);
      const user = t.as({ user: 'ann', groups: ['system:masters'] });
      successOf(await user.post(`${mapsIn(ns)}?fieldManager=me`, { metadata: { name: 'm' }, data: { a: '1' } }));
      const [request] = asked;
      expect(request).toMatchObject({
        uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
        kind: { group: '', version: 'v1', kind: 'ConfigMap' },
        resource: { group: '', version: 'v1', resource: 'configmaps' },
        requestKind: { group: '', version: 'v1', kind: 'ConfigMap' },
        requestResource: { group: '', version: 'v1', resource: 'configmaps' },
        name: 'm',
        namespace: ns,
        operation: 'CREATE',
        userInfo: { username: 'ann', groups: ['system:masters', 'system:authenticated'] },
        object: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'm', namespace: ns }, data: { a: '1' } },
        oldObject: null,
        dryRun: false,
        options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1', fieldManager: 'me' },
      });
      expect(request?.object?.metadata).toHaveProperty('uid');
      expect(request?.object?.metadata).toHaveProperty('managedFields');
    },
    'a change shows both states, a deletion the last one': async (t) => {
      const ns = await t.namespace();
      const asked = await recorded(t, ns);
      await t.make(mapsIn(ns), { metadata: { name: 'm' }, data: { a: '1' } });
      await t.patch(`${mapsIn(ns)}/m`, 'merge', { data: { a: '2' } });
      await t.delete(`${mapsIn(ns)}/m`);
      const seen = asked.map(({ operation, object, oldObject }) => [operation, oldObject?.data, object?.data]);
      expect(seen).toEqual([
        ['CREATE', undefined, { a: '1' }],
        ['UPDATE', { a: '1' }, { a: '2' }],
        ['DELETE', { a: '2' }, undefined],
      ]);
    },
    'a denial is 400 with the message of the webhook, and nothing is stored': async (t) => {
      const ns = await t.namespace();
      await register(t, 'Validating', { ns, webhook: deny });
      expect(refusalOf(await make(t, ns))).toEqual({
        code: 400,
        message: 'admission webhook "hook.example.com" denied the request: because',
      });
      expect((await t.list(`${mapsIn(ns)}?fieldSelector=metadata.name%21%3Dkube-root-ca.crt`)).items).toEqual([]);
    },
    'a denial without a reason has none': async (t) => {
      const ns = await t.namespace();
      await register(t, 'Validating', { ns, webhook: () => ({ allowed: false }) });
      expect(refusalOf(await make(t, ns))).toEqual({
        code: 400,
        message: 'admission webhook "hook.example.com" denied the request without explanation',
      });
    },
    'a denial may choose its code and reason': async (t) => {
      const ns = await t.namespace();
      const status = {
        code: 422,
        reason: 'Invalid',
        message: 'wrong',
        details: { causes: [{ field: 'data', message: 'no' }] },
      };
      await register(t, 'Validating', { ns, webhook: () => ({ allowed: false, status }) });
      expect(refusalOf(await make(t, ns))).toMatchObject({
        code: 422,
        reason: 'Invalid',
        message: 'admission webhook "hook.example.com" denied the request: wrong',
      });
    },
    'warnings reach the client': async (t) => {
      const ns = await t.namespace();
      await register(t, 'Validating', { ns, webhook: () => ({ allowed: true, warnings: ['mind the "gap"', 'two'] }) });
      const { code, headers } = await make(t, ns);
      expect(code).toBe(201);
      expect(headers['warning']).toBe('299 - "mind the \\"gap\\"", 299 - "two"');
    },
    'a patch changes what is stored': async (t) => {
      const ns = await t.namespace();
      const patch = [
        { op: 'add', path: '/metadata/labels', value: { by: 'hook' } },
        { op: 'replace', path: '/data/a', value: '2' },
      ];
      await register(t, 'Mutating', { ns, webhook: () => ({ allowed: true, patch }) });
      const { body } = await make(t, ns, { data: { a: '1' } });
      expect(body).toMatchObject({ metadata: { labels: { by: 'hook' } }, data: { a: '2' } });
      expect(await t.read(`${mapsIn(ns)}/${body.metadata.name}`)).toEqual(body);
    },
    'configurations are asked in the order of their names, and see what was changed before': async (t) => {
      const ns = await t.namespace();
      const append =
        (word: string): Webhook =>
        ({ object }) => ({
          allowed: true,
          patch: [{ op: 'replace', path: '/data/a', value: `${object?.data['a']} ${word}` }],
        });
      await register(t, 'Mutating', { ns, webhook: append('second'), name: 'b' });
      await register(t, 'Mutating', { ns, webhook: append('first'), name: 'a' });
      const { body } = await make(t, ns, { data: { a: 'start' } });
      expect(body.data).toEqual({ a: 'start first second' });
    },
    'a webhook is asked again, if it wants, when a later one has changed the object': async (t) => {
      const ns = await t.namespace();
      let calls = 0;
      const counting: Webhook = () => {
        calls += 1;
        return { allowed: true };
      };
      await register(t, 'Mutating', { ns, webhook: counting, name: 'a', fields: { reinvocationPolicy: 'IfNeeded' } });
      await register(t, 'Mutating', { ns, webhook: label('by', 'later'), name: 'b' });
      calls = 0;
      expect((await make(t, ns)).body.metadata.labels).toEqual({ by: 'later' });
      expect(calls).toBe(2);
    },
    'validating webhooks see the changes of mutating ones': async (t) => {
      const ns = await t.namespace();
      await register(t, 'Mutating', { ns, webhook: label('by', 'hook') });
      const webhook: Webhook = ({ object }) => ({ allowed: object?.metadata.labels?.['by'] === 'hook' });
      await register(t, 'Validating', { ns, webhook });
      expect((await make(t, ns)).code).toBe(201);
    },
    'what a webhook has made of an object is validated': async (t) => {
      const ns = await t.namespace();
      await register(t, 'Mutating', { ns, webhook: label('bad key', 'x') });
      const { code, reason } = refusalOf(await make(t, ns));
      expect({ code, reason }).toEqual({ code: 422, reason: 'Invalid' });
    },
    'a patch that cannot be applied is 500': async (t) => {
      const ns = await t.namespace();
      const patch = [{ op: 'remove', path: '/data/none' }];
      await register(t, 'Mutating', { ns, webhook: () => ({ allowed: true, patch }) });
      const { code, reason, message } = refusalOf(await make(t, ns));
      expect({ code, reason }).toEqual({ code: 500, reason: 'InternalError' });
      expect(message).toMatch(/^Internal error occurred: /);
    },
    'a webhook that cannot be reached refuses, or is ignored if it says so': async (t) => {
      const [strict, loose] = [await t.namespace(), await t.namespace()];
      const clientConfig = { url: 'https://127.0.0.1:1/none' };
      const hook = (ns: string, failurePolicy: string) => ({
        name: 'down.example.com',
        clientConfig,
        rules: mapRules,
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': ns } },
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        failurePolicy,
      });
      const name = t.unique('down');
      t.defer(async () => {
        await t.delete(`${configurations.Validating}/${name}`);
      });
      await t.make(configurations.Validating, {
        metadata: { name },
        webhooks: [hook(strict, 'Fail'), { ...hook(loose, 'Ignore'), name: 'ignored.example.com' }],
      });
      const refused = await t.eventually(async () => {
        const answer = await make(t, strict);
        expect(answer.code).toBe(500);
        return refusalOf(answer);
      });
      expect(refused).toMatchObject({
        reason: 'InternalError',
        message: expect.stringMatching(
          /^Internal error occurred: failed calling webhook "down\.example\.com": failed to call webhook: Post "https:\/\/127\.0\.0\.1:1\/none\?timeout=10s": dial tcp 127\.0\.0\.1:1: connect: connection refused$/,
        ),
        details: { causes: [{ message: expect.stringMatching(/^failed calling webhook /) }] },
      });
      expect((await make(t, loose)).code).toBe(201);
    },
    'a webhook that takes too long refuses': async (t) => {
      const ns = await t.namespace();
      const hangs: Webhook = () => new Promise<never>(() => undefined);
      await register(t, 'Validating', { ns, webhook: hangs, fields: { timeoutSeconds: 1 } });
      const { code, reason, message } = refusalOf(await make(t, ns));
      expect({ code, reason }).toEqual({ code: 500, reason: 'InternalError' });
      expect(message).toMatch(
        /^Internal error occurred: failed calling webhook "hook\.example\.com": failed to call webhook: Post "https:\/\/127\.0\.0\.1:\d+\/0\?timeout=1s": context deadline exceeded$/,
      );
    },
    'objects can be selected by label': async (t) => {
      const ns = await t.namespace();
      const objectSelector = { matchLabels: { watched: 'yes' } };
      await register(t, 'Validating', { ns, webhook: deny, fields: { objectSelector } });
      await t.eventually(async () => expect((await make(t, ns)).code).toBe(201));
      const metadata = { name: 'w', labels: { watched: 'yes' } };
      expect((await t.post(mapsIn(ns), { metadata })).code).toBe(400);
    },
    'conditions in CEL decide whether a webhook is asked': async (t) => {
      const ns = await t.namespace();
      const matchConditions = [
        { name: 'marked', expression: "has(object.data) && object.data['ask'] == 'yes'" },
        { name: 'not-ann', expression: "request.userInfo.username != 'ann'" },
      ];
      await register(t, 'Validating', { ns, webhook: deny, fields: { matchConditions } });
      await t.eventually(async () => expect((await make(t, ns, { data: { ask: 'no' } })).code).toBe(201));
      expect((await make(t, ns, { data: { ask: 'yes' } })).code).toBe(400);
      const ann = t.as({ user: 'ann', groups: ['system:masters'] });
      expect((await ann.post(mapsIn(ns), { metadata: { name: 'ann' }, data: { ask: 'yes' } })).code).toBe(201);
    },
    'a condition that does not compile is refused': async (t) => {
      const webhook = {
        name: 'bad.example.com',
        clientConfig: { url: 'https://127.0.0.1:1' },
        rules: mapRules,
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        matchConditions: [{ name: 'bad', expression: 'object.' }],
      };
      const body = { metadata: { name: t.unique('bad') }, webhooks: [webhook] };
      const { code, details } = refusalOf(await t.post(configurations.Validating, body));
      expect(code).toBe(422);
      expect(details).toMatchObject({ causes: [{ field: 'webhooks[0].matchConditions[0].expression' }] });
    },
    'a webhook without side effects is asked in a dry run and told so': async (t) => {
      const ns = await t.namespace();
      const asked = await recorded(t, ns, { sideEffects: 'NoneOnDryRun' });
      expect((await t.post(`${mapsIn(ns)}?dryRun=All`, { metadata: { name: 'm' } })).code).toBe(201);
      expect(asked.map(({ dryRun }) => dryRun)).toEqual([true]);
    },
    'a configuration is checked': async (t) => {
      const name = t.unique('bad');
      const webhook = { name: 'short', clientConfig: {}, rules: [{ apiGroups: [''] }], sideEffects: 'Some' };
      const { code, details } = refusalOf(
        await t.post(configurations.Validating, { metadata: { name }, webhooks: [webhook] }),
      );
      expect(code).toBe(422);
      const { causes } = details as { causes: { field: string; message: string }[] };
      expect(causes.map(({ field, message }) => `${field}: ${message}`)).toEqual([
        'webhooks[0].name: Invalid value: "short": should be a domain with at least three segments separated by dots',
        'webhooks[0].rules[0].operations: Required value',
        'webhooks[0].rules[0].apiVersions: Required value',
        'webhooks[0].rules[0].resources: Required value',
        'webhooks[0].sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"',
        'webhooks[0].clientConfig: Required value: exactly one of url or service is required',
        'webhooks[0].admissionReviewVersions: Required value: must specify one of v1, v1beta1',
      ]);
    },
    'a webhook is completed': async (t) => {
      const name = t.unique('full');
      t.defer(async () => {
        await t.delete(`${configurations.Mutating}/${name}`);
      });
      const webhook = {
        name: 'full.example.com',
        clientConfig: { url: 'https://127.0.0.1:1' },
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
      };
      const made = await t.make<{ webhooks: unknown }>(configurations.Mutating, {
        metadata: { name },
        webhooks: [webhook],
      });
      expect(made.webhooks).toEqual([
        {
          ...webhook,
          failurePolicy: 'Fail',
          matchPolicy: 'Equivalent',
          namespaceSelector: {},
          objectSelector: {},
          reinvocationPolicy: 'Never',
          timeoutSeconds: 10,
        },
      ]);
    },
    'a URL must be HTTPS': async (t) => {
      const name = t.unique('bad');
      const webhook = {
        name: 'plain.example.com',
        clientConfig: { url: 'http://127.0.0.1:1' },
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
      };
      expect(refusalOf(await t.post(configurations.Validating, { metadata: { name }, webhooks: [webhook] }))).toEqual(
        invalid(
          'ValidatingWebhookConfiguration.admissionregistration.k8s.io',
          name,
          'webhooks[0].clientConfig.url: Invalid value: "http": \'https\' is the only allowed URL scheme; desired format: https://host[/path]',
        ),
      );
    },
    'custom kinds are judged, too, with their defaults': async (t) => {
      const spec = { type: 'object', default: {}, properties: { size: { type: 'integer', default: 3 } } };
      const kind = await customKind(t, { spec });
      const ns = await t.namespace();
      const rules = [{ apiGroups: [kind.group], apiVersions: ['*'], resources: ['widgets'], operations: ['CREATE'] }];
      const webhook: Webhook = ({ object }) => ({ allowed: object?.spec['size'] !== 3, status: { message: 'three' } });
      await register(t, 'Validating', { ns, webhook, fields: { rules } });
      const refused = await t.eventually(async () =>
        refusalOf(await t.post(kind.path(ns), kind.object(t.unique('w')))),
      );
      expect(refused.message).toBe('admission webhook "hook.example.com" denied the request: three');
      expect((await t.post(kind.path(ns), kind.object('w', { spec: { size: 4 } }))).code).toBe(201);
    },
    'webhooks are not asked about webhook configurations': async (t) => {
      const ns = await t.namespace();
      const configuration = await register(t, 'Validating', { ns, webhook: allow });
      expect((await t.delete(`${configurations.Validating}/${configuration}`)).code).toBe(200);
    },
  },
};
