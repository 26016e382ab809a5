// SPDX-License-Identifier: Apache-2.0

/**
 * What terminals interpret: control characters other than tab and newline, and characters that change the writing
 * direction.
 */
const acting = /(?![\t\n])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/gu;

/**
 * A text without terminal control sequences. Specs and statuses contain texts of tenants, and the reader often has more
 * permissions than they have, so the display must not be manipulated.
 */
export function plainText(text: string): string {
  return text.replace(acting, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
