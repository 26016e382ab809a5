// SPDX-License-Identifier: Apache-2.0
import { existsSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { complain, readCommandLine } from '../command-line.ts';
import { repositoryRoot as root } from '../repository-root.ts';
import { buildCommand } from './build-command.ts';
import { buildPackages } from './build-packages.ts';
import { buildProgram, commandsOf, programsOf } from './build-programs.ts';
import { workspacesOf } from './workspace.ts';

/**
 * `npm run build [-- --out folder] [name ...]`: builds what is published. Packages go to dist/<name>, programs to
 * dist/programs/<name>.mjs, command-line programs to dist/programs/<name>. Development and tests do not need it.
 */
const usage = {
  command: 'npm run build',
  help: `npm run build -- [--out FOLDER] [NAME ...]

Builds what is published: packages to dist/NAME, programs to dist/programs/NAME.mjs, and kubectl-etcd, which people type, to
dist/programs/kubectl-etcd. Names choose some of them.
  --out FOLDER                 instead of dist
`,
};
const { values, positionals } = readCommandLine(usage, {
  options: { out: { type: 'string' } },
  allowPositionals: true,
});
const out = resolve(root, values.out ?? 'dist');
const isWanted = ({ name }: { readonly name: string }) => positionals.length === 0 || positionals.includes(name);

const packages = workspacesOf(root, 'packages').filter(({ directory }) =>
  existsSync(join(directory, 'src', 'index.ts')),
);
const apps = workspacesOf(root, 'apps');
const programs = programsOf(apps);
const commands = commandsOf(apps);
const unknown = positionals.filter((name) => ![...packages, ...programs].some((one) => one.name === name));

if (unknown.length > 0)
  complain(usage, `nothing is called ${unknown.join(', ')}, there are ${names([...packages, ...programs])}`);

try {
  const wanted = packages.filter(isWanted);
  if (wanted.length > 0) {
    const seconds = await timed(() => buildPackages(wanted, { root, out }));
    say(`packages ${names(wanted)} -> ${relative(root, out)}/ (${seconds} s)`);
  }
  for (const program of programs.filter(isWanted)) {
    let bytes = 0;
    const command = commands.find(({ name }) => name === program.name);
    const place = { root, out: join(out, 'programs') };
    const seconds = await timed(async () => {
      bytes = await (command ? buildCommand(command, place) : buildProgram(program, place));
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
