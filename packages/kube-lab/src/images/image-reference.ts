// SPDX-License-Identifier: Apache-2.0

/** A complete image reference: with registry and library folder, tag or digest. */
export interface ImageReference {
  /** `docker.io/library/busybox`, `quay.io/coreos/etcd`. */
  readonly repository: string;
  /** `latest` if neither tag nor digest is given. Empty if only a digest is given. */
  readonly tag: string;
  readonly digest?: string;
}

const component = /^[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*$/;
const registry = /^[A-Za-z0-9.-]+(?::[0-9]+)?$/;
const tagPattern = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/;
const digestPattern = /^sha256:[0-9a-f]{64}$/;

/** Parses a reference as container runtimes do. Undefined if it is invalid (`InvalidImageName`). */
export function parseImageReference(text: string): ImageReference | undefined {
  const [rest = '', digest, ...more] = text.split('@');
  // A colon before the last slash belongs to the registry's port.
  const colon = rest.indexOf(':', rest.lastIndexOf('/') + 1);
  const name = colon < 0 ? rest : rest.slice(0, colon);
  const tag = colon < 0 ? undefined : rest.slice(colon + 1);
  const isValid =
    more.length === 0 &&
    (tag === undefined || tagPattern.test(tag)) &&
    (digest === undefined || digestPattern.test(digest));
  const repository = isValid ? withRegistry(name) : undefined;
  if (!repository) return undefined;
  return digest ? { repository, tag: tag ?? '', digest } : { repository, tag: tag ?? 'latest' };
}

/** The reference as a container's status shows it. */
export function imageReferenceText({ repository, tag, digest }: ImageReference): string {
  return `${repository}${tag ? `:${tag}` : ''}${digest ? `@${digest}` : ''}`;
}

/** A first part with a dot, a colon, or `localhost` is a registry; otherwise the registry is Docker Hub. */
function withRegistry(name: string): string | undefined {
  const parts = name.split('/');
  const [first = ''] = parts;
  const hasRegistry = parts.length > 1 && (first === 'localhost' || /[.:]/.test(first));
  const path = hasRegistry ? parts.slice(1) : parts;
  if (!path.every((part) => component.test(part)) || (hasRegistry && !registry.test(first))) return undefined;
  if (hasRegistry) return name;
  return path.length === 1 ? `docker.io/library/${name}` : `docker.io/${name}`;
}
