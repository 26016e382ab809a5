// SPDX-License-Identifier: Apache-2.0
import { posix } from 'node:path';
import type { Check, Problem } from './check.ts';
import type { Tree } from './tree.ts';

/** Documentation points at files and npm scripts that exist. */
export const links: Check = {
  name: 'links and commands in documentation',
  async run(tree) {
    const scripts = npmScripts(tree);
    const problems = tree.files
      .filter((file) => file.endsWith('.md'))
      .flatMap((file) =>
        tree
          .read(file)
          .split('\n')
          .flatMap((text, index) => {
            const place = { file, line: index + 1 };
            return [...brokenLinks(tree, place, text), ...unknownScripts(scripts, place, text)];
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

function unknownScripts(scripts: ReadonlySet<string>, place: Place, text: string): Problem[] {
  return [...text.matchAll(/\bnpm run ([\w:-]+)/g)].flatMap(([command, script = '']) =>
    scripts.has(script)
      ? []
      : [{ rule: 'unknown-script', ...place, message: `"${command}" is no script of package.json` }],
  );
}

function npmScripts(tree: Tree): ReadonlySet<string> {
  const manifest = tree.has('package.json') ? (JSON.parse(tree.read('package.json')) as { scripts?: object }) : {};
  return new Set(Object.keys(manifest.scripts ?? {}));
}
