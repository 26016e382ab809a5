// SPDX-License-Identifier: Apache-2.0
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { counted } from '@etcd-operator/operator';
import type { BrowseAsked } from './browse/browse.ts';
import { browseOf, diffOf, type ListStoredAsked, listStoredOf } from './browse/browse-request.ts';
import type { DiffAsked } from './browse/diff.ts';
import { CliError } from './cli-error.ts';
import type { ExecAsked } from './commands/exec.ts';
import type { LogsAsked } from './commands/logs.ts';
import type { KeysAsked } from './commands/restore/restore-keys.ts';
import { commandHelp, usage } from './help.ts';
import { type StoreLocation, storeOf } from './store-location.ts';

export interface WaitOptions {
  readonly wait: boolean;
  /** In milliseconds. */
  readonly timeout: number;
}

/** A parsed command. If no cluster is named, the only one in the namespace is used. */
export type Command =
  | { readonly kind: 'about'; readonly what: 'version' }
  /** The help text of one command, or of all. */
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'operators' }
  | { readonly kind: 'list'; readonly allNamespaces: boolean }
  | { readonly kind: 'doctor'; readonly cluster: string | undefined; readonly allNamespaces: boolean }
  | { readonly kind: 'status'; readonly cluster: string | undefined; readonly watch: boolean }
  | { readonly kind: 'members' | 'events' | 'pause' | 'resume'; readonly cluster: string | undefined }
  | ({ readonly kind: 'logs' } & LogsAsked)
  | ({ readonly kind: 'exec'; readonly stdin: boolean } & ExecAsked)
  | { readonly kind: 'report'; readonly cluster: string | undefined; readonly tail: number }
  | { readonly kind: 'plan'; readonly cluster: string | undefined; readonly file: string | undefined }
  | { readonly kind: 'move-leader'; readonly cluster: string | undefined; readonly to: string | undefined }
  | {
      readonly kind: 'backup';
      readonly action: 'list';
      readonly cluster: string | undefined;
      readonly allNamespaces: boolean;
    }
  | ({ readonly kind: 'backup'; readonly action: 'listStored' } & ListStoredAsked)
  | ({ readonly kind: 'backup'; readonly action: 'browse' } & BrowseAsked)
  | ({ readonly kind: 'backup'; readonly action: 'diff' } & DiffAsked)
  | ({
      readonly kind: 'backup';
      readonly action: 'create';
      readonly cluster: string | undefined;
      readonly name: string | undefined;
      readonly store: StoreLocation;
      /** The time of the backup is appended to its key. */
      readonly addTime: boolean;
      /** The Job that owns the EtcdBackup. */
      readonly ownerJob: { readonly name: string; readonly uid: string } | undefined;
    } & WaitOptions)
  | ({
      readonly kind: 'recover';
      readonly cluster: string | undefined;
      /** The member to recover from; undefined for the most advanced one. */
      readonly member: string | undefined;
      /** False to only show what would be done. */
      readonly yes: boolean;
    } & WaitOptions)
  | ({
      readonly kind: 'restore';
      readonly cluster: string | undefined;
      readonly store: StoreLocation;
      /** The data of an existing cluster may be replaced. */
      readonly yes: boolean;
      /** Only keys with these prefixes; undefined for everything. */
      readonly keys: KeysAsked | undefined;
    } & WaitOptions);

export type OutputFormat = 'text' | 'wide' | 'json' | 'yaml';

export interface Invocation {
  readonly command: Command;
  readonly output: OutputFormat;
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly namespace: string | undefined;
}

