// SPDX-License-Identifier: Apache-2.0
import { type Line, type Style, span } from '../terminal/line.ts';
import { wrap } from '../terminal/wrap.ts';
import { isDataLost, isQuorumLost, type State } from './state.ts';

/** What the operator does and waits for, in full, and which key helps if it cannot continue. */
export function planLines(state: State, columns: number): readonly Line[] {
  const { next = [], waitingFor = [] } = state.cluster?.status?.plan ?? {};
  const lines = [
    ...next.flatMap((reason) => labelled(reason, '  does ', 'good', columns)),
    ...waitingFor.flatMap((reason) => labelled(reason, '  waits ', 'warn', columns)),
    ...wayOut(state).flatMap((words) => labelled(words, '  you ', 'title', columns)),
  ];
  return lines.length > 0 ? lines : [[span('  nothing to do', 'quiet')]];
}

function wayOut({ cluster, backups }: State): readonly string[] {
  const backup = backups.get(cluster?.metadata?.name ?? '');
  const restore = backup === undefined ? '' : `press l to restore ${backup}`;
  if (isDataLost(cluster))
    return [
      restore === ''
        ? 'The data is lost and there is no backup: press n to create the cluster again, empty.'
        : `The data is lost: ${restore}, or n to create the cluster again, empty.`,
    ];
  if (!isQuorumLost(cluster)) return [];
  return [
    `Quorum is lost: press h if nodes are disconnected, v to recover from a member that is left${restore === '' ? '' : `, or ${restore}`}.`,
  ];
}

function labelled(text: string, label: string, style: Style, columns: number): readonly Line[] {
  return wrap(text, columns - label.length).map(
    (line, index): Line => [index === 0 ? span(label, style) : span(' '.repeat(label.length)), span(line)],
  );
}
