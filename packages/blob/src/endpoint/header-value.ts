// SPDX-License-Identifier: Apache-2.0
import { BlobError } from '../blob-error.ts';

/**
 * Throws if a setting that is sent as the value of a header is none: it comes from an object, and with a line break in it would be a header
 * of its own, or an error that is taken for the store's.
 */
export function checkHeaderValue(name: string, value: string | undefined): void {
  if (value === undefined || /^[\x21-\x7e]+$/.test(value)) return;
  throw new BlobError(
    'Configuration',
    `${name} is empty or contains invalid characters, such as a blank or a line break`,
  );
}
