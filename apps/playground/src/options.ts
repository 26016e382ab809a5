// SPDX-License-Identifier: Apache-2.0
import { parseArgs } from 'node:util';

/** The options of `npm start`. */
export interface PlaygroundOptions {
  /** Ends as soon as the cluster is available. */
  readonly once: boolean;
  readonly size: number;
  /** `3.6.16` or `3.6`; undefined for the operator's own default. */
  readonly version: string | undefined;
  /** A file with the EtcdCluster to create, and optional other objects. */
  readonly file: string | undefined;
  /** Port of the API server on loopback; undefined for a free one. */
  readonly port: number | undefined;
  /** Folder in which the cluster is kept after the playground ends. */
  readonly keep: string | undefined;
  /** Only nodes, DNS, store and images: no operator, no cluster. */
  readonly empty: boolean;
  /** Plain lines even on a terminal. */
  readonly plain: boolean;
}

export const usage = `Usage: npm start -- [options]

Starts a Kubernetes in this process tree, the etcd operator in it, and an etcd cluster to play with.

  --once            exit with status 0 as soon as the cluster is available, and print the seconds of each phase
  --size N          members of the example cluster, 1 to 7 (default 3)
  --version X.Y     version of etcd to start with: 3.4 to 3.7, or an exact version (default 3.6)
  --file FILE       create the objects in FILE instead of the example cluster
  --port N          port of the API server on 127.0.0.1 (default: a free port)
  --keep DIR        keep the cluster's spec, its data and the backups in DIR, and continue with them next time
  --empty           start without an operator and a cluster: deploy them yourself, as the walk-through shows
  --plain           print lines instead of a live screen, as with TERM=dumb

In a second terminal: npm run lab -- --help
`;

/**
 * Whether to use the live screen: on a terminal that can position text (not TERM=dumb), unless plain lines are
 * requested.
 */
export function hasScreen(
  { once, plain }: Pick<PlaygroundOptions, 'once' | 'plain'>,
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  return !once && !plain && env['TERM'] !== 'dumb' && (env['TERM'] ?? '') !== '';
}

/** An invalid command line; the message says why. */
export class OptionError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'OptionError';
  }
}

/** Undefined if help is requested. */
export function parseOptions(args: readonly string[]): PlaygroundOptions | undefined {
  const { once, size, version, file, port, keep, empty, plain, help } = read(args);
  if (help) return undefined;
  const count = Number(size);
  if (!Number.isInteger(count) || count < 1 || count > 7)
    throw new OptionError(`--size ${size}: a cluster has 1 to 7 members`);
  const number = port === undefined ? undefined : Number(port);
  if (number !== undefined && (!Number.isInteger(number) || number < 0 || number > 65_535))
    throw new OptionError(`--port ${port}: a port must be a number up to 65535`);
  refuseTogether({ once, keep, file, empty });
  const wanted = version?.replace(/^v/, '');
  if (wanted !== undefined && !/^\d{1,2}\.\d{1,2}(\.\d{1,3})?$/.test(wanted))
    throw new OptionError(`--version ${version}: use a version such as 3.6 or 3.6.16`);
  return { once, size: count, version: wanted, file, port: number, keep, empty, plain };
}

function refuseTogether(given: {
  readonly once: boolean;
  readonly keep: string | undefined;
  readonly file: string | undefined;
  readonly empty: boolean;
}): void {
  const { once, keep, file, empty } = given;
  if (keep !== undefined && file !== undefined) throw new OptionError('--keep and --file cannot be used together');
  const other = once ? '--once' : keep !== undefined ? '--keep' : file !== undefined ? '--file' : undefined;
  if (empty && other)
    throw new OptionError(`--empty and ${other} cannot be used together: with --empty there is no cluster`);
}

function read(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        once: { type: 'boolean', default: false },
        size: { type: 'string', default: '3' },
        version: { type: 'string' },
        file: { type: 'string' },
        port: { type: 'string' },
        keep: { type: 'string' },
        empty: { type: 'boolean', default: false },
        plain: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values;
  } catch (error) {
    const message = error instanceof Error ? (error.message.split('. ')[0] ?? '') : String(error);
    throw new OptionError(`${message}; npm start -- --help`, { cause: error });
  }
}
