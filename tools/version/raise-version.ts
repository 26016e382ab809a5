// SPDX-License-Identifier: Apache-2.0
import type { Tree } from '../check/tree.ts';
import { ownPackage } from '../own-packages.ts';

/** Our own version outside of package.json files. Other projects' `0.1.0`, or a similar address, is not included. */
const phrases: readonly ((version: string) => string)[] = [
  (version) => `etcd-operator:v${version}`,
  (version) => `etcd-operator-${version}`,
  (version) => `sidecar-injector:${version}`,
  (version) => `app.kubernetes.io/version: "${version}"`,
  (version) => `image.version=${version}`,
  (version) => `appVersion: ${version}`,
  (version) => `\nversion: ${version}\n`,
  (version) => `export const version = '${version}'`,
  (version) => `repositories: ['sidecar-injector'], tags: { '${version}'`,
];

/** The present version of the tree. */
export function presentVersion(tree: Tree): string {
  return (JSON.parse(tree.read('package.json')) as { version: string }).version;
}

/** Every file that contains the version, with its new text. Tests and fixtures of tools keep their own versions. */
export function raiseVersion(tree: Tree, to: string): ReadonlyMap<string, string> {
  const from = presentVersion(tree);
  const changed = tree.files
    .filter((file) => !file.startsWith('tools/') || file === 'tools/package.json')
    .map((file) => [file, raised(file, tree.read(file), from, to)] as const)
    .filter(([file, text]) => text !== tree.read(file));
  return new Map(changed);
}

function raised(file: string, text: string, from: string, to: string): string {
  if (!text.includes(from)) return text;
  if (file === 'package-lock.json') return raisedLock(text, from, to);
  if (file.endsWith('package.json')) return raisedManifest(text, from, to);
  if (file === 'CHANGELOG.md') return text;
  return phrases.reduce((result, phrase) => result.replaceAll(phrase(from), phrase(to)), text);
}

type Manifest = Record<string, unknown>;

/** Only entries of our own workspaces, which are outside of node_modules. */
function raisedLock(text: string, from: string, to: string): string {
  const lock = JSON.parse(text) as { version: string; packages: Record<string, Manifest> };
  const packages = Object.entries(lock.packages).map(([path, entry]) => [
    path,
    path.includes('node_modules/') ? entry : withVersion(entry, from, to),
  ]);
  return render({ ...lock, version: to, packages: Object.fromEntries(packages) });
}

function raisedManifest(text: string, from: string, to: string): string {
  return render(withVersion(JSON.parse(text) as Manifest, from, to));
}

function withVersion(manifest: Manifest, from: string, to: string): Manifest {
  const entries = Object.entries(manifest).map(([key, value]) => {
    if (key === 'version') return [key, value === from ? to : value];
    return [key, key.endsWith('ependencies') ? withOwn(value as Record<string, string>, to) : value];
  });
  return Object.fromEntries(entries) as Manifest;
}

function withOwn(dependencies: Readonly<Record<string, string>>, to: string): Record<string, string> {
  const entries = Object.entries(dependencies).map(([name, range]) => [
    name,
    ownPackage(name) !== undefined ? to : range,
  ]);
  return Object.fromEntries(entries) as Record<string, string>;
}

function render(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
