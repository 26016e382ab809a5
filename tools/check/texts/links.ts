// SPDX-License-Identifier: Apache-2.0
import { posix } from 'node:path';
import type { Check, Problem } from '../check.ts';
import { sourceFiles, type Tree } from '../tree.ts';

/** Links in the documentation must refer to existing files, names in them and npm scripts. */
export const links: Check = {
  name: 'links and commands in documentation',
  async run(tree) {
    const problems = tree.files
      .filter((file) => file.endsWith('.md'))
      .flatMap((file) =>
        tree
          .read(file)
          .split('\n')
          .flatMap((text, index) => {
            const place = { file, line: index + 1 };
            return [
              ...brokenLinks(tree, place, text),
              ...absentNames(tree, place, text),
              ...unknownScripts(tree, place, text),
            ];
          }),
      );
    return { problems };
  },
};

type Place = Required<Pick<Problem, 'file' | 'line'>>;

function brokenLinks(tree: Tree, place: Place, text: string): Problem[] {
  return [...text.matchAll(/(?:\[`(\w+)`)?\]\(([^)\s]+)\)/g)].flatMap(([, name, target = '']) => {
    const path = target.split('#')[0] ?? '';
    if (path === '' || /^[a-z]+:/.test(target)) return [];
    const resolved = posix.normalize(posix.join(posix.dirname(place.file), path));
    if (tree.has(resolved)) return [];
    return [
      { rule: 'broken-link', ...place, message: `${target} does not exist: ${whereItIs(tree, place, resolved, name)}` },
    ];
  });
}

/** Suggests the new target of a moved file: the file with that name, or the one that exports it. */
function whereItIs(tree: Tree, { file }: Place, lost: string, name: string | undefined): string {
  const exporting = new RegExp(`^export (?:async )?(?:function|class|interface|type|const) ${name}\\b`, 'm');
  const named = tree.files.filter((path) => posix.basename(path) === posix.basename(lost));
  const found =
    named.length === 1 || name === undefined
      ? named
      : sourceFiles(tree).filter((path) => exporting.test(tree.read(path)));
  const [only] = found;
  return found.length === 1 && only !== undefined
    ? `write ${posix.relative(posix.dirname(file), only)}`
    : 'correct the path';
}

/** `[`name`](x.ts)` requires that the name is in that file. */
function absentNames(tree: Tree, place: Place, text: string): Problem[] {
  return [...text.matchAll(/\[`([A-Za-z]\w*)`\]\(([^)\s]+\.ts)\)/g)].flatMap(([, name = '', target = '']) => {
    const resolved = posix.normalize(posix.join(posix.dirname(place.file), target));
    if (!tree.has(resolved) || new RegExp(`\\b${name}\\b`).test(tree.read(resolved))) return [];
    return [
      { rule: 'absent-name', ...place, message: `${resolved} does not contain ${name}: name what it is called now` },
    ];
  });
}

function unknownScripts(tree: Tree, place: Place, text: string): Problem[] {
  if (!text.includes('npm run ')) return [];
  const scripts = new Set([
    ...npmScripts(tree, 'package.json'),
    ...npmScripts(tree, posix.join(posix.dirname(place.file), 'package.json')),
  ]);
  return [...text.matchAll(/\bnpm run ([\w:-]+)/g)].flatMap(([command, script = '']) =>
    scripts.has(script)
      ? []
      : [{ rule: 'unknown-script', ...place, message: `"${command}" is no script of package.json` }],
  );
}

/** The scripts of one manifest; a page may name those of the root and of its own folder. */
function npmScripts(tree: Tree, path: string): readonly string[] {
  const manifest = tree.has(path) ? (JSON.parse(tree.read(path)) as { scripts?: object }) : {};
  return Object.keys(manifest.scripts ?? {});
}
