// SPDX-License-Identifier: Apache-2.0
import { posix } from 'node:path';
import { ownPackage, ownScopes } from '../../own-packages.ts';
import type { Check, Problem } from '../check.ts';
import { isTest, sourceFiles, type Tree } from '../tree.ts';
import { lineAt, type ModuleReference, moduleReferences, parse } from './syntax.ts';

/**
 * What each workspace may import, lowest layer first. A workspace that is not named on the left may import everything.
 */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  'packages/ports': [],
  'packages/kube': ['ports'],
  'packages/etcd': ['ports'],
  'packages/blob': ['ports'],
  'packages/crd': ['ports', 'kube'],
  'packages/controller-runtime': ['ports', 'kube', 'crd'],
  'packages/kube-lab': ['ports', 'kube', 'crd'],
  'apps/operator': ['ports', 'kube', 'etcd', 'blob', 'crd', 'controller-runtime'],
  'apps/kubectl-etcd': ['ports', 'kube', 'etcd', 'blob', 'crd', 'controller-runtime', 'operator'],
  example: ['ports', 'kube', 'etcd', 'blob', 'crd', 'controller-runtime'],
};

/** Imports between workspaces point downwards, use package names, and respect a package's exports. */
export const layers: Check = {
  name: 'import direction between packages',
  async run(tree) {
    const exported = exportedSpecifiers(tree);
    const problems = sourceFiles(tree).flatMap((file) => {
      const text = tree.read(file);
      // Only these can cross a package boundary; most files have neither and are not parsed.
      if (!ownScopes.some((scope) => text.includes(scope)) && !text.includes('../../')) return [];
      return moduleReferences(parse(file, text)).flatMap((reference) => {
        const broken = brokenRule(file, reference, exported);
        return broken ? [{ ...broken, file, line: lineAt(text, reference.offset) }] : [];
      });
    });
    return { problems };
  },
};

function brokenRule(file: string, { specifier }: ModuleReference, exported: ReadonlySet<string>): Problem | undefined {
  if (specifier.startsWith('.')) return crossing(file, specifier);
  const name = ownPackage(specifier);
  if (name === undefined) return undefined;
  if (!exported.has(specifier)) {
    const message = `${specifier} is not exported: import what the package.json of ${name} exports, or export it there`;
    return { rule: 'no-deep-import', message };
  }
  return upward(file, specifier, name);
}

function upward(file: string, specifier: string, name: string): Problem | undefined {
  const importer = workspaceOf(file);
  const allowed = mayImport[importer] ?? mayImport[importer.split('/')[0] ?? ''];
  if (allowed === undefined || allowed.includes(name) || isTest(file) || importer.endsWith(`/${name}`))
    return undefined;
  const list = allowed.length > 0 ? allowed.join(', ') : 'no other package';
  const why = name === 'kube-lab' ? 'kube-lab is for tests and the playground' : 'imports point downwards only';
  const message = `${importer} must not import ${specifier}: ${why}; it may import ${list} (docs/architecture.md, Layers)`;
  return { rule: 'no-upward-import', message };
}

/** A relative path that leaves its workspace bypasses the exports and the direction. */
function crossing(file: string, specifier: string): Problem | undefined {
  const target = posix.normalize(posix.join(posix.dirname(file), specifier));
  const [from, to] = [workspaceOf(file), workspaceOf(target)];
  if (from === to || !/^(packages|apps|tools)\b/.test(to)) return undefined;
  return {
    rule: 'no-relative-import-across-packages',
    message: `import ${to} by its package name, not as ${specifier}`,
  };
}

function workspaceOf(file: string): string {
  return /^(packages|apps|example)\/[^/]+/.exec(file)?.[0] ?? file.split('/')[0] ?? file;
}

/**
 * Every import specifier that our workspaces export, such as `@operator-parts/kube` and `@operator-parts/kube/testing`.
 */
function exportedSpecifiers(tree: Tree): ReadonlySet<string> {
  const manifests = tree.files.filter((file) => posix.basename(file) === 'package.json');
  return new Set(
    manifests.flatMap((file) => {
      const { name = '', exports = {} } = JSON.parse(tree.read(file)) as { name?: string; exports?: object };
      return Object.keys(exports).map((key) => posix.join(name, key));
    }),
  );
}
