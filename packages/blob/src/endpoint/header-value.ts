// SPDX-License-Identifier: Apache-2.0
import { BlobError } from '../blob-error.ts';

/**
 * Throws if a setting is not a valid header value. The setting comes from an object of a user, and a line break in it
 * would create another header, or an error that looks like one of the store.
 */
export function checkHeaderValue(name: string, value: string | undefined): void {
  if (value === undefined || /^[\x21-\x7e]+$/.test(value)) return;
  throw new BlobError(
    'Configuration',
    `${name} is empty or contains invalid characters, such as a blank or a line break`,
  );
}
