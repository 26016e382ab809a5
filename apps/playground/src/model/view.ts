// SPDX-License-Identifier: Apache-2.0
import { fitted, type Line, type Span, type Style, span } from '../terminal/line.ts';
import { type Member, membersOf, type Note, type State, selectedMember } from './state.ts';

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** What is on the screen: never more lines than rows, never a line longer than the columns. Pure. */
export function view(state: State, { columns, rows }: Size): readonly Line[] {
  const head = [headline(state, columns), [span('─'.repeat(columns), 'quiet')]];
  const foot = footer(state, columns);
  const room = Math.max(0, rows - head.length - foot.length);
  const body = state.isHelpShown ? help(state) : bodyLines(state, columns, room);
  const padded = [...body.slice(0, room), ...Array.from({ length: Math.max(0, room - body.length) }, (): Line => [])];
  return [...head, ...padded, ...foot].slice(0, rows).map((line) => fitted(line, columns));
}

function headline(state: State, columns: number): Line {
  const { cluster, now } = state;
  const { status, spec, metadata } = cluster ?? {};
  const time = `${now.toFixed(0)} s`;
  const phase = status?.phase ?? (cluster ? 'Creating' : 'Starting');
  const isWhole = status?.readySize === spec?.size && status?.readySize !== undefined;
  const style: Style = phase === 'Failed' ? 'bad' : isWhole ? 'good' : 'warn';
  const target = status?.targetVersion ? ` -> ${status.targetVersion}` : '';
  const left: Line = [
    span(' etcd-operator playground ', 'title'),
    span(` ${metadata?.name ?? ''}  `),
    span(phase, style),
    span(cluster ? `  ${status?.readySize ?? 0} of ${spec?.size ?? 0} ready` : ''),
    span(status?.currentVersion ? `  etcd ${status.currentVersion}${target}` : ''),
  ];
  const width = left.reduce((sum, { text }) => sum + text.length, 0);
  return [...left, span(' '.repeat(Math.max(1, columns - width - time.length - 1))), span(time, 'quiet')];
}

function bodyLines(state: State, columns: number, room: number): readonly Line[] {
  const members = memberLines(state, columns);
  const nodes = nodeLine(state);
  const plan = planLines(state, columns);
  const hints = state.hints.map((hint): Line => [span(`  ${hint}`, 'quiet')]);
  const fixed = members.length + nodes.length + plan.length + 1;
  // The diary has at least five lines before hints get any.
  const hintRoom = room - fixed - Math.min(5, state.notes.length) - 2;
  const shownHints = hints.length > 0 && hintRoom >= hints.length ? [...hints, []] : [];
  const noteRoom = Math.max(0, room - fixed - shownHints.length - 1);
  const diary = noteRoom > 0 ? state.notes.slice(-noteRoom).map(noteLine) : [];
  return [
    ...members,
    ...nodes,
    [],
    ...plan,
    ...shownHints,
    ...(diary.length > 0 ? [[span(' What happened', 'bold')], ...diary] : []),
  ];
}

const headings = ['MEMBER', 'ROLE', 'VERSION', 'REVISION', 'SIZE', 'HEALTH', 'NODE', 'WHY'] as const;

