// SPDX-License-Identifier: Apache-2.0
import { parseArgs } from 'node:util';

/** What `npm start` was asked for. */
export interface PlaygroundOptions {
  /** Ends as soon as the cluster is available. */
  readonly once: boolean;
  readonly size: number;
  /** `3.6.16` or `3.6`; undefined for the operator's own default. */
  readonly version: string | undefined;
  /** A file with the EtcdCluster to create, and whatever else is in it. */
  readonly file: string | undefined;
  /** Port of the API server on loopback; undefined for one that is free. */
  readonly port: number | undefined;
  /** Folder in which the cluster outlives the playground. */
  readonly keep: string | undefined;
  /** Plain lines even in a terminal. */
  readonly plain: boolean;
}

export const usage = `Usage: npm start -- [options]

Starts a Kubernetes in this process tree, the etcd operator in it, and an etcd cluster to play with.

  --once            end with status 0 as soon as the cluster is available, with the seconds of each phase
  --size N          members of the example cluster, 1 to 7 (default 3)
  --version X.Y     etcd to begin with: 3.4 to 3.7, or an exact version that there is (default 3.6)
  --file FILE       create what is in FILE instead of the example cluster
  --port N          port of the API server on 127.0.0.1 (default one that is free)
  --keep DIR        keep the cluster's spec and data in DIR, and go on from there next time
  --plain           lines instead of a live screen

In a second terminal: npm run lab -- --help
`;

/** A command line that cannot be used; the message says why. */
export class OptionError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'OptionError';
  }
}

/** Undefined if help is asked for. */
export function parseOptions(args: readonly string[]): PlaygroundOptions | undefined {
  const { once, size, version, file, port, keep, plain, help } = read(args);
  if (help) return undefined;
  const count = Number(size);
  if (!Number.isInteger(count) || count < 1 || count > 7)
    throw new OptionError(`--size ${size}: a cluster has 1 to 7 members`);
  const number = port === undefined ? undefined : Number(port);
  if (number !== undefined && (!Number.isInteger(number) || number < 0 || number > 65_535))
    throw new OptionError(`--port ${port}: a port is a number up to 65535`);
  if (keep !== undefined && file !== undefined) throw new OptionError('--keep and --file do not go together');
  const wanted = version?.replace(/^v/, '');
  if (wanted !== undefined && !/^3\.\d{1,2}(\.\d{1,3})?$/.test(wanted))
    throw new OptionError(`--version ${version}: write it like 3.6 or 3.6.16`);
  return { once, size: count, version: wanted, file, port: number, keep, plain };
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
        plain: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values;
  } catch (error) {
    const message = error instanceof Error ? (error.message.split('. ')[0] ?? '') : String(error);
    throw new OptionError(`${message}; npm start -- --help`, { cause: error });
  }
}