export const optionTable = {
  output: { type: 'string', short: 'o' },
  namespace: { type: 'string', short: 'n' },
  context: { type: 'string' },
  kubeconfig: { type: 'string' },
  file: { type: 'string', short: 'f' },
  'all-namespaces': { type: 'boolean', short: 'A' },
  watch: { type: 'boolean', short: 'w' },
  member: { type: 'string' },
  follow: { type: 'boolean' },
  previous: { type: 'boolean' },
  tail: { type: 'string' },
  stdin: { type: 'boolean', short: 'i' },
  yes: { type: 'boolean' },
  store: { type: 'string' },
  secret: { type: 'string' },
  endpoint: { type: 'string' },
  's3-path': { type: 'string' },
  'aws-secret': { type: 'string' },
  's3-endpoint': { type: 'string' },
  'path-style': { type: 'boolean' },
  'add-time': { type: 'boolean' },
  'owner-job': { type: 'string' },
  name: { type: 'string' },
  values: { type: 'boolean' },
  revision: { type: 'string' },
  'to-revision': { type: 'string' },
  at: { type: 'string' },
  'to-at': { type: 'string' },
  'encryption-secret': { type: 'string' },
  directory: { type: 'string' },
  stored: { type: 'boolean' },
  prefix: { type: 'string', multiple: true },
  'dry-run': { type: 'boolean' },
  overwrite: { type: 'boolean' },
  wait: { type: 'boolean' },
  timeout: { type: 'string' },
  version: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const satisfies ParseArgsConfig['options'];

type Options = ReturnType<typeof parse>['values'];

const storeOptions = ['store', 'secret', 'endpoint', 's3-path', 'aws-secret', 's3-endpoint', 'path-style'] as const;

const browseOptions = [
  'secret',
  'endpoint',
  'path-style',
  'encryption-secret',
  'directory',
  'values',
  'revision',
  'at',
] as const;

/** Options of some commands; all others are accepted by every command. */
export const ownOptions: Readonly<Record<string, readonly (keyof Options)[]>> = {
  plan: ['file'],
  list: ['all-namespaces'],
  doctor: ['all-namespaces'],
  status: ['watch'],
  logs: ['member', 'follow', 'previous', 'tail'],
  exec: ['member', 'stdin'],
  report: ['tail'],
  'backup list': ['all-namespaces', 'stored', 'store', 'secret', 'endpoint', 'path-style', 'directory'],
  'backup create': [...storeOptions, 'wait', 'timeout', 'name', 'add-time', 'owner-job'],
  'backup browse': browseOptions,
  'backup diff': [...browseOptions, 'to-revision', 'to-at'],
  restore: [...storeOptions, 'wait', 'timeout', 'yes', 'prefix', 'dry-run', 'overwrite'],
  recover: ['member', 'yes', 'wait', 'timeout'],
};

/** Options of every command. */
export const sharedOptions: readonly (keyof Options)[] = ['output', 'namespace', 'context', 'kubeconfig', 'help'];

/** Parses a command line. Throws a `CliError` with code `Usage` that describes the error. */
export function parseCommandLine(args: readonly string[]): Invocation {
  // The words after -- are another program's command line.
  const end = args.indexOf('--');
  const { values, positionals } = parse(end < 0 ? args : args.slice(0, end));
  return {
    command: commandOf(positionals, values, end < 0 ? undefined : args.slice(end + 1)),
    output: outputOf(values, positionals[0]),
    kubeconfig: values.kubeconfig,
    context: values.context,
    namespace: values.namespace,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: optionTable, allowPositionals: true });
  } catch (error) {
    const message = error instanceof Error ? (error.message.split('. ')[0] ?? '') : String(error);
    throw new CliError('Usage', message.charAt(0).toLowerCase() + message.slice(1), { cause: error });
  }
}

function commandOf(
  [verb, ...rest]: readonly string[],
  options: Options,
  words: readonly string[] | undefined,
): Command {
  if (options.version) return { kind: 'about', what: 'version' };
  if (options.help || verb === undefined || verb === 'help')
    return { kind: 'help', text: helpOn(verb === 'help' || verb === undefined ? rest : [verb, ...rest]) };
  refuseStrayOptions(verb, rest[0], options);
  if (words !== undefined && verb !== 'exec')
    throw new CliError('Usage', `${verb} takes no command after --. To run a command in a pod, use kubectl etcd exec`);
  const allNamespaces = options['all-namespaces'] ?? false;
  switch (verb) {
    case 'status':
      return { kind: verb, cluster: atMost(1, verb, rest)[0], watch: options.watch ?? false };
    case 'members':
    case 'events':
    case 'pause':
    case 'resume':
      return { kind: verb, cluster: atMost(1, verb, rest)[0] };
    case 'operators':
      atMost(0, verb, rest);
      return { kind: verb };
    case 'list':
      atMost(0, verb, rest);
      return { kind: verb, allNamespaces };
    case 'doctor':
      return { kind: verb, cluster: atMost(allNamespaces ? 0 : 1, verb, rest)[0], allNamespaces };
    case 'logs':
      return { kind: verb, cluster: atMost(1, verb, rest)[0], ...logsOf(options) };
    case 'report':
      return { kind: verb, cluster: atMost(1, verb, rest)[0], tail: tailOf(options.tail, 500) };
    case 'exec':
      return execOf(atMost(1, verb, rest)[0], options, words);
    case 'plan':
      return { kind: 'plan', cluster: atMost(1, verb, rest)[0], file: options.file };
    case 'move-leader': {
      const [cluster, to] = atMost(2, verb, rest);
      return { kind: 'move-leader', cluster, to };
    }
    case 'backup':
      return backupOf(rest, options, allNamespaces);
    case 'restore': {
      const [cluster] = atMost(1, verb, rest);
      const asked = { store: storeOf(options), yes: options.yes ?? false, keys: keysOf(options) };
      return { kind: 'restore', cluster, ...asked, ...waitOf(options) };
    }
    case 'recover': {
      const [cluster] = atMost(1, verb, rest);
      return { kind: 'recover', cluster, member: options.member, yes: options.yes ?? false, ...waitOf(options) };
    }
    default:
      throw new CliError('Usage', `there is no command "${verb}". For a list of commands, run kubectl etcd --help`);
  }
}

function keysOf({ prefix: prefixes, 'dry-run': dryRun, overwrite }: Options): KeysAsked | undefined {
  if (!prefixes && (dryRun || overwrite))
    throw new CliError('Usage', `--${dryRun ? 'dry-run' : 'overwrite'} needs at least one --prefix PREFIX`);
  return prefixes && { prefixes, dryRun: dryRun ?? false, overwrite: overwrite ?? false };
}

