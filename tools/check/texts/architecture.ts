// SPDX-License-Identifier: Apache-2.0
import { posix } from 'node:path';
import { blocksIn } from '../../markdown/index.ts';
import { ownPackage } from '../../own-packages.ts';
import type { Check, Problem } from '../check.ts';
import type { Tree } from '../tree.ts';

const file = 'docs/architecture.md';

/**
 * The two diagrams of docs/architecture.md must match the code: dependencies of the workspaces, and one reconciliation.
 */
export const architecture: Check = {
  name: 'diagrams of the architecture',
  async run(tree) {
    if (!tree.has(file)) return { problems: [] };
    const text = tree.read(file);
    const diagrams = blocksIn(text).filter(({ language }) => language === 'mermaid');
    const [packages = '', reconciliation = ''] = diagrams.map(({ content }) => content);
    return {
      problems: [
        ...differences(edgesOf(packages), dependencies(tree), 'package.json'),
        ...differences(stepsOf(reconciliation), new Set(linkedNames(text)), 'the table below it'),
      ],
    };
  },
};

/** `operator --> blob`, one for each dependency between our shipped or example workspaces. */
function dependencies(tree: Tree): ReadonlySet<string> {
  const manifests = tree.files.filter((path) => /^(packages|apps|example)\/[^/]+\/package\.json$/.test(path));
  return new Set(
    manifests.flatMap((path) => {
      const { dependencies: needed = {} } = JSON.parse(tree.read(path)) as { dependencies?: object };
      const name = posix.basename(posix.dirname(path));
      return Object.keys(needed)
        .flatMap((one) => ownPackage(one) ?? [])
        .map((one) => `${name} --> ${one}`);
    }),
  );
}

function edgesOf(diagram: string): ReadonlySet<string> {
  return new Set([...diagram.matchAll(/^ *([\w-]+ --> [\w-]+)$/gm)].map(([, edge = '']) => edge));
}

/** A step is a node with the name of a function: `planCluster[...]`. */
function stepsOf(diagram: string): ReadonlySet<string> {
  return new Set([...diagram.matchAll(/\b([A-Za-z]\w*)[[({]/g)].map(([, name = '']) => name));
}

/** The first names in the table after the second diagram; the check of links verifies that each is in its file. */
function linkedNames(text: string): readonly string[] {
  const [, , after = ''] = text.split('```mermaid');
  const [table = ''] = after.split('\n## ');
  return [...table.matchAll(/^\| \[`(\w+)`\]/gm)].map(([, name = '']) => name);
}

function differences(drawn: ReadonlySet<string>, real: ReadonlySet<string>, source: string): Problem[] {
  const message = (text: string) => ({ rule: 'diagram-differs', file, message: text });
  return [
    ...[...real].filter((one) => !drawn.has(one)).map((one) => message(`draw "${one}": ${source} has it`)),
    ...[...drawn].filter((one) => !real.has(one)).map((one) => message(`remove "${one}": ${source} does not have it`)),
  ];
}
