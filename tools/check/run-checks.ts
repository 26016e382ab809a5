// SPDX-License-Identifier: Apache-2.0
import type { Check, Findings, Problem } from './check.ts';
import { openTree, type Tree } from './tree.ts';

/** One check's findings and how long it took. */
export interface Outcome extends Findings {
  readonly name: string;
  readonly seconds: number;
}

/** Runs checks concurrently. A check that throws has failed; the others continue. */
export function runChecks(
  checks: readonly Check[],
  root: string,
  onOutcome: (outcome: Outcome) => void,
): Promise<readonly Outcome[]> {
  const tree = openTree(root);
  return Promise.all(
    checks.map(async (check) => {
      const started = performance.now();
      const findings = await guarded(check, tree);
      const outcome = { ...findings, name: check.name, seconds: (performance.now() - started) / 1000 };
      onOutcome(outcome);
      return outcome;
    }),
  );
}

async function guarded(check: Check, tree: Tree): Promise<Findings> {
  try {
    return await check.run(tree);
  } catch (error) {
    const message = `the check itself broke down: ${error instanceof Error ? error.message : String(error)}`;
    return { problems: [{ rule: check.name, message }] };
  }
}

/** One line for the check, then one for each note and problem. */
export function describeOutcome({ name, seconds, problems, notes = [] }: Outcome): string {
  const verdict = problems.length === 0 ? 'ok    ' : 'FAILED';
  const lines = [
    `${verdict} ${name} (${seconds.toFixed(1)} s)`,
    ...notes.map((note) => `         ${note}`),
    ...problems.map((problem) => `       - ${describeProblem(problem)}`),
  ];
  return lines.join('\n');
}

function describeProblem({ rule, file, line, message }: Problem): string {
  const place = file === undefined ? '' : ` ${file}${line === undefined ? '' : `:${line}`}`;
  return `[${rule}]${place} ${message}`;
}
