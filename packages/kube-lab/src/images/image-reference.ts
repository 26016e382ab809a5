// SPDX-License-Identifier: Apache-2.0

/** An image reference in full: registry and library folder filled in, tag or digest. */
export interface ImageReference {
  /** `docker.io/library/busybox`, `quay.io/coreos/etcd`. */
  readonly repository: string;
  /** `latest` if neither tag nor digest is given; empty with a digest alone. */
  readonly tag: string;
  readonly digest?: string;
}

const pattern =
  /^([a-z0-9]+(?:[._:/-]+[a-zA-Z0-9]+)*?)(?::([A-Za-z0-9_][A-Za-z0-9_.-]{0,127}))?(?:@(sha256:[0-9a-f]{64}))?$/;

/** Reads a reference as container runtimes do. Undefined if it is malformed (`InvalidImageName`). */
export function parseImageReference(text: string): ImageReference | undefined {
  const match = pattern.exec(text);
  const [, name, tag, digest] = match ?? [];
  if (!name || /\/\/|\/$/.test(name)) return undefined;
  const repository = withRegistry(name);
  if (digest) return { repository, tag: tag ?? '', digest };
  return { repository, tag: tag ?? 'latest' };
}

/** The reference as a container's status shows it. */
export function imageReferenceText({ repository, tag, digest }: ImageReference): string {
  return `${repository}${tag ? `:${tag}` : ''}${digest ? `@${digest}` : ''}`;
}

/** A first part with a dot, a colon, or `localhost` names a registry; anything else is meant for Docker Hub. */
function withRegistry(name: string): string {
  const slash = name.indexOf('/');
  if (slash < 0) return `docker.io/library/${name}`;
  const first = name.slice(0, slash);
  return first === 'localhost' || /[.:]/.test(first) ? name : `docker.io/${name}`;
}
