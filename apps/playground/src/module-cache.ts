// SPDX-License-Identifier: Apache-2.0
import { enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/**
 * Caches compiled modules in the user's cache directory: compiling some hundred TypeScript files takes most of the time
 * until the first line. Child processes share it. Without a writable folder everything works, but slower.
 */
export function openModuleCache(env: NodeJS.ProcessEnv): void {
  if (env['NODE_COMPILE_CACHE'] || env['NODE_DISABLE_COMPILE_CACHE']) return;
  const folder = moduleCache(env);
  if (enableCompileCache(folder).directory) env['NODE_COMPILE_CACHE'] = folder;
}

/** Its folder. */
export function moduleCache(env: Readonly<Record<string, string | undefined>>): string {
  return join(cacheDirectory(env), 'compiled');
}

/** The same as in the parts; importing it from there would load modules that should be cached. */
function cacheDirectory(env: Readonly<Record<string, string | undefined>>): string {
  const own = env['ETCD_OPERATOR_CACHE'];
  if (own) return resolve(own);
  const user = env['XDG_CACHE_HOME'];
  return user ? resolve(user, 'etcd-operator') : join(env['HOME'] || homedir(), '.cache', 'etcd-operator');
}
