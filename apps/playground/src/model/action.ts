// SPDX-License-Identifier: Apache-2.0

/** An action of the user, by a key or from a second terminal. */
export type Action =
  /** Kills a member's pod at once; its data is lost unless it has a volume. */
  | { readonly do: 'kill'; readonly member: string }
  /** Deletes the data of a running member and kills its process. */
  | { readonly do: 'blank'; readonly member: string }
  /** Kills the pods of all members but one at once, and deletes their data permanently. */
  | { readonly do: 'lose'; readonly but: string }
  /** Recovers a cluster without quorum from the remaining members. */
  | { readonly do: 'recover' }
  /** Disconnects a node from everything. */
  | { readonly do: 'cut'; readonly node: string }
  /** Undoes `cut`, for one node or all. */
  | { readonly do: 'heal'; readonly node: string | undefined }
  /** Power off and on, all nodes at once. */
  | { readonly do: 'reboot' }
  | { readonly do: 'resize'; readonly size: number }
  /** To the next minor, or to the given version. */
  | { readonly do: 'upgrade'; readonly version: string | undefined }
  | { readonly do: 'backup' }
  | { readonly do: 'restore' }
  /** Deletes a cluster whose data is lost, and creates it again, empty. */
  | { readonly do: 'renew' }
  /** Applies the objects of a file, given as text. */
  | { readonly do: 'apply'; readonly text: string };