function backupOf([what, ...names]: readonly string[], options: Options, allNamespaces: boolean): Command {
  if (what === 'list') {
    const stored = listStoredOf(names, options);
    if (stored) return { kind: 'backup', action: 'listStored', ...stored };
    return { kind: 'backup', action: 'list', cluster: atMost(1, 'backup list', names)[0], allNamespaces };
  }
  if (what === 'create') {
    const [cluster] = atMost(1, 'backup create', names);
    const own = { addTime: options['add-time'] ?? false, ownerJob: ownerOf(options['owner-job']) };
    const store = storeOf(options);
    return { kind: 'backup', action: 'create', cluster, name: options.name, store, ...own, ...waitOf(options) };
  }
  if (what === 'browse') return { kind: 'backup', action: 'browse', ...browseOf(names, options) };
  if (what === 'diff') return { kind: 'backup', action: 'diff', ...diffOf(names, options) };
  const problem = what === undefined ? 'the command after "backup" is missing' : `there is no command "backup ${what}"`;
  throw new CliError('Usage', `${problem}: use kubectl etcd backup list, create, browse or diff`);
}

function execOf(cluster: string | undefined, options: Options, words: readonly string[] | undefined): Command {
  if (!words || words.length === 0)
    throw new CliError(
      'Usage',
      'write the command to run after --, for example: kubectl etcd exec -- etcdctl endpoint status',
    );
  return { kind: 'exec', cluster, member: options.member, stdin: options.stdin ?? false, command: words };
}

function logsOf({ member, follow = false, previous = false, tail }: Options): Omit<LogsAsked, 'cluster'> {
  return { member, follow, previous, tail: tailOf(tail, 50) };
}

function tailOf(text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new CliError('Usage', `--tail ${text}: must be a number of lines`);
}

/** The second words of `backup`. */
export const backupActions = ['browse', 'create', 'diff', 'list'] as const;

function isBackupAction(word: string | undefined): boolean {
  return backupActions.some((action) => action === word);
}

/** The entry of a command with several words, such as `backup browse`, or that of its verb. */
export function topicOf(table: Readonly<Record<string, unknown>>, verb: string, what: string | undefined): string {
  return Object.hasOwn(table, `${verb} ${what}`) ? `${verb} ${what}` : verb;
}

function helpOn([verb, what]: readonly string[]): string {
  if (verb === undefined) return usage;
  const topic = topicOf(commandHelp, verb, what);
  const text = Object.hasOwn(commandHelp, topic) ? commandHelp[topic] : undefined;
  if (text === undefined)
    throw new CliError('Usage', `there is no command "${verb}". For a list of commands, run kubectl etcd --help`);
  return text;
}

function refuseStrayOptions(verb: string, what: string | undefined, options: Options): void {
  // The missing or unknown action is the error to tell.
  if (verb === 'backup' && !isBackupAction(what)) return;
  const topic = topicOf(ownOptions, verb, what);
  const special = new Set(Object.values(ownOptions).flat());
  const own = ownOptions[topic] ?? [];
  for (const name of special) {
    if (options[name] !== undefined && !own.includes(name))
      throw new CliError(
        'Usage',
        `${topic} does not take --${name}. For its options, run kubectl etcd ${topic} --help`,
      );
  }
}

function atMost(count: number, verb: string, names: readonly string[]): readonly string[] {
  if (names.length <= count) return names;
  throw new CliError('Usage', `${verb} takes at most ${counted(count, 'name')}: ${names.join(' ')}`);
}

function ownerOf(text: string | undefined): { readonly name: string; readonly uid: string } | undefined {
  if (text === undefined) return undefined;
  const [, name = '', uid = ''] = /^([a-z0-9.-]+)\/([0-9a-f-]+)$/.exec(text) ?? [];
  if (name && uid) return { name, uid };
  throw new CliError('Usage', `--owner-job ${text}: must have the form NAME/UID`);
}

const units: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };

function waitOf({ wait, timeout }: Options): WaitOptions {
  const match = /^(\d{1,6})([smh])$/.exec(timeout ?? '5m');
  if (!match) throw new CliError('Usage', `--timeout ${timeout}: must be a time such as 90s or 10m`);
  return { wait: wait ?? false, timeout: Number(match[1]) * (units[match[2] ?? ''] ?? 0) };
}

function outputOf({ output: text, follow }: Options, verb: string | undefined): OutputFormat {
  if (text === undefined) return 'text';
  if (verb === 'exec')
    throw new CliError('Usage', 'exec does not take -o: it prints the output of the command after --');
  if (text === 'yaml' && follow)
    throw new CliError('Usage', '-o yaml cannot be used with --follow. Use -o json, which prints one object per line');
  if (text === 'wide' || text === 'json' || text === 'yaml') return text;
  throw new CliError('Usage', `-o ${text}: must be wide, json or yaml`);
}
