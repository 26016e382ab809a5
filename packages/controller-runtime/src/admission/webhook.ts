// SPDX-License-Identifier: Apache-2.0
import type { Logger } from '@etcd-operator/ports';

/** What a webhook works with. */
export interface WebhookContext {
  /** Aborted when the API server's patience, or ours, is at its end. */
  readonly signal: AbortSignal;
  readonly log: Logger;
}

/** Answers one review: takes the parsed body, returns what is sent back as JSON. */
export type WebhookHandler = (body: unknown, context: WebhookContext) => Promise<unknown>;
