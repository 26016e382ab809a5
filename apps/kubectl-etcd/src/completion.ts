// SPDX-License-Identifier: Apache-2.0
import { backupActions, optionTable, ownOptions, sharedOptions, topicOf } from './command-line.ts';
import { commandHelp } from './help.ts';

/** Completions for the Tab key: words, the names of clusters or of backups, or files. */
export type Completion =
  | { readonly kind: 'words'; readonly words: readonly string[] }
  | { readonly kind: 'clusters'; readonly prefix: string }
  /** Names of EtcdBackups, and these words. */
  | { readonly kind: 'backups'; readonly prefix: string; readonly words: readonly string[] }
  | { readonly kind: 'files' };

const commandsWithoutCluster = ['list', 'operators'];
const verbs = Object.keys(commandHelp).filter((topic) => !topic.includes(' '));

/** @param line the words after `kubectl etcd`; the last one, possibly empty, is being typed */
export function completionOf(line: readonly string[]): Completion {
  const typed = line.at(-1) ?? '';
  const before = line.slice(0, -1);
  // The words after -- are another program's command line.
  if (before.includes('--')) return words([], typed);
  const option = optionNamed(before.at(-1) ?? '');
  if (option !== undefined && optionTable[option].type === 'string') return valuesOf(option, typed);
  const [verb, ...names] = positionals(before);
  if (typed.startsWith('-')) return words(optionsOf(verb, names[0]), typed);
  if (verb === undefined) return words(verbs, typed);
  if (verb === 'help') return words(helpTopics(names), typed);
  if (verb === 'backup') return ofBackup(names, typed);
  if (names.length !== 0 || !Object.hasOwn(commandHelp, verb) || commandsWithoutCluster.includes(verb))
    return words([], typed);
  return { kind: 'clusters', prefix: typed };
}

function helpTopics([verb, ...more]: readonly string[]): readonly string[] {
  if (verb === undefined) return verbs;
  return more.length > 0 ? [] : backupActions.filter((action) => Object.hasOwn(commandHelp, `${verb} ${action}`));
}

function ofBackup([action, ...names]: readonly string[], prefix: string): Completion {
  if (action === undefined) return words(backupActions, prefix);
  if ((action === 'list' || action === 'create') && names.length === 0) return { kind: 'clusters', prefix };
  if ((action === 'browse' || action === 'diff') && names.length === 0) return { kind: 'backups', prefix, words: [] };
  if (action === 'diff' && names.length === 1) return { kind: 'backups', prefix, words: ['live'] };
  return words([], prefix);
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

function optionsOf(verb: string | undefined, what: string | undefined): readonly string[] {
  const own = verb === undefined ? [] : (ownOptions[topicOf(ownOptions, verb, what)] ?? []);
  const shared = sharedOptions.filter((name) => verb !== 'exec' || name !== 'output');
  return [...own, ...shared].map((name) => `--${name}`);
}

function valuesOf(option: OptionName, typed: string): Completion {
  if (option === 'output') return words(['json', 'wide', 'yaml'], typed);
  if (option === 'file' || option === 'kubeconfig' || option === 'directory') return { kind: 'files' };
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
