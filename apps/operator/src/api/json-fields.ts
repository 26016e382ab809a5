// SPDX-License-Identifier: Apache-2.0

/** Data of another writer that has not been validated yet. */
export type JsonFields = Readonly<Record<string, unknown>>;

/** The fields of a JSON object; none if the text is anything else. */
export function parseFields(text: string): JsonFields {
  if (text === '') return {};
  try {
    return fieldsOf(JSON.parse(text));
  } catch {
    return {};
  }
}

/** The fields of an object; none if the value is anything else. */
export function fieldsOf(value: unknown): JsonFields {
  return isFields(value) ? { ...value } : {};
}

export function isFields(value: unknown): value is JsonFields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** True if the value is a text that matches this pattern. */
export function isText(value: unknown, form: RegExp): value is string {
  return typeof value === 'string' && form.test(value);
}

/** True for a non-negative integer that JSON has not rounded. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
