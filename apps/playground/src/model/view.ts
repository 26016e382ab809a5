// SPDX-License-Identifier: Apache-2.0
import { counted } from '@etcd-operator/operator';
import { fitted, type Line, type Span, span } from '../terminal/line.ts';
import { wrap } from '../terminal/wrap.ts';
import { headline } from './headline.ts';
import { memberLines } from './member-lines.ts';
import { planLines } from './plan-lines.ts';
import { type Note, operatorAtWork, type State } from './state.ts';

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** From this height on there is room for a separator below the header and for all keys below the body. */
const roomyRows = 18;
/** The minimum log lines before optional parts are shown, and before members are left out. */
const [usualDiary, leastDiary] = [5, 4];

/** The content of the screen: never more lines than rows, never a line longer than the columns. Pure. */
export function view(state: State, { columns, rows }: Size): readonly Line[] {
  const isRoomy = rows >= roomyRows;
  const head = [headline(state, columns), ...(isRoomy ? [[span('─'.repeat(columns), 'quiet')]] : [])];
  const foot = footer(columns, isRoomy);
  const room = Math.max(0, rows - head.length - foot.length);
  const body = state.isHelpShown ? help(state, columns, room) : bodyLines(state, columns, room);
  const padded = [...body.slice(0, room), ...Array.from({ length: Math.max(0, room - body.length) }, (): Line => [])];
  return [...head, ...padded, ...foot].slice(0, rows).map((line) => fitted(line, columns));
}

function bodyLines(state: State, columns: number, room: number): readonly Line[] {
  const members = memberLines(state, columns);
  const plan = planLines(state, columns);
  const diary = diaryLines(state, columns);
  const fixed = [...members, ...nodeLines(state, columns), [], planHead(state, columns), ...plan, []];
  const left = room - fixed.length - 1;
  if (left < Math.min(usualDiary, diary.length)) return compactLines(state, room, { members, plan, diary });
  const hints = hintLines(state.hints, columns);
  const hintRoom = left - Math.min(usualDiary, diary.length) - 1;
  const shownHints = hints.length > 0 && hintRoom >= hints.length ? [...hints, []] : [];
  const shown = tail(diary, left - shownHints.length, state.scrolled);
  return [...fixed, ...shownHints, ...(shown.length > 0 ? [diaryHead(state), ...shown] : [])];
}

interface Parts {
  readonly members: readonly Line[];
  readonly plan: readonly Line[];
  readonly diary: readonly Line[];
}

/** Without headings, blank lines and nodes: actions and events have priority over the last members. */
function compactLines({ scrolled }: State, room: number, { members, plan, diary }: Parts): readonly Line[] {
  const least = Math.min(leastDiary, diary.length);
  const shownPlan = plan.slice(0, Math.max(1, room - least - 2));
  const memberRoom = Math.max(0, room - least - shownPlan.length);
  const left = members.length - memberRoom + 1;
  const more: Line = [span(`  … ${counted(left, 'more line')} of members: enlarge the terminal`, 'quiet')];
  const shownMembers = members.length <= memberRoom ? members : [...members.slice(0, memberRoom - 1), more];
  const shown = [...shownMembers, ...shownPlan];
  return [...shown, ...tail(diary, room - shown.length, scrolled)];
}

/** The last lines, or earlier ones to which the user has scrolled. */
function tail(lines: readonly Line[], room: number, scrolled: number): readonly Line[] {
  if (room <= 0) return [];
  const end = Math.max(Math.min(room, lines.length), lines.length - scrolled);
  return lines.slice(Math.max(0, end - room), end);
}

function nodeLines({ nodes }: State, columns: number): readonly Line[] {
  if (nodes.length === 0) return [];
  const words = nodes.map(({ name, isReady, isCut }): readonly Span[] => [
    span(`  ${name} `),
    isCut ? span('cut off', 'bad') : span(isReady ? 'ready' : 'not ready', isReady ? 'good' : 'bad'),
  ]);
  const whole: Line = [span(' Nodes', 'bold'), ...words.flat()];
  if (widthOf(whole) <= columns) return [[], whole];
  const troubled = words.filter((_, index) => nodes[index]?.isCut === true || nodes[index]?.isReady !== true);
  const ready = nodes.length - troubled.length;
  return [[], [span(' Nodes', 'bold'), ...troubled.flat(), span(`  ${ready} ready`, ready > 0 ? 'good' : 'bad')]];
}

function widthOf(line: Line): number {
  return line.reduce((sum, { text }) => sum + text.length, 0);
}

function planHead(state: State, columns: number): Line {
  const who = operatorAtWork(state);
  const [first] = state.busy;
  const busy: Line = first === undefined ? [] : [span(`   (you: ${first})`, 'quiet')];
  const title = span(' The operator', 'bold');
  const whole: Line = [title, ...(who === '' ? [] : [span(`   ${who}`, 'quiet')]), ...busy];
  return widthOf(whole) <= columns ? whole : [title, ...busy];
}

