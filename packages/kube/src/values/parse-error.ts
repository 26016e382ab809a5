// SPDX-License-Identifier: Apache-2.0

/** The expected type of a text. */
export type ParseErrorCode = 'Quantity' | 'Duration' | 'Time' | 'ResourceVersion' | 'LabelSelector' | 'FieldSelector';

/** The error for invalid texts of the API. The message quotes the text. */
export class ParseError extends Error {
  readonly code: ParseErrorCode;

  constructor(code: ParseErrorCode, message: string) {
    super(message);
    this.name = 'ParseError';
    this.code = code;
  }
}
