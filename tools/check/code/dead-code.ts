// SPDX-License-Identifier: Apache-2.0
import { relative } from 'node:path';
import type { Check, Findings, Problem } from '../check.ts';
import { runInstalled } from '../program.ts';

interface Issue {
  readonly name: string;
  readonly line?: number;
}

type FileReport = { readonly file: string } & Readonly<Record<string, unknown>>;

const remedies: Readonly<Record<string, string>> = {
  files: 'nothing imports this file: delete it, or import it where it belongs',
  exports: 'nothing imports it: drop the export, or the code',
  types: 'nothing imports it: drop the export, or the type',
  duplicates: 'it is exported twice: keep one name',
  dependencies: 'no file imports this package: take it out of package.json',
  devDependencies: 'no file uses this package: take it out of package.json',
  unlisted: 'it is imported here, but not in the package.json of this workspace: add it there',
  unresolved: 'this import leads nowhere: correct the path',
  binaries: 'no package.json installs this program',
};

/** Unused files, exports and dependencies. The exports of a package's index.ts are for its users. */
export const deadCode: Check = {
  name: 'dead code (knip)',
  run: ({ root }) =>
    knip([], root, (kind, name) => `${kind === 'files' ? '' : `${name}: `}${remedies[kind] ?? 'nothing uses it'}`),
};

/** Shipped source that only tests use. */
export const testOnlyCode: Check = {
  name: 'code that only tests use (knip)',
  run: ({ root }) =>
    knip(
      ['--production', '--include', 'files'],
      root,
      () => 'only tests import this: use it, or move it below testing/',
    ),
};

async function knip(
  args: readonly string[],
  root: string,
  describe: (kind: string, name: string) => string,
): Promise<Findings> {
  const { status, stdout, stderr } = await runInstalled('knip', [...args, '--reporter', 'json', '--no-progress'], root);
  if (status === 0) return { problems: [] };
  const start = stdout.indexOf('{');
  if (start === -1) throw new Error(`knip gave no report: ${stderr.trim() || stdout.trim()}`);
  const { issues } = JSON.parse(stdout.slice(start)) as { readonly issues: readonly FileReport[] };
  return { problems: issues.flatMap((report) => toProblems(report, root, describe)) };
}

function toProblems(
  { file, ...kinds }: FileReport,
  root: string,
  describe: (kind: string, name: string) => string,
): Problem[] {
  return Object.entries(kinds).flatMap(([kind, found]) =>
    (Array.isArray(found) ? (found.flat() as Issue[]) : []).map(({ name, line }) => ({
      rule: `unused-${kind}`,
      file: file.startsWith('/') ? relative(root, file) : file,
      ...(line === undefined ? {} : { line }),
      message: describe(kind, name),
    })),
  );
}