function memberLines(state: State, columns: number): readonly Line[] {
  const members = membersOf(state);
  if (members.length === 0) return [[span('  no members yet', 'quiet')]];
  const rows = members.map((member) => cellsOf(member, state));
  const shown = columnsFor(columns);
  const widths = shown.map((column) =>
    Math.max(headings[column]?.length ?? 0, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  // What comes last is as long as it is.
  const lay = (cells: readonly string[]) =>
    shown.map((column, index) => (cells[column] ?? '').padEnd(index === shown.length - 1 ? 0 : (widths[index] ?? 0)));
  const current = selectedMember(state)?.name;
  return [
    [span(`  ${lay(headings).join('  ')}`, 'quiet')],
    ...members.map((member, index): Line => {
      const cells = lay(rows[index] ?? []);
      const isSelected = member.name === current;
      return [
        span(isSelected ? '> ' : '  ', 'bold'),
        ...cells.flatMap((text, position): Span[] => [
          span(text, cellStyle(shown[position] ?? 0, member, isSelected)),
          ...(position === shown.length - 1 ? [] : [span('  ')]),
        ]),
      ];
    }),
  ];
}

/** A narrow terminal does without the figures. */
function columnsFor(columns: number): readonly number[] {
  if (columns >= 100) return [0, 1, 2, 3, 4, 5, 6, 7];
  return columns >= 76 ? [0, 1, 2, 5, 6, 7] : [0, 1, 5, 7];
}

function cellsOf(member: Member, { placement }: State): readonly string[] {
  return [
    member.name,
    member.role?.toLowerCase() ?? 'unknown',
    member.version ?? '-',
    String(member.revision ?? '-'),
    member.databaseSize === undefined ? '-' : formatBytes(member.databaseSize),
    member.healthy ? 'healthy' : 'not healthy',
    placement.get(member.name) ?? '-',
    member.reason ?? '',
  ];
}

function cellStyle(column: number, member: Member, isSelected: boolean): Style {
  if (column === 5) return member.healthy ? 'good' : 'bad';
  if (column === 0 && isSelected) return 'bold';
  return column === 1 && member.role === 'Leader' ? 'title' : 'plain';
}

const units = ['B', 'KiB', 'MiB', 'GiB'] as const;

function formatBytes(count: number): string {
  const power = count < 1024 ? 0 : Math.min(3, Math.floor(Math.log2(count) / 10));
  return `${Math.round(count / 1024 ** power)} ${units[power]}`;
}

function nodeLine({ nodes }: State): readonly Line[] {
  if (nodes.length === 0) return [];
  const words = nodes.flatMap(({ name, isReady, isCut }): Span[] => [
    span(`  ${name} `),
    isCut ? span('cut off', 'bad') : span(isReady ? 'ready' : 'not ready', isReady ? 'good' : 'bad'),
  ]);
  return [[], [span(' Nodes', 'bold'), ...words]];
}

function planLines({ cluster, busy }: State, columns: number): readonly Line[] {
  const { next = [], waitingFor = [] } = cluster?.status?.plan ?? {};
  const doing = next.flatMap((reason) => wrapped(reason, '  does ', 'good', columns));
  const waiting = waitingFor.flatMap((reason) => wrapped(reason, '  waits ', 'warn', columns));
  const words = [...doing, ...waiting].slice(0, 6);
  const rest: Line = [span('  nothing to do', 'quiet')];
  return [
    [span(' The operator', 'bold'), ...(busy === undefined ? [] : [span(`   (you: ${busy})`, 'quiet')])],
    ...(words.length > 0 ? words : [rest]),
    [],
  ];
}

/** Breaks a sentence at blanks, at most two lines. */
function wrapped(text: string, label: string, style: Style, columns: number): readonly Line[] {
  const width = columns - label.length - 1;
  if (text.length <= width) return [[span(label, style), span(text)]];
  const at = text.lastIndexOf(' ', width);
  if (at <= 0) return [[span(label, style), span(text)]];
  return [
    [span(label, style), span(text.slice(0, at))],
    [span(' '.repeat(label.length)), span(text.slice(at + 1))],
  ];
}

function noteLine({ at, text, tone }: Note): Line {
  return [span(`  ${at.toFixed(1).padStart(6)} s  `, 'quiet'), span(text, tone)];
}

const keys = [
  ['k', 'kill'],
  ['b', 'blank'],
  ['c', 'cut'],
  ['h', 'heal'],
  ['r', 'reboot'],
  ['+-', 'resize'],
  ['u', 'upgrade'],
  ['s', 'back up'],
  ['l', 'restore'],
  ['!', 'shell'],
  ['?', 'help'],
  ['q', 'quit'],
] as const;

function footer(_state: State, columns: number): readonly Line[] {
  const lines: Span[][] = [[span(' ')]];
  let width = 1;
  for (const [key, what] of keys) {
    const cost = key.length + what.length + 3;
    if (width + cost > columns && width > 1) {
      lines.push([span(' ')]);
      width = 1;
    }
    lines.at(-1)?.push(span(key, 'title'), span(` ${what}  `));
    width += cost;
  }
  return lines;
}

function help({ hints }: State): readonly Line[] {
  const words = [
    'Arrows choose a member; keys act on it or on the node it runs on.',
    'k  ends its pod at once: the operator replaces the member',
    'b  empties its disk and ends its process: its identity must not come back',
    'c  cuts its node off from everything; h heals all nodes',
    'r  reboots all nodes at the same moment',
    '+ - change spec.size by two; u goes to the next minor version of etcd',
    's  backs up to the S3 server; l restores the last backup',
    '!  opens a shell with KUBECONFIG set; leave it to come back',
    'A second terminal does the same and more: npm run lab -- --help',
  ];
  return [
    ...words.map((text): Line => [span(`  ${text}`)]),
    [],
    ...hints.map((hint): Line => [span(`  ${hint}`, 'quiet')]),
  ];
}
