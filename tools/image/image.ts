// SPDX-License-Identifier: Apache-2.0
import type { BundledPackage } from '../supply-chain/bundled-packages.ts';

/** One entry of an image's file system. Paths are absolute; parent folders need not be named. */
export type ImageFile =
  | {
      readonly kind: 'file';
      readonly path: string;
      /** What is in it, or the absolute path of a file of this machine. */
      readonly content: Uint8Array | { readonly source: string };
      /** @default 0o644 */
      readonly mode?: number;
    }
  | {
      readonly kind: 'directory';
      readonly path: string;
      /** @default 0o755 */
      readonly mode?: number;
      /** Of the owner and the group alike. @default 0 */
      readonly owner?: number;
    }
  | { readonly kind: 'link'; readonly path: string; readonly target: string };

/** An image before it is written: what is in it, what it is called, how it starts. The same value gives the same bytes. */
export interface Image {
  /** Full references such as `quay.io/coreos/etcd:v3.6.16`; the same content is known by each of them. */
  readonly names: readonly string[];
  readonly files: readonly ImageFile[];
  /** Run by default, unless a pod says otherwise. */
  readonly command: readonly string[];
  /** `NAME=value` */
  readonly environment?: readonly string[];
  /** Numeric `uid:gid`, so that the kubelet can tell that it is not root. @default root */
  readonly user?: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** Packages of others that its programs were bundled from. @default not known */
  readonly packages?: readonly BundledPackage[];
}

/** The architecture as image indexes spell it. */
export function imageArchitecture(arch: string = process.arch): string {
  return arch === 'x64' ? 'amd64' : arch;
}

/** A program of this machine, executable at the same or another place in the image. */
export function program(path: string, source: string): ImageFile {
  return { kind: 'file', path, content: { source }, mode: 0o755 };
}

export function text(path: string, content: string, mode = 0o644): ImageFile {
  return { kind: 'file', path, content: Buffer.from(content, 'utf8'), mode };
}
