// SPDX-License-Identifier: Apache-2.0
import type { KubeObject, ObjectMeta, Status } from '@operator-parts/kube';
import type { WebhookHandler } from './webhook.ts';
import { WebhookError } from './webhook-error.ts';

/**
 * Converts an object to another version of its kind. Must not modify its argument. Everything may change except the
 * identity: of the metadata only labels and annotations are used, because the API server refuses other changes. A round
 * trip must lose nothing.
 */
export type Converter = (object: KubeObject, apiVersion: string) => KubeObject | Promise<KubeObject>;

interface ConversionRequest {
  readonly uid: string;
  readonly desiredAPIVersion: string;
  readonly objects: readonly KubeObject[];
}

/** The handler of a CRD's conversion webhook (`apiextensions.k8s.io/v1` ConversionReview). */
export function conversionWebhook(converter: Converter): WebhookHandler {
  return async (body) => {
    const request = conversionRequest(body);
    const outcome = await convertAll(request, converter);
    return {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'ConversionReview',
      response: { uid: request.uid, ...outcome },
    };
  };
}

function conversionRequest(body: unknown): ConversionRequest {
  const { apiVersion, kind, request } = (body ?? {}) as { apiVersion?: unknown; kind?: unknown; request?: unknown };
  if (apiVersion !== 'apiextensions.k8s.io/v1' || kind !== 'ConversionReview') {
    throw new WebhookError(
      'BadRequest',
      `expected a ConversionReview of apiextensions.k8s.io/v1, got ${String(kind)} of ${String(apiVersion)}`,
    );
  }
  const asked = request as Partial<ConversionRequest> | undefined;
  const { uid, desiredAPIVersion, objects } = asked ?? {};
  if (typeof uid !== 'string' || typeof desiredAPIVersion !== 'string' || !Array.isArray(objects)) {
    throw new WebhookError('BadRequest', 'the ConversionReview has no request with uid, desiredAPIVersion and objects');
  }
  return { uid, desiredAPIVersion, objects: objects as readonly KubeObject[] };
}

/** All or nothing: the API server does not accept a partly converted list. */
async function convertAll({ desiredAPIVersion, objects }: ConversionRequest, converter: Converter) {
  const convertedObjects: KubeObject[] = [];
  try {
    for (const object of objects) {
      const made = object.apiVersion === desiredAPIVersion ? object : await converter(object, desiredAPIVersion);
      convertedObjects.push(sameIdentity(object, made, desiredAPIVersion));
    }
    return { convertedObjects, result: { status: 'Success' } satisfies Status };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { convertedObjects: [], result: { status: 'Failure', message } satisfies Status };
  }
}

function sameIdentity(original: KubeObject, made: KubeObject, apiVersion: string): KubeObject {
  const { labels: _labels, annotations: _annotations, ...identity } = original.metadata ?? {};
  const { labels, annotations } = made.metadata ?? {};
  const metadata: ObjectMeta = { ...identity, ...(labels && { labels }), ...(annotations && { annotations }) };
  return { ...made, apiVersion, ...(original.kind && { kind: original.kind }), metadata };
}
