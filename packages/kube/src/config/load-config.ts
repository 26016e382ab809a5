// SPDX-License-Identifier: Apache-2.0
import { readFile as readFileOfSystem } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { ClusterConfig } from './cluster-config.ts';
import { configError, reasonOf } from './config-error.ts';
import { environmentProxy } from './environment-proxy.ts';
import { type Environment, inClusterConfig, isInCluster, type ReadFile } from './in-cluster.ts';
import { configOf } from './kubeconfig.ts';
import { type Kubeconfig, mergeKubeconfigs, parseKubeconfig } from './kubeconfig-file.ts';

export interface LoadConfigOptions {
  /** A kubeconfig file. It must exist. */
  readonly kubeconfig?: string;
  /** A context of the kubeconfig. @default its current-context */
  readonly context?: string;
  /** The environment of the process: `process.env` in a program. */
  readonly env: Environment;
  /** @default the file system */
  readonly readFile?: ReadFile;
}

/**
 * Finds the configuration, in this order: the given file, the files in `KUBECONFIG` (missing ones are ignored), the
 * service account of a pod, `~/.kube/config`. If a context is given, the service account is not used.
 *
 * Errors have code `Configuration` and name the file, the entry and the field.
 */
export async function loadConfig(options: LoadConfigOptions): Promise<ClusterConfig> {
  const config = await findConfig(options, options.readFile ?? ((path) => readFileOfSystem(path, 'utf8')));
  const proxyUrl = config.proxyUrl ?? environmentProxy(config.server, options.env);
  return proxyUrl ? { ...config, proxyUrl } : config;
}

async function findConfig(options: LoadConfigOptions, readFile: ReadFile): Promise<ClusterConfig> {
  const { env, context } = options;
  if (options.kubeconfig) return configOf(await mustRead(options.kubeconfig, readFile), context);
  const listed = (env['KUBECONFIG'] ?? '').split(delimiter).filter((path) => path !== '');
  if (listed.length > 0) {
    const found = await readAll(listed, readFile);
    if (found.length === 0) throw configError('KUBECONFIG', `none of the files in it exists: ${listed.join(', ')}`);
    return configOf(mergeKubeconfigs(found), context);
  }
  if (context === undefined && isInCluster(env)) return inClusterConfig(env, readFile);
  const home = env['HOME'];
  const found = home ? await readAll([join(home, '.kube', 'config')], readFile) : [];
  if (found[0]) return configOf(found[0], context);
  throw configError(
    'no cluster',
    'found no way to reach a Kubernetes cluster: there is no --kubeconfig, no KUBECONFIG, no service account and no ~/.kube/config',
  );
}

async function mustRead(path: string, readFile: ReadFile): Promise<Kubeconfig> {
  const text = await readIfPresent(path, readFile);
  if (text === undefined) throw configError(path, 'does not exist');
  return parseKubeconfig(path, text);
}

/** The kubeconfigs among these files that exist. A file that cannot be read is an error. */
async function readAll(paths: readonly string[], readFile: ReadFile): Promise<readonly Kubeconfig[]> {
  const found: Kubeconfig[] = [];
  for (const path of paths) {
    const text = await readIfPresent(path, readFile);
    if (text !== undefined) found.push(parseKubeconfig(path, text));
  }
  return found;
}

async function readIfPresent(path: string, readFile: ReadFile): Promise<string | undefined> {
  try {
    return await readFile(path);
  } catch (cause) {
    if (cause instanceof Error && (cause as { code?: unknown }).code === 'ENOENT') return undefined;
    throw configError(path, `cannot be read (${reasonOf(cause)})`, cause);
  }
}
