// SPDX-License-Identifier: Apache-2.0

/** Why a webhook gave no answer. The API server then does what the webhook's failure policy says. */
export type WebhookErrorCode = 'BadRequest' | 'TooLarge' | 'Timeout' | 'Overloaded' | 'Aborted' | 'HandlerFailed';

const statuses: Readonly<Record<WebhookErrorCode, number>> = {
  BadRequest: 400,
  TooLarge: 413,
  Timeout: 504,
  Overloaded: 503,
  Aborted: 503,
  HandlerFailed: 500,
};

/** The one error of webhooks. */
export class WebhookError extends Error {
  readonly code: WebhookErrorCode;

  constructor(code: WebhookErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'WebhookError';
    this.code = code;
  }

  /** The HTTP status it is answered with. */
  get httpStatus(): number {
    return statuses[this.code];
  }

  /** Any failure of a handler as this error. */
  static from(error: unknown): WebhookError {
    if (error instanceof WebhookError) return error;
    return new WebhookError('HandlerFailed', 'the webhook failed', { cause: error });
  }
}
