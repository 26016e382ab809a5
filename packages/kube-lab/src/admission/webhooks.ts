// SPDX-License-Identifier: Apache-2.0
import { applyJsonPatch, type JsonPatchOperation } from '@operator-parts/kube';
import {
  asArray,
  asNumber,
  asObject,
  asObjects,
  asString,
  equalJson,
  isObject,
  type Json,
  type JsonObject,
} from '../json/json.ts';
import { ApiError, internalError, type StatusDetails } from '../server/api-error.ts';
import type { AdmissionRequest } from './admission-request.ts';
import { admissionReview } from './admission-review.ts';
import { callWebhook } from './webhook-client.ts';
import { checkConditions, coversRequest } from './webhook-rules.ts';

const group = 'admissionregistration.k8s.io';

/** The webhooks of one kind to be called for a request, in order. */
function webhooksFor(request: AdmissionRequest, kind: 'mutating' | 'validating'): readonly JsonObject[] {
  const { store } = request.call.core;
  const configurations = store.list(`${kind}webhookconfigurations.${group}`);
  if (configurations.length === 0) return [];
  return configurations
    .flatMap(({ object }) => asObjects(object['webhooks']))
    .filter((webhook) => coversRequest(webhook, request));
}

/**
 * Calls mutating webhooks one after the other; each sees the changes of the previous ones. Returns undefined if no
 * webhook matches.
 */
export function callMutatingWebhooks(request: AdmissionRequest): Promise<void> | undefined {
  const webhooks = webhooksFor(request, 'mutating');
  return webhooks.length === 0 ? undefined : mutate(request, webhooks);
}

async function mutate(request: AdmissionRequest, webhooks: readonly JsonObject[]): Promise<void> {
  const seen = new Map<JsonObject, string>();
  for (const webhook of webhooks) {
    await askMutating(request, webhook);
    seen.set(webhook, JSON.stringify(request.object ?? null));
  }
  // Webhooks with `reinvocationPolicy: IfNeeded` are called again if the object changed after their call.
  for (const webhook of webhooks) {
    if (webhook['reinvocationPolicy'] !== 'IfNeeded') continue;
    if (seen.get(webhook) !== JSON.stringify(request.object ?? null)) await askMutating(request, webhook);
  }
}

async function askMutating(request: AdmissionRequest, webhook: JsonObject): Promise<void> {
  const response = await ask(request, webhook);
  if (!response) return;
  const { patch, patchType } = response;
  if (typeof patch !== 'string' || patch === '') return;
  if (patchType !== 'JSONPatch')
    throw internalError(`failed calling webhook ${quotedName(webhook)}: unsupported patch type ${String(patchType)}`);
  applyPatch(request, Buffer.from(patch, 'base64').toString('utf8'));
}

function applyPatch({ call, object }: AdmissionRequest, text: string): void {
  if (!object) throw internalError('a webhook may not change an object that is being deleted');
  const { codec } = call.resource;
  const before = codec.toVersion(object);
  let patched: Json;
  try {
    patched = applyJsonPatch<Json>(before, JSON.parse(text) as readonly JsonPatchOperation[]);
  } catch (error) {
    throw internalError((error as Error).message);
  }
  if (equalJson(before, patched)) return;
  const { managedFields } = asObject(asObject(patched)?.['metadata']) ?? {};
  const next = codec.decode(structuredClone(patched)).object;
  if (managedFields !== undefined) (asObject(next['metadata']) ?? {})['managedFields'] = managedFields;
  for (const key of Object.keys(object)) delete object[key];
  Object.assign(object, next);
}

/** Calls validating webhooks concurrently. Returns undefined if no webhook matches. */
export function callValidatingWebhooks(request: AdmissionRequest): Promise<void> | undefined {
  const webhooks = webhooksFor(request, 'validating');
  return webhooks.length === 0 ? undefined : validate(request, webhooks);
}

async function validate(request: AdmissionRequest, webhooks: readonly JsonObject[]): Promise<void> {
  const outcomes = await Promise.allSettled(webhooks.map((webhook) => ask(request, webhook)));
  const refused = outcomes.find((outcome) => outcome.status === 'rejected');
  if (refused) throw refused.reason;
}

function quotedName(webhook: JsonObject): string {
  return JSON.stringify(asString(webhook['name']) ?? '');
}

/**
 * The response of a webhook that allows the request. Undefined if the webhook is skipped, or fails and its
 * `failurePolicy` is `Ignore`. Throws if the webhook denies the request.
 */
async function ask(request: AdmissionRequest, webhook: JsonObject): Promise<JsonObject | undefined> {
  const { core, random } = request.call;
  const review = admissionReview(request, random.uuid());
  const conditions = checkConditions(webhook, review);
  if (conditions === 'skip') return undefined;
  let response: JsonObject;
  try {
    if (typeof conditions === 'object') throw new Error(conditions.problem);
    if (core.faults.isAdmissionDown(request.call.target)) throw new Error('failed to call webhook: a fault of the lab');
    const answer = await callWebhook({
      client: asObject(webhook['clientConfig']) ?? {},
      timeoutSeconds: asNumber(webhook['timeoutSeconds']) ?? 10,
      body: review,
      clock: core.clock,
      dialService: core.dialService.current,
    });
    response = responseOf(answer, review);
  } catch (error) {
    if (webhook['failurePolicy'] === 'Ignore') return undefined;
    throw internalError(`failed calling webhook ${quotedName(webhook)}: ${(error as Error).message}`);
  }
  for (const warning of asArray(response['warnings'])) request.call.warn(String(warning));
  if (response['allowed'] === true) return response;
  throw denial(webhook, asObject(response['status']) ?? {});
}

function responseOf(answer: unknown, review: JsonObject): JsonObject {
  const response = isObject(answer) ? asObject(answer['response']) : undefined;
  if (!response) throw new Error('webhook response was absent');
  const expected = asObject(review['request'])?.['uid'];
  if (response['uid'] !== expected) {
    throw new Error(`expected response.uid=${JSON.stringify(expected)}, got ${JSON.stringify(response['uid'] ?? '')}`);
  }
  return response;
}

function denial(webhook: JsonObject, status: JsonObject): ApiError {
  const message = asString(status['message']) ?? '';
  const reason = asString(status['reason']) ?? '';
  const name = quotedName(webhook);
  const said = message || reason;
  const text = said
    ? `admission webhook ${name} denied the request: ${said}`
    : `admission webhook ${name} denied the request without explanation`;
  const code = asNumber(status['code']) ?? 0;
  const details = asObject(status['details']) as StatusDetails | undefined;
  return new ApiError(code >= 400 && code < 600 ? code : 400, reason, text, details);
}
