// SPDX-License-Identifier: Apache-2.0
import type { Problem } from '../check.ts';
import type { Tree } from '../tree.ts';

/** One entry of docs/rules. */
export interface RuleEntry {
  /** The form of its citation: `safety rule 7`, `fault R7`. */
  readonly citation: string;
  /** The stable short name. */
  readonly name: string;
  readonly file: string;
  readonly line: number;
}

const folder = 'docs/rules/';
const heading =
  /^### (safety rule|operator rule|security rule|etcd fact|fault) (R?\d+): ([a-z0-9]+(?:[-.][a-z0-9]+)*)$/;

/**
 * The headings of the rulebook's pages. A heading of that level that is not an entry is a problem, and so is a
 * duplicate name.
 */
export function readRulebook(tree: Tree): { readonly entries: readonly RuleEntry[]; readonly problems: Problem[] } {
  const entries: RuleEntry[] = [];
  const problems: Problem[] = [];
  for (const { file, line, text } of headings(tree)) {
    const [, kind, number, name] = heading.exec(text) ?? [];
    if (kind === undefined || name === undefined) {
      const message = `"${text}" is no entry: write "### safety rule 7: short-name" (or operator rule, etcd fact, fault)`;
      problems.push({ rule: 'unreadable-rule', file, line, message });
      continue;
    }
    const entry = { citation: `${kind} ${number}`, name, file, line };
    const twin = entries.find((one) => one.citation === entry.citation || one.name === entry.name);
    if (twin === undefined) entries.push(entry);
    else {
      const message = `${entry.citation} (${name}): ${twin.file}:${twin.line} has its number or its name already; give it its own`;
      problems.push({ rule: 'rule-defined-twice', file, line, message });
    }
  }
  return { entries, problems };
}

function headings(tree: Tree): { file: string; line: number; text: string }[] {
  return tree.files
    .filter((file) => file.startsWith(folder) && file.endsWith('.md'))
    .flatMap((file) =>
      tree
        .read(file)
        .split('\n')
        .map((text, index) => ({ file, line: index + 1, text })),
    )
    .filter(({ text }) => text.startsWith('### '));
}
