// SPDX-License-Identifier: Apache-2.0
import { readFile, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type BuildOptions, build } from 'esbuild';
import type { BuildPlace } from './build-packages.ts';
import type { Workspace } from './workspace.ts';

/** A program of an app. */
export interface Program {
  readonly name: string;
  /** Absolute path of its main TypeScript file. */
  readonly entry: string;
}

/** The programs that apps declare under `programs` in their package.json. */
export function programsOf(apps: readonly Workspace[]): readonly Program[] {
  return apps.flatMap(({ directory, manifest }) =>
    Object.entries(manifest.programs ?? {}).map(([name, file]) => ({ name, entry: join(directory, file) })),
  );
}

/** The command-line programs among them, with the oldest Node that their app supports. */
export function commandsOf(apps: readonly Workspace[]): readonly (Program & { readonly node: number })[] {
  return apps.flatMap(({ name, directory, manifest }) => {
    const node = Number(/^>=(\d+)$/.exec(manifest.engines?.['node'] ?? '')?.[1]);
    return (manifest.commands ?? []).map((command) => {
      const file = manifest.programs?.[command];
      if (file === undefined || Number.isNaN(node))
        throw new Error(
          `apps/${name}/package.json: command ${command} needs its file in "programs" and "engines" like ">=24"`,
        );
      return { name: command, entry: join(directory, file), node };
    });
  });
}

/** The result of bundling programs. */
export interface Bundle {
  /** Names of all files; those of the programs are `<name>.mjs`. */
  readonly files: readonly string[];
  /** The bundled files, as paths from the root of the repository. */
  readonly sources: readonly string[];
}

/** Bundled CommonJS packages load Node's own modules with `require`, which ES modules do not have. */
const banner =
  "import { createRequire as bundleRequire } from 'node:module';\nconst require = bundleRequire(import.meta.url);";

/**
 * For a bare Node 24. Names are kept for stack traces; comments and blanks are removed, because a program's text stays
 * in memory, twice as large if a comment contains a character beyond Latin-1. The licences of bundled packages are at
 * the end of each file.
 */
const common = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  minifyWhitespace: true,
  lineLimit: 160,
  legalComments: 'eof',
  banner: { js: banner },
  metafile: true,
  logLevel: 'warning',
} as const satisfies BuildOptions;

/** Bundles a program with all its imports into one file, `out/<name>.mjs`. Returns its size in bytes. */
export async function buildProgram({ name, entry }: Program, { root, out }: BuildPlace): Promise<number> {
  const outfile = join(out, `${name}.mjs`);
  const { metafile } = await build({ ...common, absWorkingDir: root, entryPoints: [entry], outfile });
  return Object.values(metafile.outputs).reduce((sum, { bytes }) => sum + bytes, 0);
}

/**
 * Bundles several programs: shared imports and dynamic imports are in separate files, so that they exist once and are
 * loaded only when needed.
 */
export async function buildPrograms(programs: readonly Program[], { root, out }: BuildPlace): Promise<Bundle> {
  const { metafile } = await build({
    ...common,
    absWorkingDir: root,
    entryPoints: programs.map(({ name, entry }) => ({ in: entry, out: name })),
    outdir: out,
    outExtension: { '.js': '.mjs' },
    chunkNames: 'parts/[name]-[hash]',
    splitting: true,
  });
  for (const [file, { entryPoint }] of Object.entries(metafile.outputs)) {
    if (entryPoint === undefined || metafile.inputs[entryPoint]?.format !== 'cjs') continue;
    await giveNames(resolve(root, file), resolve(root, entryPoint));
  }
  const files = Object.keys(metafile.outputs).map((file) => relative(out, resolve(root, file)));
  const sources = Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
  );
  return { files: files.toSorted(), sources: [...new Set(sources)] };
}

/**
 * A dynamically imported CommonJS module becomes a file with only a default export. Adds the names that Node would find
 * in it.
 */
async function giveNames(file: string, source: string): Promise<void> {
  const found: object = await import(pathToFileURL(source).href);
  const names = Object.keys(found).filter((name) => name !== 'default' && /^[A-Za-z_$][\w$]*$/.test(name));
  const before = await readFile(file, 'utf8');
  const pattern = /\bexport default (require_\w+)\(\);/;
  if (!pattern.test(before)) throw new Error(`${source} was not bundled as expected: it has no default export`);
  // Separate local names: the module may use the exported names itself.
  const locals = names.map((name, index) => `named${index} = wholeModule.${name}`);
  const exported = names.map((name, index) => `named${index} as ${name}`);
  const more = names.length > 0 ? `\nconst ${locals.join(', ')};\nexport { ${exported.join(', ')} };` : '';
  const after = before.replace(pattern, `const wholeModule = $1();\nexport default wholeModule;${more}`);
  await writeFile(file, after);
}
