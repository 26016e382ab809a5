// SPDX-License-Identifier: Apache-2.0
import { createJsonPatch, type KubeObject } from '@operator-parts/kube';
import type { AdmissionRequest, AdmissionResponse, AdmissionReview } from './admission-review.ts';
import type { Changed, Mutation, Verdict } from './verdict.ts';
import type { WebhookContext, WebhookHandler } from './webhook.ts';
import { WebhookError } from './webhook-error.ts';

/**
 * Decides whether a request is admitted. Must not modify its arguments, must end when `context.signal` is aborted, and
 * must have no side effects if `request.dryRun`. If it throws, the API server applies the webhook's failure policy;
 * throwing is not a denial.
 */
export type Validator<T extends KubeObject> = (
  request: AdmissionRequest<T>,
  context: WebhookContext,
) => Verdict | Promise<Verdict>;

/**
 * Like `Validator`, but may also return a changed copy of `request.object`. Should be idempotent: the API server may
 * call it twice.
 */
export type Mutator<T extends KubeObject> = (
  request: AdmissionRequest<T>,
  context: WebhookContext,
) => Mutation<T> | Promise<Mutation<T>>;

/** The handler of a validating webhook. */
export function validatingWebhook<T extends KubeObject>(validator: Validator<T>): WebhookHandler {
  return async (body, context) => {
    const request = admissionRequest<T>(body);
    return review(await validator(request, context), request);
  };
}

/** The handler of a mutating webhook. */
export function mutatingWebhook<T extends KubeObject>(mutator: Mutator<T>): WebhookHandler {
  return async (body, context) => {
    const request = admissionRequest<T>(body);
    return review(await mutator(request, context), request);
  };
}

function admissionRequest<T extends KubeObject>(body: unknown): AdmissionRequest<T> {
  const { apiVersion, kind, request } = (body ?? {}) as { apiVersion?: unknown; kind?: unknown; request?: unknown };
  if (apiVersion !== 'admission.k8s.io/v1' || kind !== 'AdmissionReview') {
    throw new WebhookError(
      'BadRequest',
      `expected an AdmissionReview of admission.k8s.io/v1, got ${String(kind)} of ${String(apiVersion)}`,
    );
  }
  const asked = request as AdmissionRequest<T> | undefined;
  if (typeof asked?.uid !== 'string' || typeof asked.operation !== 'string') {
    throw new WebhookError('BadRequest', 'the AdmissionReview has no request with uid and operation');
  }
  return asked;
}

function review<T extends KubeObject>(verdict: Mutation<T>, request: AdmissionRequest<T>): AdmissionReview {
  return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: answer(verdict, request) };
}

function answer<T extends KubeObject>(verdict: Mutation<T>, request: AdmissionRequest<T>): AdmissionResponse {
  const { uid } = request;
  const warnings = verdict.warnings.length > 0 ? { warnings: verdict.warnings } : {};
  switch (verdict.type) {
    case 'allow':
      return { uid, allowed: true, ...warnings };
    case 'deny': {
      const { message, reason, code } = verdict;
      return { uid, allowed: false, status: { status: 'Failure', message, reason, code }, ...warnings };
    }
    case 'change':
      return { uid, allowed: true, ...patchOf(verdict, request), ...warnings };
  }
}

function patchOf<T extends KubeObject>({ object }: Changed<T>, request: AdmissionRequest<T>) {
  if (!request.object)
    throw new WebhookError('HandlerFailed', `a ${request.operation} request has no object to change`);
  const operations = createJsonPatch(request.object, object);
  if (operations.length === 0) return {};
  return { patchType: 'JSONPatch' as const, patch: Buffer.from(JSON.stringify(operations)).toString('base64') };
}
