// SPDX-License-Identifier: Apache-2.0
import { EventEmitter } from 'node:events';

/**
 * Returns the source with an error listener: an abandoned or unread stream may still fail, and an unhandled error event
 * ends the process. A reader still gets the errors.
 */
export function ignoreErrors<S>(source: S): S {
  if (source instanceof EventEmitter) source.on('error', () => {});
  return source;
}
