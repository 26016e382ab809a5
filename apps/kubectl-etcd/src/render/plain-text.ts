// SPDX-License-Identifier: Apache-2.0

/** What terminals act on: control characters besides the tab and the end of a line, and characters that turn the direction of writing. */
const acting = /(?![\t\n])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/gu;

/**
 * A text without terminal control sequences. Specs and statuses contain texts of tenants, and the reader often has more rights than they
 * have: what is shown must be what is there.
 */
export function plainText(text: string): string {
  return text.replace(acting, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
