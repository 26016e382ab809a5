// SPDX-License-Identifier: Apache-2.0
import { chmod, chown, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findOnPath } from '../../parts/index.ts';
import { outputOf } from '../../process/run-program.ts';

/** Whom systems have for those who own nothing. */
const nobody = 65_534;

/** Somebody with an empty folder, no privileges and nothing of this repository. */
export interface OrdinaryUser extends AsyncDisposable {
  readonly folder: string;
  /** Runs a program in the folder; resolves with what it prints, rejects with what it complains about. */
  run(program: string, args: readonly string[], environment?: Readonly<Record<string, string>>): Promise<string>;
  /** Runs npm by a Node. */
  npm(node: string, args: readonly string[]): Promise<string>;
}

export async function ordinaryUser(): Promise<OrdinaryUser> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'etcd-operator-user-')));
  const isRoot = process.getuid?.() === 0;
  if (isRoot) await chown(folder, nobody, nobody);
  await chmod(folder, 0o755);
  const identity = isRoot ? { user: { uid: nobody, gid: nobody } } : {};
  const base = { ...(await wayOut()), HOME: folder, PATH: '/usr/local/bin:/usr/bin:/bin' };
  const user: OrdinaryUser = {
    folder,
    run: async (program, args, environment = {}) => {
      return outputOf([program, ...args], { cwd: folder, environment: { ...base, ...environment }, ...identity });
    },
    npm: async (node, args) => {
      const found = await findOnPath('npm', process.env['PATH'] ?? '');
      if (found === undefined) throw new Error('npm was not found on PATH: install it and run the command again');
      return user.run(node, [
        await realpath(found),
        '--no-audit',
        '--no-fund',
        '--loglevel=error',
        '--fetch-timeout=60000',
        ...args,
      ]);
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
  return user;
}

/** How packages of others are reached is a setting of the machine, not of the user. */
async function wayOut(): Promise<Readonly<Record<string, string>>> {
  const names = /^(https?_proxy|no_proxy|node_extra_ca_certs|ssl_cert_file|ssl_cert_dir)$/i;
  const found = Object.entries(process.env).flatMap(([name, value = '']) => (names.test(name) ? [[name, value]] : []));
  const registry = await outputOf(['npm', 'config', 'get', 'registry']);
  return { ...(Object.fromEntries(found) as Record<string, string>), npm_config_registry: registry.trim() };
}
