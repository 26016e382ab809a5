// SPDX-License-Identifier: Apache-2.0
import type { BundledPackage } from '../supply-chain/bundled-packages.ts';

/** One entry of an image's file system. Paths are absolute; parent folders are implied. */
export type ImageFile =
  | {
      readonly kind: 'file';
      readonly path: string;
      /** Its content, or the absolute path of a file of this machine. */
      readonly content: Uint8Array | { readonly source: string };
      /** @default 0o644 */
      readonly mode?: number;
    }
  | {
      readonly kind: 'directory';
      readonly path: string;
      /** @default 0o755 */
      readonly mode?: number;
      /** Owner and group. @default 0 */
      readonly owner?: number;
    }
  | { readonly kind: 'link'; readonly path: string; readonly target: string };

/** An image before it is written: its files, its names, its entry point. The same value gives the same bytes. */
export interface Image {
  /** Full references such as `quay.io/coreos/etcd:v3.6.16`; all name the same content. */
  readonly names: readonly string[];
  readonly files: readonly ImageFile[];
  /** The default command. */
  readonly command: readonly string[];
  /** `NAME=value` */
  readonly environment?: readonly string[];
  /** Numeric `uid:gid`, so that the kubelet can see that it is not root. @default root */
  readonly user?: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** Third-party packages that are bundled in its programs. @default not known */
  readonly packages?: readonly BundledPackage[];
}

/** The architecture in the notation of image indexes. */
export function imageArchitecture(arch: string = process.arch): string {
  return arch === 'x64' ? 'amd64' : arch;
}

/** A program of this machine, executable at the same or another path in the image. */
export function program(path: string, source: string): ImageFile {
  return { kind: 'file', path, content: { source }, mode: 0o755 };
}

export function text(path: string, content: string, mode = 0o644): ImageFile {
  return { kind: 'file', path, content: Buffer.from(content, 'utf8'), mode };
}
