// SPDX-License-Identifier: Apache-2.0
import { type Line, type Span, type Style, span } from '../terminal/line.ts';
import { wrap } from '../terminal/wrap.ts';
import { isRestoring, type Member, membersOf, type State, selectedMember } from './state.ts';

const headings = ['MEMBER', 'ROLE', 'VERSION', 'REVISION', 'SIZE', 'HEALTH', 'NODE', 'WHY'] as const;
const why = 7;

/** A table of the members. A reason that does not fit its column is printed in full below its member. */
export function memberLines(state: State, columns: number): readonly Line[] {
  const members = membersOf(state);
  if (members.length === 0) return [[span('  no members yet', 'quiet')]];
  const rows = members.map((member) => cellsOf(member, state));
  const shown = columnsFor(columns);
  const widths = shown.map((column) =>
    Math.max(headings[column]?.length ?? 0, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const isBelow = 2 + widths.reduce((sum, width) => sum + width + 2, -2) > columns;
  const inLine = isBelow ? shown.filter((column) => column !== why) : shown;
  // The last column has no width limit.
  const lay = (cells: readonly string[]) =>
    inLine.map((column, index) => (cells[column] ?? '').padEnd(index === inLine.length - 1 ? 0 : (widths[index] ?? 0)));
  const current = selectedMember(state)?.name;
  return [
    [span(`  ${lay(headings).join('  ')}`, 'quiet')],
    ...members.flatMap((member, index): readonly Line[] => {
      const cells = lay(rows[index] ?? []);
      const isSelected = member.name === current;
      const row = [
        span(isSelected ? '> ' : '  ', 'bold'),
        ...cells.flatMap((text, position): Span[] => [
          span(text, cellStyle(inLine[position] ?? 0, { member, isSelected, isOld: isRestoring(state.cluster) })),
          ...(position === cells.length - 1 ? [] : [span('  ')]),
        ]),
      ];
      const below = isBelow && member.reason ? wrap(member.reason, columns - 4) : [];
      return [row, ...below.map((text): Line => [span(`    ${text}`, 'warn')])];
    }),
  ];
}

/** A narrow terminal has no numbers. */
function columnsFor(columns: number): readonly number[] {
  if (columns >= 100) return [0, 1, 2, 3, 4, 5, 6, why];
  return columns >= 76 ? [0, 1, 2, 5, 6, why] : [0, 1, 5, why];
}

function cellsOf(member: Member, { placement, cluster }: State): readonly string[] {
  const isOld = isRestoring(cluster);
  return [
    member.name,
    isOld ? 'previous' : (member.role?.toLowerCase() ?? 'unknown'),
    member.version ?? '-',
    String(member.revision ?? '-'),
    member.databaseSize === undefined ? '-' : formatBytes(member.databaseSize),
    isOld ? 'isolated' : member.healthy ? 'healthy' : 'not healthy',
    placement.get(member.name) ?? '-',
    isOld ? 'holds the data from before the restore' : (member.reason ?? ''),
  ];
}

interface CellState {
  readonly member: Member;
  readonly isSelected: boolean;
  readonly isOld: boolean;
}

function cellStyle(column: number, { member, isSelected, isOld }: CellState): Style {
  if (isOld) return 'quiet';
  if (column === 5) return member.healthy ? 'good' : 'bad';
  if (column === 0 && isSelected) return 'bold';
  return column === 1 && member.role === 'Leader' ? 'title' : 'plain';
}

const units = ['B', 'KiB', 'MiB', 'GiB'] as const;

function formatBytes(count: number): string {
  const power = count < 1024 ? 0 : Math.min(3, Math.floor(Math.log2(count) / 10));
  return `${Math.round(count / 1024 ** power)} ${units[power]}`;
}
