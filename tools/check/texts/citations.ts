// SPDX-License-Identifier: Apache-2.0
import type { Check, Problem } from '../check.ts';
import { lineAt } from '../code/syntax.ts';
import { isGenerated, type Tree } from '../tree.ts';
import { type RuleEntry, readRulebook } from './rulebook.ts';

/** Every citation must be in docs/rules, and every rule there must be cited by code or tests. */
export const citations: Check = {
  name: 'citations of the rulebook',
  async run(tree) {
    const { entries, problems } = readRulebook(tree);
    const known = new Set(entries.map(({ citation }) => citation));
    const found = citing(tree).flatMap((file) => {
      const text = tree.read(file);
      return citationsIn(text).map((citation) => ({ ...citation, file, line: lineAt(text, citation.offset) }));
    });
    const unclear = found.filter(({ names }) => names === undefined).map(ambiguous);
    const each = found.flatMap(({ names = [], file, line }) => names.map((name) => ({ name, file, line })));
    const lost = each.filter(({ name }) => !known.has(name)).map(unresolved);
    const cited = new Set(each.filter(({ file }) => !file.endsWith('.md')).map(({ name }) => name));
    const idle = entries.filter(({ citation }) => !cited.has(citation)).map(unused);
    return { problems: [...problems, ...unclear, ...lost, ...idle] };
  },
};

/** One citation in a text. `names` is absent if it does not name its page. */
interface Citation {
  readonly offset: number;
  readonly text: string;
  readonly names?: readonly string[];
}

/** A blank, or a line break in a comment. */
const gap = String.raw`(?: |\s*\n\s*(?:\*|//|#)\s*)`;
const separator = `(?:,${gap}and${gap}|,${gap}|${gap}and${gap}|${gap}to${gap})`;
/** The singular has one number, the plural a list. */
const pattern = new RegExp(
  String.raw`\b(?:(safety|operator|security|etcd)${gap})?(rule|fact|fault)(?:s${gap}(R?\d+(?:${separator}R?\d+)*)|${gap}(R?\d+))\b`,
  'gi',
);
const pages = ['safety rule', 'operator rule', 'security rule', 'etcd fact', 'fault'];

/** Finds the citations of a text, in order. */
export function citationsIn(text: string): readonly Citation[] {
  return [...text.matchAll(pattern)].map((found) => {
    const [whole, qualifier = '', noun = '', many, one = ''] = found;
    const kind = `${qualifier} ${noun}`.trim().toLowerCase();
    const place = { offset: found.index, text: whole.replaceAll(/\s*\n\s*\S+\s*/g, ' ') };
    return pages.includes(kind)
      ? { ...place, names: numbersOf(many ?? one).map((number) => `${kind} ${number}`) }
      : place;
  });
}

/** `1, 3 to 5 and 9` is 1, 3, 4, 5, 9. */
function numbersOf(text: string): readonly string[] {
  return text.split(/,|\band\b/).flatMap((part) => {
    const [first = '', last = first] = part.match(/R?\d+/gi) ?? [];
    const prefix = /^R/i.test(first) ? 'R' : '';
    const [from, to] = [first, last].map((one) => Number(one.replace(/^R/i, '')));
    if (first === '' || from === undefined || to === undefined) return [];
    return Array.from({ length: to - from + 1 }, (_, index) => `${prefix}${from + index}`);
  });
}

/** Everything written by hand, except the changelog. */
function citing(tree: Tree): readonly string[] {
  return tree.files.filter(
    (file) => /\.(tsx?|mjs|go|sh|md)$/.test(file) && !isGenerated(file) && file !== 'CHANGELOG.md',
  );
}

type Place = Required<Pick<Problem, 'file' | 'line'>>;

function ambiguous({ file, line, text }: Place & { readonly text: string }): Problem {
  const message = `"${text}" does not say which page it means: write "safety rule", "operator rule" or "etcd fact" (docs/rules/README.md)`;
  return { rule: 'ambiguous-citation', file, line, message };
}

function unresolved({ file, line, name }: Place & { readonly name: string }): Problem {
  return {
    rule: 'unresolved-citation',
    file,
    line,
    message: `docs/rules has no ${name}: correct the number, or add the entry`,
  };
}

function unused({ citation, name, file, line }: RuleEntry): Problem {
  const message = `no code and no test cites ${citation} (${name}): cite it where it is kept and tested, or remove the entry`;
  return { rule: 'uncited-rule', file, line, message };
}
