// SPDX-License-Identifier: Apache-2.0
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { BuildPlace } from './build-packages.ts';
import type { Program } from './build-programs.ts';

/**
 * Bundles a command-line program into one executable file without a suffix, `out/<name>`: it works wherever it is
 * copied or linked to. Returns its size in bytes.
 *
 * Node treats such a file as CommonJS or as an ES module, depending on the nearest package.json above it; this file is
 * valid as both. Its syntax is old enough for an old Node to parse it and to say which version is needed.
 */
export async function buildCommand(program: Program & { readonly node: number }, place: BuildPlace): Promise<number> {
  const { outputFiles } = await build({
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node14',
    minifyWhitespace: true,
    lineLimit: 160,
    legalComments: 'eof',
    logLevel: 'warning',
    write: false,
    absWorkingDir: place.root,
    entryPoints: [program.entry],
  });
  const text = commandText(program, outputFiles.map((file) => file.text).join(''));
  const file = join(place.out, program.name);
  await mkdir(place.out, { recursive: true });
  // Never writes to a file that may be running, or that is a link to another file.
  await rm(file, { force: true });
  await writeFile(file, text);
  await chmod(file, 0o755);
  return Buffer.byteLength(text);
}

function commandText({ name, node }: { readonly name: string; readonly node: number }, bundle: string): string {
  const sentence = `error: ${name} needs Node ${node} or newer, and this is Node `;
  return `#!/usr/bin/env node
if (Number(process.versions.node.split('.')[0]) < ${node}) {
  process.stderr.write(${JSON.stringify(sentence)} + process.versions.node + ': install it from nodejs.org, or put it first on PATH.\\n');
  process.exitCode = 1;
} else {
  ((require, module) => {
${bundle}
  })(process.getBuiltinModule('node:module').createRequire(process.execPath), { exports: {} });
}
`;
}
