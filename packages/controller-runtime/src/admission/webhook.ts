// SPDX-License-Identifier: Apache-2.0
import type { Logger } from '@operator-parts/ports';

/** What a webhook handler needs. */
export interface WebhookContext {
  /** Aborted at the API server's timeout or at ours, whichever is earlier. */
  readonly signal: AbortSignal;
  readonly log: Logger;
}

/** Answers one review: gets the parsed body, returns the JSON of the answer. */
export type WebhookHandler = (body: unknown, context: WebhookContext) => Promise<unknown>;
