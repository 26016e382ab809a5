// SPDX-License-Identifier: Apache-2.0
import { BlobError } from '../blob-error.ts';

/**
 * Throws if a setting is not a valid header value: it comes from a user's object, and a line break would create another
 * header, or an error that looks like the store's.
 */
export function checkHeaderValue(name: string, value: string | undefined): void {
  if (value === undefined || /^[\x21-\x7e]+$/.test(value)) return;
  throw new BlobError(
    'Configuration',
    `${name} is empty or contains invalid characters, such as a blank or a line break`,
  );
}
