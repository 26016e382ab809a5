// SPDX-License-Identifier: Apache-2.0
import { posix } from 'node:path';
import type { Check, Problem } from './check.ts';
import type { Tree } from './tree.ts';

/** Documentation points at files and npm scripts that exist. */
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
            return [...brokenLinks(tree, place, text), ...unknownScripts(tree, place, text)];
          }),
      );
    return { problems };
  },
};

type Place = Required<Pick<Problem, 'file' | 'line'>>;

function brokenLinks(tree: Tree, place: Place, text: string): Problem[] {
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = '']) => {
    const path = target.split('#')[0] ?? '';
    if (path === '' || /^[a-z]+:/.test(target)) return [];
    const resolved = posix.normalize(posix.join(posix.dirname(place.file), path));
    if (tree.has(resolved)) return [];
    return [{ rule: 'broken-link', ...place, message: `${target} does not exist: correct the path` }];
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

/** The scripts of one manifest; a page may name those of the root and those of its own folder. */
function npmScripts(tree: Tree, path: string): readonly string[] {
  const manifest = tree.has(path) ? (JSON.parse(tree.read(path)) as { scripts?: object }) : {};
  return Object.keys(manifest.scripts ?? {});
}
