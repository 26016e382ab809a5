// SPDX-License-Identifier: Apache-2.0
import type { Check, Problem } from '../check.ts';
import { runInstalled } from '../program.ts';

interface Diagnostic {
  readonly message: string;
  readonly code?: string;
  readonly help?: string;
  readonly filename?: string;
  readonly labels?: readonly { readonly span?: { readonly line?: number } }[];
}

/** The rules that need types: floating promises, incomplete switches. .oxlintrc.json lists them. */
export const oxlint: Check = {
  name: 'promises and switches (oxlint)',
  async run({ root }) {
    const { status, stdout, stderr } = await runInstalled(
      'oxlint',
      ['--type-aware', '--deny-warnings', '-f', 'json'],
      root,
    );
    if (status === 0) return { problems: [] };
    const start = stdout.indexOf('{');
    if (start === -1) throw new Error(`oxlint gave no report: ${stdout.trim() || stderr.trim()}`);
    const { diagnostics } = JSON.parse(stdout.slice(start)) as { readonly diagnostics: readonly Diagnostic[] };
    return { problems: diagnostics.map(toProblem) };
  },
};

function toProblem({ message, code, help, filename, labels }: Diagnostic): Problem {
  const line = labels?.[0]?.span?.line;
  return {
    rule: code ?? 'oxlint',
    ...(filename === undefined ? {} : { file: filename }),
    ...(line === undefined ? {} : { line }),
    message: help === undefined ? message : `${message} ${help}`,
  };
}
