// SPDX-License-Identifier: Apache-2.0

/** What a text was meant to be. */
export type ParseErrorCode = 'Quantity' | 'Duration' | 'Time' | 'ResourceVersion' | 'LabelSelector' | 'FieldSelector';

/** The error of all texts of the API that this package reads. The message quotes the text. */
export class ParseError extends Error {
  readonly code: ParseErrorCode;

  constructor(code: ParseErrorCode, message: string) {
    super(message);
    this.name = 'ParseError';
    this.code = code;
  }
}
