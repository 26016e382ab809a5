// SPDX-License-Identifier: Apache-2.0
import type { KubeObject } from '../object.ts';

/** One line of a watch. ERROR lines do not appear here: the client turns them into a `KubeError`. */
export type WatchEvent<T extends KubeObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  /** Everything up to `resourceVersion` has been sent. `initialEventsEnd` marks the end of a streaming list. */
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string; readonly initialEventsEnd: boolean };
