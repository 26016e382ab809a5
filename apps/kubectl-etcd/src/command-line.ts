// SPDX-License-Identifier: Apache-2.0
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { CliError } from './cli-error.ts';

/** Where a backup lies in an S3 store, and how the store is reached. */
export interface S3Location {
  readonly path: string;
  readonly awsSecret: string;
  readonly endpoint: string | undefined;
  readonly forcePathStyle: boolean;
}

export interface WaitOptions {
  readonly wait: boolean;
  /** In milliseconds. */
  readonly timeout: number;
}

/** What is asked for. A cluster that is not named is the only one of the namespace. */
export type Command =
  | { readonly kind: 'about'; readonly what: 'usage' | 'version' }
  | { readonly kind: 'status' | 'members'; readonly cluster: string | undefined }
  | { readonly kind: 'plan'; readonly cluster: string | undefined; readonly file: string | undefined }
  | { readonly kind: 'move-leader'; readonly cluster: string | undefined; readonly to: string | undefined }
  | ({
      readonly kind: 'backup';
      readonly cluster: string | undefined;
      readonly name: string | undefined;
      readonly s3: S3Location;
    } & WaitOptions)
  | ({ readonly kind: 'restore'; readonly cluster: string | undefined; readonly s3: S3Location } & WaitOptions);

export type OutputFormat = 'text' | 'wide' | 'json' | 'yaml';

export interface Invocation {
  readonly command: Command;
  readonly output: OutputFormat;
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly namespace: string | undefined;
}

export const usage = `Looks after etcd clusters that the etcd-operator runs.

Usage:
  kubectl etcd status [CLUSTER]              members, and what the operator does and why
  kubectl etcd members [CLUSTER]             the member list as etcd itself has it at this moment
  kubectl etcd plan [CLUSTER] [-f FILE]      what the operator would do, step by step, and whether quorum survives;
                                             with -f after the spec was changed to that of FILE (- is standard input)
  kubectl etcd backup create [CLUSTER] --s3-path BUCKET/KEY --aws-secret NAME [--name NAME] [--wait]
  kubectl etcd restore [CLUSTER] --s3-path BUCKET/KEY --aws-secret NAME [--wait]
  kubectl etcd move-leader [CLUSTER] [MEMBER]
                                             hands leadership to MEMBER, or to the follower with the most data

CLUSTER may be left out where the namespace has only one.

Options:
  -o, --output FORMAT    wide, json or yaml
  -n, --namespace NAME   default the context's
      --context NAME     of the kubeconfig
      --kubeconfig FILE
      --s3-endpoint URL  a store that is not Amazon's
      --path-style       addresses buckets by path instead of by host name
      --wait             until the backup or restore has succeeded or failed
      --timeout TIME     how long --wait waits: 90s, 10m (default 5m)
      --version

Exit status: 0 done; 1 it failed; 2 the command line, the kubeconfig or a file cannot be used;
3 (plan) quorum would be lost for a moment, or the operator would not do what the file asks for.
`;

const optionTable = {
  output: { type: 'string', short: 'o' },
  namespace: { type: 'string', short: 'n' },
  context: { type: 'string' },
  kubeconfig: { type: 'string' },
  file: { type: 'string', short: 'f' },
  's3-path': { type: 'string' },
  'aws-secret': { type: 'string' },
  's3-endpoint': { type: 'string' },
  'path-style': { type: 'boolean' },
  name: { type: 'string' },
  wait: { type: 'boolean' },
  timeout: { type: 'string' },
  version: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const satisfies ParseArgsConfig['options'];

type Options = ReturnType<typeof parse>['values'];

/** Options that only some commands take; all others go with every one. */
const ownOptions: Readonly<Record<string, readonly (keyof Options)[]>> = {
  plan: ['file'],
  backup: ['s3-path', 'aws-secret', 's3-endpoint', 'path-style', 'wait', 'timeout', 'name'],
  restore: ['s3-path', 'aws-secret', 's3-endpoint', 'path-style', 'wait', 'timeout'],
};

/** Reads a command line. Throws a `CliError` of code `Usage` that says what is wrong with it. */
export function parseCommandLine(args: readonly string[]): Invocation {
  const { values, positionals } = parse(args);
  return {
    command: commandOf(positionals, values),
    output: outputOf(values.output),
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

function commandOf([verb, ...rest]: readonly string[], options: Options): Command {
  if (options.version) return { kind: 'about', what: 'version' };
  if (options.help || verb === undefined || verb === 'help') return { kind: 'about', what: 'usage' };
  refuseStrayOptions(verb, options);
  switch (verb) {
    case 'status':
    case 'members':
      return { kind: verb, cluster: atMost(1, verb, rest)[0] };
    case 'plan':
      return { kind: 'plan', cluster: atMost(1, verb, rest)[0], file: options.file };
    case 'move-leader': {
      const [cluster, to] = atMost(2, verb, rest);
      return { kind: 'move-leader', cluster, to };
    }
    case 'backup': {
      const [what, ...names] = rest;
      if (what !== 'create')
        throw new CliError('Usage', `backup ${what ?? ''}: the only thing to do with backups is "backup create"`);
      const [cluster] = atMost(1, 'backup create', names);
      return { kind: 'backup', cluster, name: options.name, s3: s3Of(options), ...waitOf(options) };
    }
    case 'restore':
      return { kind: 'restore', cluster: atMost(1, verb, rest)[0], s3: s3Of(options), ...waitOf(options) };
    default:
      throw new CliError('Usage', `there is no command "${verb}"; try kubectl etcd --help`);
  }
}

function refuseStrayOptions(verb: string, options: Options): void {
  const special = new Set(Object.values(ownOptions).flat());
  const own = ownOptions[verb] ?? [];
  for (const name of special) {
    if (options[name] !== undefined && !own.includes(name))
      throw new CliError('Usage', `${verb} does not take --${name}; try kubectl etcd --help`);
  }
}

function atMost(count: number, verb: string, names: readonly string[]): readonly string[] {
  if (names.length <= count) return names;
  throw new CliError('Usage', `${verb} takes at most ${count} name${count === 1 ? '' : 's'}: ${names.join(' ')}`);
}

function s3Of(options: Options): S3Location {
  const { 's3-path': path, 'aws-secret': awsSecret } = options;
  if (!path) throw new CliError('Usage', 'say where the backup lies: --s3-path BUCKET/KEY');
  if (!/^[^/]+\/.+/.test(path))
    throw new CliError('Usage', `--s3-path ${path}: write it as BUCKET/KEY, without a scheme`);
  if (!awsSecret) throw new CliError('Usage', "name the Secret with the store's credentials: --aws-secret NAME");
  return { path, awsSecret, endpoint: options['s3-endpoint'], forcePathStyle: options['path-style'] ?? false };
}

const units: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };

function waitOf({ wait, timeout }: Options): WaitOptions {
  const match = /^(\d{1,6})([smh])$/.exec(timeout ?? '5m');
  if (!match) throw new CliError('Usage', `--timeout ${timeout}: write it like 90s or 10m`);
  return { wait: wait ?? false, timeout: Number(match[1]) * (units[match[2] ?? ''] ?? 0) };
}

function outputOf(text: string | undefined): OutputFormat {
  if (text === undefined) return 'text';
  if (text === 'wide' || text === 'json' || text === 'yaml') return text;
  throw new CliError('Usage', `-o ${text}: known are wide, json and yaml`);
}