function diaryHead({ scrolled }: State): Line {
  return [
    span(' What happened', 'bold'),
    ...(scrolled > 0 ? [span(`   PgDn: ${counted(scrolled, 'line')} to the newest`, 'quiet')] : []),
  ];
}

/** Lines for the shown cluster and for all; nothing is cut off. */
function diaryLines({ notes, cluster, clusters }: State, columns: number): readonly Line[] {
  const own = cluster?.metadata?.name;
  const known = new Set(clusters.map(({ metadata }) => metadata?.name));
  const isShown = ({ about }: Note) => about === undefined || about === own || !known.has(about);
  return notes.filter(isShown).flatMap((note) => noteLines(note, columns));
}

function noteLines({ at, text, tone }: Note, columns: number): readonly Line[] {
  const time = columns < 60 ? ` ${at.toFixed(0)}s ` : `  ${at.toFixed(1).padStart(6)} s  `;
  const indent = columns < 60 ? '   ' : ' '.repeat(time.length);
  const [first = '', ...rest] = wrapWithin(text, columns - time.length, columns - indent.length);
  return [[span(time, 'quiet'), span(first, tone)], ...rest.map((line): Line => [span(indent), span(line, tone)])];
}

/** The first line may have another width than the others. */
function wrapWithin(text: string, first: number, others: number): readonly string[] {
  const [head = ''] = wrap(text, first);
  const rest = text.slice(head.length).trimStart();
  return rest === '' ? [head] : [head, ...wrap(rest, others)];
}

/** Lines to copy: a long one is broken with shell syntax. */
function hintLines(hints: State['hints'], columns: number): readonly Line[] {
  return hints.flatMap((hint) => {
    const lines = hint.length + 2 <= columns ? [hint] : wrap(hint, columns - 4);
    return lines.map((line, index): Line => {
      const goesOn = index < lines.length - 1 ? ' \\' : '';
      return [span(`  ${line}${goesOn}`, 'quiet')];
    });
  });
}

const keys = [
  ['k', 'kill'],
  ['b', 'blank'],
  ['x', 'lose'],
  ['v', 'recover'],
  ['c', 'cut'],
  ['h', 'heal'],
  ['r', 'reboot'],
  ['+-', 'resize'],
  ['u', 'upgrade'],
  ['s', 'back up'],
  ['l', 'restore'],
  ['Tab', 'cluster'],
  ['!', 'shell'],
  ['?', 'help'],
  ['q', 'quit'],
] as const;

/** If there is little room, one line that begins with the help key. */
function footer(columns: number, isRoomy: boolean): readonly Line[] {
  const shown = isRoomy ? keys : [...keys.slice(-2), ...keys.slice(0, -2)];
  const lines: Span[][] = [[span(' ')]];
  let width = 1;
  for (const [key, what] of shown) {
    const cost = key.length + what.length + 3;
    if (width + cost > columns && width > 1) {
      if (!isRoomy) break;
      lines.push([span(' ')]);
      width = 1;
    }
    lines.at(-1)?.push(span(key, 'title'), span(` ${what}  `));
    width += cost;
  }
  return lines;
}

function help({ hints, scrolled }: State, columns: number, room: number): readonly Line[] {
  const words = [
    'Arrows choose a member; keys act on it or on the node it runs on.',
    'k  deletes its pod at once: the operator replaces the member',
    'b  deletes its data and kills its process: the operator replaces it',
    'x  permanently loses all other members with their data; v recovers from the one that is left',
    'c  disconnects its node from the network; h reconnects all nodes',
    'r  reboots all nodes at the same moment',
    '+ - change spec.size by two; u upgrades to the next minor of etcd',
    's  backs up to the S3 server; l restores the last backup',
    'n  creates the cluster again, empty, after it has lost its data',
    'Tab shows the next cluster; PgUp and PgDn scroll through the events',
    '!  opens a shell with KUBECONFIG set; type exit to come back',
    'The same and more commands in a second terminal: npm run lab -- --help',
  ];
  const lines = [
    ...words.flatMap((text) =>
      wrap(text, columns - 4).map((line, index): Line => [span(`${index ? '    ' : '  '}${line}`)]),
    ),
    [],
    ...hintLines(hints, columns),
  ];
  if (lines.length <= room) return lines;
  const first = Math.min(scrolled, lines.length - room + 1);
  const below = lines.length - first - room + 1;
  const rest: Line = [span(below > 0 ? `  PgDn: ${counted(below, 'more line')}` : '', 'quiet')];
  return [...lines.slice(first, first + room - 1), rest];
}
