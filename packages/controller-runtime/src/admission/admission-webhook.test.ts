// SPDX-License-Identifier: Apache-2.0
import { applyJsonPatch, type JsonPatchOperation } from '@operator-parts/kube';
import { silentLogger } from '@operator-parts/ports';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Thing, thing } from '../testing/things.ts';
import type { AdmissionReview } from './admission-review.ts';
import { mutatingWebhook, validatingWebhook } from './admission-webhook.ts';
import { conversionWebhook } from './conversion-webhook.ts';
import { allow, change, deny } from './verdict.ts';

const context = { signal: new AbortController().signal, log: silentLogger };
const object = thing('a/one', { size: 3 }, { labels: { app: 'x' } });
const review = (request: object = {}) => ({
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  request: { uid: 'u-1', operation: 'CREATE', object, ...request },
});
const patchIn = (answer: unknown): readonly JsonPatchOperation[] =>
  JSON.parse(
    Buffer.from((answer as AdmissionReview).response.patch ?? '', 'base64').toString(),
  ) as readonly JsonPatchOperation[];

describe('admission webhooks', () => {
  test('a validator allows, with warnings, or denies, with words for people and a reason for programs', async () => {
    const validator = validatingWebhook<Thing>(({ object: asked }) =>
      (asked?.spec?.size ?? 0) > 2
        ? deny('size is too large', { reason: 'Invalid', code: 422 })
        : allow({ warnings: ['small'] }),
    );
    expect(await validator(review(), context)).toEqual({
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      response: {
        uid: 'u-1',
        allowed: false,
        status: { status: 'Failure', message: 'size is too large', reason: 'Invalid', code: 422 },
      },
    });
    expect(await validator(review({ object: thing('a/one', { size: 1 }) }), context)).toMatchObject({
      response: { uid: 'u-1', allowed: true, warnings: ['small'] },
    });
  });

  test('a mutator returns the changed object, and the patch is computed from the difference', async () => {
    const mutator = mutatingWebhook<Thing>(({ object: asked }) => change({ ...asked, spec: { size: 5 } }));
    const answer = await mutator(review(), context);
    expect(answer).toMatchObject({ response: { uid: 'u-1', allowed: true, patchType: 'JSONPatch' } });
    expect(patchIn(answer)).toEqual([{ op: 'replace', path: '/spec/size', value: 5 }]);
  });

  test('a mutator that changes nothing sends no patch; one that denies denies', async () => {
    const same = await mutatingWebhook<Thing>(({ object: asked }) => change({ ...asked }))(review(), context);
    expect(same).toMatchObject({ response: { allowed: true } });
    expect(same).not.toHaveProperty('response.patch');
    expect(await mutatingWebhook(() => deny('no'))(review(), context)).toMatchObject({ response: { allowed: false } });
    await expect(
      mutatingWebhook(() => change(object))(review({ operation: 'DELETE', object: null }), context),
    ).rejects.toThrow('a DELETE request has no object to change');
  });

  test('the patch turns what was sent into what the mutator returned, whatever both are', async () => {
    const json = fc.dictionary(fc.string({ maxLength: 4 }), fc.jsonValue({ maxDepth: 3 }), {
      maxKeys: 4,
      noNullPrototype: true,
    });
    await fc.assert(
      fc.asyncProperty(json, json, async (before, after) => {
        const from = { ...object, spec: before } as Thing;
        const to = { ...object, spec: after } as Thing;
        const answer = await mutatingWebhook<Thing>(() => change(to))(review({ object: from }), context);
        const sent = (answer as AdmissionReview).response.patch;
        const made = sent ? applyJsonPatch(from, patchIn(answer)) : from;
        expect(JSON.parse(JSON.stringify(made))).toEqual(JSON.parse(JSON.stringify(to)));
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    ['nothing', undefined],
    ['a text', 'hello'],
    ['an old version', { ...review(), apiVersion: 'admission.k8s.io/v1beta1' }],
    ['another kind', { ...review(), kind: 'TokenReview' }],
    ['no request', { ...review(), request: undefined }],
    ['a request without UID', { ...review(), request: { operation: 'CREATE' } }],
  ])('%s is refused as a bad request', async (_, body) => {
    await expect(validatingWebhook(() => allow())(body, context)).rejects.toMatchObject({ code: 'BadRequest' });
  });
});

describe('conversion webhooks', () => {
  const convert = (objects: readonly object[], extra: object = {}) => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'ConversionReview',
    request: { uid: 'c-1', desiredAPIVersion: 'lab.example/v2', objects, ...extra },
  });

  test('convert every object, keep their identity, and let labels and annotations change', async () => {
    const webhook = conversionWebhook((each, apiVersion) => ({
      ...each,
      apiVersion,
      metadata: { ...each.metadata, name: 'smuggled', uid: 'forged', labels: { converted: 'yes' } },
      spec: { replicas: (each as Thing).spec?.size },
    }));
    const from = thing('a/one', { size: 3 }, { uid: 'u', resourceVersion: '9', finalizers: ['f'] });
    expect(await webhook(convert([from]), context)).toEqual({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'ConversionReview',
      response: {
        uid: 'c-1',
        result: { status: 'Success' },
        convertedObjects: [
          {
            apiVersion: 'lab.example/v2',
            kind: 'Thing',
            metadata: {
              namespace: 'a',
              name: 'one',
              uid: 'u',
              resourceVersion: '9',
              finalizers: ['f'],
              labels: { converted: 'yes' },
            },
            spec: { replicas: 3 },
          },
        ],
      },
    });
  });

  test('an object that has the version already is not converted', async () => {
    const webhook = conversionWebhook(() => {
      throw new Error('never called');
    });
    const answer = await webhook(convert([{ ...object, apiVersion: 'lab.example/v2' }]), context);
    expect(answer).toMatchObject({ response: { result: { status: 'Success' } } });
  });

  test('one object that cannot be converted fails them all, with the reason', async () => {
    const webhook = conversionWebhook((each) => {
      if (each.metadata?.name === 'bad') throw new Error('no such field in v2');
      return each;
    });
    expect(await webhook(convert([object, thing('a/bad')]), context)).toMatchObject({
      response: { convertedObjects: [], result: { status: 'Failure', message: 'no such field in v2' } },
    });
  });

  test.each([
    ['nothing', null],
    ['another kind', { ...convert([]), kind: 'AdmissionReview' }],
    ['no objects', convert([], { objects: 'none' })],
  ])('%s is refused as a bad request', async (_, body) => {
    await expect(conversionWebhook((each) => each)(body, context)).rejects.toMatchObject({ code: 'BadRequest' });
  });
});
