// SPDX-License-Identifier: Apache-2.0
import type { Coverage, CoveredLine } from './coverage.ts';

/** The list for readers, and whether every line that needs a test has one. */
export function describeCoverage({ lines, strays }: Coverage): { readonly text: string; readonly isComplete: boolean } {
  const missing = lines.filter(({ tests }) => tests.length === 0);
  const tested = lines.filter(({ tests }) => tests.length > 0);
  const summary = [
    `${tested.length} of ${lines.length} lines have tests.`,
    ...(missing.length > 0 ? [`Without a test: ${missing.map(({ number }) => number).join(', ')}.`] : []),
    ...strays.map(({ file, name, number }) => `${file}: "${name}" names line ${number}, which there is not.`),
  ];
  const text = `${[...lines.map(describeLine), ...summary].join('\n')}\n`;
  return { text, isComplete: missing.length === 0 && strays.length === 0 };
}

function describeLine({ number, marks, scope, sentence, tests }: CoveredLine): string {
  const head = `${String(number).padStart(3)} ${marks.padEnd(3)} ${scope.padEnd(7)} ${sentence}`;
  if (tests.length === 0) return `${head}\n      NO TEST`;
  return [head, ...tests.map(({ file, name }) => `      ${file}: ${name}`)].join('\n');
}
