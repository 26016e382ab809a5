// SPDX-License-Identifier: Apache-2.0

/** `299 - "text"`, where the text escapes quotes and backslashes; an optional date may follow. */
const warningValue = /299\s+\S+\s+"((?:[^"\\]|\\.)*)"/g;

/** The texts of a `Warning` header, such as "v1 Endpoints is deprecated". Warn-codes other than 299 are ignored. */
export function parseWarnings(header: string): readonly string[] {
  return Array.from(header.matchAll(warningValue), ([, text = '']) => text.replace(/\\(.)/g, '$1'));
}
