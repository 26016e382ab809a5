// SPDX-License-Identifier: Apache-2.0

/** One thing in an image's file tree. Paths are absolute inside the container; `source` is a path of the host. */
export type ImageEntry =
  /** A file or folder of the host, seen read-only at `path`. */
  | { readonly kind: 'bind'; readonly path: string; readonly source: string }
  | { readonly kind: 'link'; readonly path: string; readonly target: string }
  | { readonly kind: 'directory'; readonly path: string }
  | { readonly kind: 'file'; readonly path: string; readonly text: string; readonly executable?: boolean };

/**
 * The root file system of a container. Without `rootfs`, the entries are mounted into an empty writable tree: nothing
 * is copied, so a container starts fast. With `rootfs`, that folder is the lower layer of a writable overlay, and the
 * entries are added.
 */
export interface ImageFiles {
  /** A folder of the host with a complete root file system. */
  readonly rootfs?: string;
  readonly entries: readonly ImageEntry[];
}

/** An image that the lab's nodes can "pull". */
export interface Image {
  /** `sha256:...`; what `imageID` in a container's status ends with. */
  readonly digest: string;
  readonly files: ImageFiles;
  /** As in a Dockerfile: a container's `command` replaces it. */
  readonly entrypoint: readonly string[];
  /** As in a Dockerfile: a container's `args` (or `command`) replaces it. */
  readonly cmd: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** @default '/' */
  readonly workingDirectory?: string;
  /** Numeric user the image runs as. @default 0 */
  readonly user?: number;
}
