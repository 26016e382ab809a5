// SPDX-License-Identifier: Apache-2.0
import { enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/**
 * Keeps compiled modules beside what else outlives a checkout: most of the time until the first line is spent on compiling
 * some hundred TypeScript files, which need not be done twice. Processes that are started from here share it. Without a
 * folder that can be written to everything goes on as before, only slower.
 */
export function openModuleCache(env: NodeJS.ProcessEnv): void {
  if (env['NODE_COMPILE_CACHE'] || env['NODE_DISABLE_COMPILE_CACHE']) return;
  const folder = moduleCache(env);
  if (enableCompileCache(folder).directory) env['NODE_COMPILE_CACHE'] = folder;
}

/** The folder of it. */
export function moduleCache(env: Readonly<Record<string, string | undefined>>): string {
  return join(cacheDirectory(env), 'compiled');
}

/** As the parts have it; importing it from there would load what is to be cached. */
function cacheDirectory(env: Readonly<Record<string, string | undefined>>): string {
  const own = env['ETCD_OPERATOR_CACHE'];
  if (own) return resolve(own);
  const user = env['XDG_CACHE_HOME'];
  return user ? resolve(user, 'etcd-operator') : join(env['HOME'] || homedir(), '.cache', 'etcd-operator');
}
