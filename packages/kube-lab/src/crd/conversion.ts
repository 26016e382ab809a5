// SPDX-License-Identifier: Apache-2.0

import { callWebhook } from '../admission/webhook-client.ts';
import { asObject, asObjects, asString, cloneJson, getIn, type JsonObject } from '../json/json.ts';
import { ApiError } from '../server/api-error.ts';
import type { Core } from '../server/core.ts';

const timeoutSeconds = 30;
/** The number of cached conversions per kind; the oldest ones are dropped. */
const cacheLimit = 20_000;
/** The maximum number of objects that are sent to a webhook at once. */
const batchLimit = 500;

/** Cached results of a kind's converters, by content and version. They survive changes of the definition. */
export type Conversions = Map<string, JsonObject>;

/**
 * Thrown if an object is needed in a version that the webhook has not returned yet. The caller then calls the webhook
 * and repeats the request. That is safe, because a request changes nothing before its last step.
 */
export class ConversionNeeded extends Error {
  readonly converter: WebhookConverter;
  readonly object: JsonObject;
  readonly apiVersion: string;

  constructor(converter: WebhookConverter, object: JsonObject, apiVersion: string) {
    super(`the conversion to ${apiVersion} has to be asked for`);
    this.name = 'ConversionNeeded';
    this.converter = converter;
    this.object = object;
    this.apiVersion = apiVersion;
  }
}

/** Converts objects of a kind to another version with its webhook. */
export class WebhookConverter {
  readonly #webhook: JsonObject;
  readonly #known: Conversions;

  constructor(webhook: JsonObject, known: Conversions) {
    this.#webhook = webhook;
    this.#known = known;
  }

  /** The object in another version, if it is cached; otherwise throws `ConversionNeeded`. */
  convert(object: JsonObject, apiVersion: string): JsonObject {
    if (object['apiVersion'] === apiVersion) return object;
    const known = this.#known.get(keyOf(object, apiVersion));
    if (!known) throw new ConversionNeeded(this, object, apiVersion);
    return withMetadata(known, object);
  }

  isKnown(object: JsonObject, apiVersion: string): boolean {
    return object['apiVersion'] === apiVersion || this.#known.has(keyOf(object, apiVersion));
  }

  /** Calls the webhook to convert objects to a version. Fails with the real server's message. */
  async ask(core: Core, objects: readonly JsonObject[], apiVersion: string): Promise<void> {
    const wanted = objects.slice(0, batchLimit);
    const uid = core.random.uuid();
    const request = { uid, desiredAPIVersion: apiVersion, objects: wanted.map(cloneJson) };
    const body = { kind: 'ConversionReview', apiVersion: 'apiextensions.k8s.io/v1', request };
    const [first = {}] = wanted;
    const failed = (why: string) => conversionError(first, `failed: ${why}`);
    const client = asObject(this.#webhook['clientConfig']) ?? {};
    const { clock, dialService } = core;
    const answer = await callWebhook({ client, timeoutSeconds, body, clock, dialService: dialService.current }).catch(
      (error: Error) => {
        throw failed(error.message.replace(/^failed to call webhook: /, ''));
      },
    );
    const response = asObject(asObject(answer)?.['response']);
    if (!response) throw failed('no response provided');
    if (response['uid'] !== uid) throw failed(`expected response.uid="${uid}", got "${String(response['uid'] ?? '')}"`);
    const status = asString(getIn(response, 'result', 'status')) ?? '';
    if (status !== 'Success') {
      const message = asString(getIn(response, 'result', 'message'));
      throw failed(message ?? `response.result.status was '${status}', not 'Success'`);
    }
    this.#keep(wanted, asObjects(response['convertedObjects']), apiVersion);
  }

  #keep(asked: readonly JsonObject[], converted: readonly JsonObject[], apiVersion: string): void {
    if (converted.length !== asked.length) {
      throw conversionError(asked[0] ?? {}, `returned ${converted.length} objects, expected ${asked.length}`);
    }
    for (const [index, object] of asked.entries()) {
      const result = converted[index] ?? {};
      if (result['apiVersion'] !== apiVersion) {
        const why = `invalid groupVersion (expected ${apiVersion}, received ${String(result['apiVersion'] ?? '')})`;
        throw conversionError(object, `returned invalid object at index ${index}: ${why}`);
      }
      this.#known.set(keyOf(object, apiVersion), result);
    }
    for (const key of this.#known.keys()) {
      if (this.#known.size <= cacheLimit) break;
      this.#known.delete(key);
    }
  }
}

function conversionError(object: JsonObject, what: string): ApiError {
  const shown = `${String(object['apiVersion'])}, Kind=${String(object['kind'])}`;
  return new ApiError(500, '', `conversion webhook for ${shown} ${what}`);
}

/** The cache key of a conversion: everything that the webhook may change. */
function keyOf(object: JsonObject, apiVersion: string): string {
  const { metadata, ...content } = object;
  const { labels, annotations } = asObject(metadata) ?? {};
  return JSON.stringify([apiVersion, content, labels, annotations]);
}

/** A converted object with its previous metadata, except for labels and annotations, which may change. */
function withMetadata(converted: JsonObject, original: JsonObject): JsonObject {
  const { labels: _labels, annotations: _annotations, ...kept } = asObject(original['metadata']) ?? {};
  const { labels, annotations } = asObject(converted['metadata']) ?? {};
  const metadata = { ...kept, ...(labels ? { labels } : {}), ...(annotations ? { annotations } : {}) };
  return { ...cloneJson(converted), metadata };
}

/**
 * Runs a request. If it needs an object that is not converted yet, calls the webhook for that object and for the other
 * objects of the kind, then runs the request again.
 */
export async function withConversions<T>(core: Core, collection: string, attempt: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof ConversionNeeded)) throw error;
      const { converter, object, apiVersion } = error;
      const others = core.store
        .list(collection)
        .map((stored) => stored.object)
        .filter((one) => one !== object && !converter.isKnown(one, apiVersion));
      await converter.ask(core, [object, ...others], apiVersion);
    }
  }
}
