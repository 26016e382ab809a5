// SPDX-License-Identifier: Apache-2.0
import { repositoryOf } from '../../api/cluster-spec/image-reference.ts';

const registry = /^[a-z0-9][a-z0-9.-]*(?::[0-9]{1,5})?$/;
const segment = /^[a-z0-9][a-z0-9._-]*$/;

/**
 * The full repository of an image, with the parts that may be omitted: `busybox:1.28` is `docker.io/library/busybox`. Undefined if the text
 * is not a valid image name.
 */
export function fullRepository(image: string): string | undefined {
  return withRegistry(repositoryOf(image));
}

/**
 * True if an image comes from one of these repositories or from a path below one. Only whole parts of the path are compared: `etcd` does
 * not include `etcd-evil`.
 */
export function isFrom(image: string, repositories: readonly string[]): boolean {
  const repository = fullRepository(image);
  return (
    repository !== undefined && repositories.some((allowed) => `${repository}/`.startsWith(`${fullPrefix(allowed)}/`))
  );
}

/**
 * The full form of an entry of `-allow-repositories`, which is a repository, the beginning of a repository, or a registry. If the entry
 * begins with a registry, the rest of the entry is not changed.
 */
function fullPrefix(entry: string): string {
  const trimmed = entry.endsWith('/') ? entry.slice(0, -1) : entry;
  const [first = '', ...rest] = trimmed.split('/');
  return isRegistry(first) ? [registryName(first), ...rest].join('/') : (withRegistry(trimmed) ?? trimmed);
}

function withRegistry(repository: string): string | undefined {
  const [first = '', ...rest] = repository.split('/');
  const hasRegistry = rest.length > 0 && isRegistry(first);
  const host = hasRegistry ? registryName(first) : dockerHub;
  const path = hasRegistry ? rest : [first, ...rest];
  const full = host === dockerHub && path.length === 1 ? ['library', ...path] : path;
  return registry.test(host) && full.every((each) => segment.test(each)) ? [host, ...full].join('/') : undefined;
}

const dockerHub = 'docker.io';

function registryName(host: string): string {
  return host === 'index.docker.io' ? dockerHub : host;
}

/** Decides as container runtimes do whether the text before the first slash is a registry. */
function isRegistry(text: string): boolean {
  return text === 'localhost' || (!text.includes('/') && (text.includes('.') || text.includes(':')));
}
