// SPDX-License-Identifier: Apache-2.0
import { EventEmitter } from 'node:events';

/**
 * Returns the source, whose errors now end nothing but itself: a stream that is let go of, or never read, may still fail, and an error event
 * that nobody listens to ends the process. Whoever reads it still gets them.
 */
export function ignoreErrors<S>(source: S): S {
  if (source instanceof EventEmitter) source.on('error', () => {});
  return source;
}
