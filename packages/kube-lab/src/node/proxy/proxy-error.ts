// SPDX-License-Identifier: Apache-2.0

/** A request to a node is refused; `code` is the HTTP status the client gets. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError';
  readonly code: number;

  constructor(code: number, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}
