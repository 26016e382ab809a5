// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path';
import { build } from 'esbuild';
import type { BuildPlace } from './build-packages.ts';
import type { Workspace } from './workspace.ts';

/** A program that an app ships. */
export interface Program {
  readonly name: string;
  /** Absolute path of the TypeScript file it starts with. */
  readonly entry: string;
}

/** The programs that apps declare under `programs` in their package.json. */
export function programsOf(apps: readonly Workspace[]): readonly Program[] {
  return apps.flatMap(({ directory, manifest }) =>
    Object.entries(manifest.programs ?? {}).map(([name, file]) => ({ name, entry: join(directory, file) })),
  );
}

/** Bundled CommonJS packages ask for Node's own modules by `require`, which ES modules do not have. */
const banner =
  "import { createRequire as bundleRequire } from 'node:module';\nconst require = bundleRequire(import.meta.url);";

/**
 * Bundles a program with everything it imports into one file, `out/<name>.mjs`, that runs on a bare Node 24. Names stay
 * readable for stack traces; the licences of what is bundled stand at its end. Returns its size in bytes.
 */
export async function buildProgram({ name, entry }: Program, { root, out }: BuildPlace): Promise<number> {
  const outfile = join(out, `${name}.mjs`);
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    keepNames: true,
    legalComments: 'eof',
    banner: { js: banner },
    metafile: true,
    logLevel: 'warning',
  });
  return Object.values(metafile.outputs).reduce((sum, { bytes }) => sum + bytes, 0);
}
