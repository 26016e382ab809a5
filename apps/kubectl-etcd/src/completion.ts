// SPDX-License-Identifier: Apache-2.0
import { optionTable, ownOptions, sharedOptions } from './command-line.ts';
import { commandHelp } from './help.ts';

/** Completions for the Tab key: words, the names of clusters, or files. */
export type Completion =
  | { readonly kind: 'words'; readonly words: readonly string[] }
  | { readonly kind: 'clusters'; readonly prefix: string }
  | { readonly kind: 'files' };

const commandsWithoutCluster = ['list', 'operators'];

/** @param line the words after `kubectl etcd`; the last one, possibly empty, is being typed */
export function completionOf(line: readonly string[]): Completion {
  const typed = line.at(-1) ?? '';
  const before = line.slice(0, -1);
  // The words after -- are another program's command line.
  if (before.includes('--')) return words([], typed);
  const option = optionNamed(before.at(-1) ?? '');
  if (option !== undefined && optionTable[option].type === 'string') return valuesOf(option, typed);
  const [verb, ...names] = positionals(before);
  if (typed.startsWith('-')) return words(optionsOf(verb), typed);
  if (verb === undefined) return words(Object.keys(commandHelp), typed);
  if (verb === 'help') return words(names.length === 0 ? Object.keys(commandHelp) : [], typed);
  if (verb === 'backup' && names.length === 0) return words(['create', 'list'], typed);
  const expected = verb === 'backup' ? 1 : 0;
  if (names.length !== expected || !Object.hasOwn(commandHelp, verb) || commandsWithoutCluster.includes(verb))
    return words([], typed);
  return { kind: 'clusters', prefix: typed };
}

/**
 * The output of `kubectl_complete-etcd` for kubectl: one candidate per line, then a directive for the shell: no files
 * (4), or files (0).
 */
export function completionText(candidates: readonly string[], files = false): string {
  return `${candidates.map((candidate) => `${candidate}\n`).join('')}:${files ? 0 : 4}\n`;
}

/** The options of a line for the API server and the namespace. */
export function optionsIn(line: readonly string[]): readonly string[] {
  return line.flatMap((word, at) => {
    if (/^--(namespace|context|kubeconfig)=/.test(word)) return [word];
    const option = optionNamed(line[at - 1] ?? '');
    return option === 'namespace' || option === 'context' || option === 'kubeconfig' ? [`--${option}=${word}`] : [];
  });
}

type OptionName = keyof typeof optionTable;

function optionsOf(verb: string | undefined): readonly string[] {
  const own = verb === undefined ? [] : (ownOptions[verb] ?? []);
  return [...own, ...sharedOptions].map((name) => `--${name}`);
}

function valuesOf(option: OptionName, typed: string): Completion {
  if (option === 'output') return words(['json', 'wide', 'yaml'], typed);
  if (option === 'file' || option === 'kubeconfig') return { kind: 'files' };
  return words([], typed);
}

/** The words that are neither options nor option values. */
function positionals(line: readonly string[]): readonly string[] {
  return line.filter((word, at) => {
    if (word.startsWith('-')) return false;
    const option = optionNamed(line[at - 1] ?? '');
    return option === undefined || optionTable[option].type === 'boolean';
  });
}

/** The option in a word such as `--namespace` or `-n`; none for `--namespace=x`. */
function optionNamed(word: string): OptionName | undefined {
  const names = Object.keys(optionTable) as readonly OptionName[];
  return names.find((name) => {
    const option: { readonly type: string; readonly short?: string } = optionTable[name];
    return word === `--${name}` || (option.short !== undefined && word === `-${option.short}`);
  });
}

function words(all: readonly string[], typed: string): Completion {
  return { kind: 'words', words: all.filter((word) => word.startsWith(typed)).toSorted() };
}
