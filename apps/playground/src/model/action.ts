// SPDX-License-Identifier: Apache-2.0

/** Something a person does to the playground, by a key or from a second terminal. */
export type Action =
  /** Ends a member's pod at once, its data with it unless it has a volume. */
  | { readonly do: 'kill'; readonly member: string }
  /** Empties a member's disk under its feet and ends its process. */
  | { readonly do: 'blank'; readonly member: string }
  /** Ends the pods of all members but one at once, and deletes their data permanently. */
  | { readonly do: 'lose'; readonly but: string }
  /** Recovers a cluster without a quorum from the members that are left. */
  | { readonly do: 'recover' }
  /** Cuts a node off from everything. */
  | { readonly do: 'cut'; readonly node: string }
  /** Undoes `cut`, of one node or of all. */
  | { readonly do: 'heal'; readonly node: string | undefined }
  /** Power off and on, all nodes at once. */
  | { readonly do: 'reboot' }
  | { readonly do: 'resize'; readonly size: number }
  /** To the next minor, or to the version given. */
  | { readonly do: 'upgrade'; readonly version: string | undefined }
  | { readonly do: 'backup' }
  | { readonly do: 'restore' }
  /** Deletes a cluster whose data is lost, and creates it again, empty. */
  | { readonly do: 'renew' }
  /** Applies the objects of a file, given as text. */
  | { readonly do: 'apply'; readonly text: string };
