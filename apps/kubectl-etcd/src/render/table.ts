// SPDX-License-Identifier: Apache-2.0

/** Rows with headings, columns separated by three blanks, as in kubectl. Empty columns are left out. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const kept = headings.map((_, column) => rows.some((row) => (row[column] ?? '') !== ''));
  const pick = (row: readonly string[]) => row.filter((_, column) => kept[column]);
  const lines = [pick(headings), ...rows.map(pick)];
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)));
  return lines.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('   ')
      .trimEnd(),
  );
}
