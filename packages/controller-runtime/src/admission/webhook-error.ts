// SPDX-License-Identifier: Apache-2.0

/** Why a webhook did not answer. The API server then applies the webhook's failure policy. */
export type WebhookErrorCode = 'BadRequest' | 'TooLarge' | 'Timeout' | 'Overloaded' | 'Aborted' | 'HandlerFailed';

const statuses: Readonly<Record<WebhookErrorCode, number>> = {
  BadRequest: 400,
  TooLarge: 413,
  Timeout: 504,
  Overloaded: 503,
  Aborted: 503,
  HandlerFailed: 500,
};

/** The error class of webhooks. */
export class WebhookError extends Error {
  readonly code: WebhookErrorCode;

  constructor(code: WebhookErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'WebhookError';
    this.code = code;
  }

  /** The HTTP status of the answer. */
  get httpStatus(): number {
    return statuses[this.code];
  }

  /** Wraps any failure of a handler in this error. */
  static from(error: unknown): WebhookError {
    if (error instanceof WebhookError) return error;
    return new WebhookError('HandlerFailed', 'the webhook failed', { cause: error });
  }
}
