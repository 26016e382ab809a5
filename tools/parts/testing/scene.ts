// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { GoRecipe, PartTable } from '../recipes/recipe.ts';

/** A tiny part whose only program is compiled by the scene's `go` on PATH. */
export const tiny: GoRecipe = {
  kind: 'go',
  version: '1.0.0',
  go: '1.26',
  bytesNeeded: 1000,
  modules: [],
  programs: [
    {
      name: 'tiny',
      source: { main: 'package main\n\nfunc main() {\n\tprintln("tiny 1.0.0")\n}\n', imports: [] },
      verify: { args: ['--version'], prints: 'tiny 1.0.0' },
    },
  ],
};

/** A `go` that answers queries before a build, and then runs `build`, a shell script with the file in $out. */
export function goThat(build: string): string {
  return `#!/bin/sh
case "$1" in
env) printf 'go1.26.0\\nlocal\\n' ;;
get) : ;;
build) for out; do [ "$last" = -o ] && break; last=$out; done
${build} ;;
esac
`;
}

/** A successful build: the program is a script that prints its version. */
export const goodBuild = `printf '#!/bin/sh\\necho tiny 1.0.0\\n' > "$out"; chmod 755 "$out"`;

/** A build that stops halfway and never ends. */
export const endlessBuild = `printf half > "$out"; exec sleep 600`;

/** A finished process of the command line. */
export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** An empty cache, a separate PATH and a table, all removed after the test. */
export class Scene {
  readonly directory: string;
  readonly cache: string;
  readonly children: ChildProcess[] = [];

  private constructor(directory: string) {
    this.directory = directory;
    this.cache = join(directory, 'cache');
  }

  static async create(): Promise<Scene> {
    return new Scene(await mkdtemp(join(tmpdir(), 'parts-test-')));
  }

  /** PATH with a program with this text first. */
  async pathWith(programs: Readonly<Record<string, string>>, folder = 'bin'): Promise<string> {
    const bin = join(this.directory, folder);
    await mkdir(bin, { recursive: true });
    for (const [name, text] of Object.entries(programs)) {
      await writeFile(join(bin, name), text);
      await chmod(join(bin, name), 0o755);
    }
    return `${bin}:/usr/bin:/bin`;
  }

  /** Starts the real command line as a process. */
  async start(table: PartTable, args: readonly string[], environment: NodeJS.ProcessEnv): Promise<ChildProcess> {
    const [program, ...rest] = await this.commandLine(table, args);
    const child = spawn(program ?? '', rest, { env: this.environment(environment), stdio: ['ignore', 'pipe', 'pipe'] });
    this.children.push(child);
    return child;
  }

  async commandLine(table: PartTable, args: readonly string[]): Promise<readonly string[]> {
    const file = join(this.directory, 'table.json');
    await writeFile(file, JSON.stringify(table));
    return [process.execPath, fileURLToPath(new URL('./run-on-table.ts', import.meta.url)), file, ...args];
  }

  /** The test's own environment with the scene's cache, and additional variables. */
  environment(extra: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
    return { ...process.env, ETCD_OPERATOR_CACHE: this.cache, ...extra };
  }

  /** The content of the cache: finished parts, and unexpected files. */
  async contents(): Promise<readonly string[]> {
    const parts = join(this.cache, 'parts');
    const names = await readdir(parts).catch(() => []);
    const locks = await readdir(join(parts, '.locks')).catch(() => []);
    return [...names.filter((name) => name !== '.locks'), ...locks].sort();
  }

  async remove(): Promise<void> {
    for (const child of this.children) child.kill('SIGKILL');
    for (const pid of await processesWith(`ETCD_OPERATOR_BUILD=${this.cache}`)) process.kill(pid, 'SIGKILL');
    await rm(this.directory, { recursive: true, force: true });
  }
}

/** Waits for the end of a process that `start` returned. */
export async function ended(child: ChildProcess): Promise<Ended> {
  const output = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream]?.setEncoding('utf8').on('data', (text: string) => {
      output[stream] += text;
    });
  }
  const [status] = (await once(child, 'close')) as [number | null];
  return { status, ...output };
}

/** Waits until a condition holds, with a time limit. */
export async function until<T>(what: string, condition: () => Promise<T | undefined>): Promise<T> {
  for (const end = performance.now() + 60_000; performance.now() < end; ) {
    const value = await condition();
    if (value !== undefined) return value;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`waited in vain for ${what}`);
}

/** Pids of living processes with this text in their environment. */
export async function processesWith(text: string): Promise<readonly number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
      return environment.includes(text) ? [Number(pid)] : [];
    }),
  );
  return found.flat();
}
