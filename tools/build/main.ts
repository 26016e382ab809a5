// SPDX-License-Identifier: Apache-2.0
import { existsSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { repositoryRoot as root } from '../repository-root.ts';
import { buildPackages } from './build-packages.ts';
import { buildProgram, programsOf } from './build-programs.ts';
import { workspacesOf } from './workspace.ts';

/**
 * `npm run build [-- --out folder] [name ...]`: what is published. Packages go to dist/<name>, programs to
 * dist/programs/<name>.mjs. Development and tests need none of it.
 */
const { values, positionals } = parseArgs({ options: { out: { type: 'string' } }, allowPositionals: true });
const out = resolve(root, values.out ?? 'dist');
const isWanted = ({ name }: { readonly name: string }) => positionals.length === 0 || positionals.includes(name);

const packages = workspacesOf(root, 'packages').filter(({ directory }) =>
  existsSync(join(directory, 'src', 'index.ts')),
);
const programs = programsOf(workspacesOf(root, 'apps'));
const unknown = positionals.filter((name) => ![...packages, ...programs].some((one) => one.name === name));

try {
  if (unknown.length > 0)
    throw new Error(`nothing is called ${unknown.join(', ')}: ${names([...packages, ...programs])}`);
  const wanted = packages.filter(isWanted);
  if (wanted.length > 0) {
    const seconds = await timed(() => buildPackages(wanted, { root, out }));
    say(`packages ${names(wanted)} -> ${relative(root, out)}/ (${seconds} s)`);
  }
  for (const program of programs.filter(isWanted)) {
    let bytes = 0;
    const seconds = await timed(async () => {
      bytes = await buildProgram(program, { root, out: join(out, 'programs') });
    });
    say(`program ${program.name} -> ${(bytes / 1e6).toFixed(1)} MB (${seconds} s)`);
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

function names(things: readonly { readonly name: string }[]): string {
  return things.map(({ name }) => name).join(', ');
}

async function timed(work: () => Promise<void>): Promise<string> {
  const started = performance.now();
  await work();
  return ((performance.now() - started) / 1000).toFixed(1);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
