// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { certificateFiles } from '@operator-parts/controller-runtime';
import { connect, createClient, isKubeError, loadConfig, withRetry } from '@operator-parts/kube';
import {
  createLogger,
  jsonLines,
  type Logger,
  type LogLevel,
  systemClock,
  systemRandom,
  textLines,
} from '@operator-parts/ports';
import type { OperatorOptions } from '../prepare-operator.ts';
import { version } from '../version.ts';
import { describeFlags, type FlagDefinitions, FlagError, type FlagValues, parseGoFlags } from './go-flags.ts';
import { listenOn } from './listen-on.ts';
import { podLogReader } from './pod-log-reader.ts';
import { logWarnings } from './server-warnings.ts';

/** Flags that every program has. */
interface CommonFlags extends FlagDefinitions {
  readonly kubeconfig: { readonly kind: 'string'; readonly default: string; readonly help: string };
  readonly 'listen-addr': { readonly kind: 'string'; readonly default: string; readonly help: string };
  readonly 'secure-metrics-addr': { readonly kind: 'string'; readonly default: string; readonly help: string };
  readonly 'secure-metrics-certificate': { readonly kind: 'string'; readonly default: string; readonly help: string };
  readonly 'log-level': { readonly kind: 'string'; readonly default: string; readonly help: string };
  readonly 'log-format': { readonly kind: 'string'; readonly default: string; readonly help: string };
  readonly version: { readonly kind: 'boolean'; readonly default: boolean; readonly help: string };
}

export interface Program<D extends CommonFlags> {
  readonly name: string;
  readonly flags: D;
  run(
    context: {
      readonly flags: FlagValues<D>;
      readonly operator: OperatorOptions;
      /** Reads the log of a pod that has ended. */
      readonly readLog: ReturnType<typeof podLogReader>;
    },
    signal: AbortSignal,
  ): Promise<void>;
}

/**
 * Runs a program: command line, environment, signals, connection, exit code. After an error of the user, it prints one sentence and exits
 * with status 2. The first SIGTERM or SIGINT stops the work in an orderly way; the second one ends the process at once.
 */
export async function runProgram<D extends CommonFlags>(program: Program<D>): Promise<void> {
  try {
    // Node parses HTTP/1 with WebAssembly. Optimizing this code takes 10 MB of memory for the rest of the process, so Node optimizes it
    // only in a process that receives much data.
    setFlagsFromString('--wasm-tiering-budget=1000000000');
    const flags = parseGoFlags(program.flags, process.argv.slice(2));
    if (flags.version) {
      process.stdout.write(
        `${program.name} ${version} (node ${process.version}, ${process.platform}/${process.arch})\n`,
      );
      return;
    }
    await start(program, flags);
  } catch (error) {
    process.exitCode = fail(program, error);
  } finally {
    // Work that did not stop in time, for example a call to an unavailable mount, must not keep the process running.
    systemClock.schedule(lastMoment, () => process.exit(), { background: true });
  }
}

/** Time to write the last lines of the log, in ms. */
const lastMoment = 1_000;

async function start<D extends CommonFlags>(program: Program<D>, flags: FlagValues<D>): Promise<void> {
  const common = parseGoFlags<CommonFlags>(program.flags, process.argv.slice(2));
  const log = loggerOf(common['log-level'], common['log-format']);
  const { namespace, identity } = ownPod(process.env);
  const secure = secureMetrics(common['secure-metrics-addr'], common['secure-metrics-certificate']);
  const config = await loadConfig({ env: process.env, ...(common.kubeconfig && { kubeconfig: common.kubeconfig }) });
  const retry = { clock: systemClock, random: systemRandom };
  const transport = connect(config, retry);
  const client = createClient(transport, { retry, onWarning: logWarnings(log) });
  const signal = untilSignalled(log);
  // A defect in the work for one object must not end the work for all others. No code awaits the rejected promise, so continuing is safe.
  process.on('unhandledRejection', (reason) =>
    log.error('a failure was not handled: this is a defect of the operator', { error: reason }),
  );
  log.info('starting', { program: program.name, version, server: config.server, namespace });
  try {
    const operator = {
      client,
      log,
      namespace,
      identity,
      http: listenOn('listen-addr', common['listen-addr']),
      ...secure,
    };
    await program.run({ flags, operator, readLog: podLogReader(withRetry(transport, retry)) }, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    await transport.close();
  }
}

/** The operator's own namespace and name. As in CoreOS, they come from the downward API and are required. */
function ownPod(env: NodeJS.ProcessEnv): { readonly namespace: string; readonly identity: string } {
  const namespace = env['MY_POD_NAMESPACE'];
  const identity = env['MY_POD_NAME'];
  if (!namespace) throw new FlagError('must set env MY_POD_NAMESPACE (metadata.namespace by the downward API)');
  if (!identity) throw new FlagError('must set env MY_POD_NAME (metadata.name by the downward API)');
  return { namespace, identity };
}

const levels: readonly LogLevel[] = ['trace', 'debug', 'info', 'warn', 'error'];

function loggerOf(level: string, format: string): Logger {
  const known = levels.find((name) => name === level);
  if (!known) throw new FlagError(`invalid value "${level}" for flag -log-level: use ${levels.join(', ')}`);
  if (format !== 'json' && format !== 'text')
    throw new FlagError(`invalid value "${format}" for flag -log-format: use json or text`);
  const lines = format === 'json' ? jsonLines : textLines;
  return createLogger({ clock: systemClock, level: known, write: lines(process.stderr) });
}

function secureMetrics(address: string, folder: string): Pick<OperatorOptions, 'secureMetrics'> {
  if (!address) return {};
  if (!folder) throw new FlagError('flag -secure-metrics-addr needs -secure-metrics-certificate');
  const certificate = certificateFiles(join(folder, 'tls.crt'), join(folder, 'tls.key'));
  return { secureMetrics: { ...listenOn('secure-metrics-addr', address), certificate } };
}

function untilSignalled(log: Logger): AbortSignal {
  const stop = new AbortController();
  for (const name of ['SIGTERM', 'SIGINT'] as const) {
    process.on(name, () => {
      if (stop.signal.aborted) process.exit(1);
      log.info('stopping', { signal: name });
      stop.abort(new Error(`received ${name}`));
    });
  }
  return stop.signal;
}

/** Prints the error and returns the exit status: 2 for errors that the user can correct, 1 for all others. */
function fail<D extends CommonFlags>({ name, flags }: Program<D>, error: unknown): number {
  const isUsage = error instanceof FlagError;
  const isMendable = isUsage || isKubeError(error, 'Configuration');
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`${name}: ${message}\n`);
  if (isUsage && message.startsWith('flag ')) process.stderr.write(describeFlags(name, flags));
  if (!isMendable && error instanceof Error && error.stack) process.stderr.write(`${error.stack}\n`);
  return isMendable ? 2 : 1;
}
