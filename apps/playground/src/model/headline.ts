// SPDX-License-Identifier: Apache-2.0
import { type Line, type Span, type Style, span } from '../terminal/line.ts';
import { availability, isRestoring, type State } from './state.ts';

/**
 * The first line: the cluster, its state, the number of ready members. The least important parts are left out if there
 * is no room.
 */
export function headline(state: State, columns: number): Line {
  const { cluster, clusters, now } = state;
  const { status, spec, metadata } = cluster ?? {};
  const time = `${now.toFixed(0)} s`;
  const { word, style } = conditionOf(state);
  const target = status?.targetVersion ? ` -> ${status.targetVersion}` : '';
  const place = cluster ? clusters.indexOf(cluster) + 1 : 0;
  const title = span(' etcd-operator playground ', 'title');
  const name = span(` ${metadata?.name ?? ''}  `);
  const several = span(clusters.length > 1 ? `(${place} of ${clusters.length}, Tab)  ` : '', 'quiet');
  const phase = span(word, style);
  const ready = span(cluster ? `  ${status?.readySize ?? 0} of ${spec?.size ?? 0} ready` : '');
  const version = span(status?.currentVersion ? `  etcd ${status.currentVersion}${target}` : '');
  const fits = (spans: readonly Span[]) => widthOf(spans) + time.length + 2 <= columns;
  const choices = [
    [title, name, several, phase, ready, version],
    [name, several, phase, ready, version],
    [name, several, phase, ready],
    [name, phase, ready],
  ];
  const left = choices.find(fits) ?? [phase, ready, name];
  return [...left, span(' '.repeat(Math.max(1, columns - widthOf(left) - time.length - 1))), span(time, 'quiet')];
}

/**
 * Green means that clients can use the cluster and it has all its members; otherwise the operator's reason has priority
 * over the phase.
 */
function conditionOf({ cluster }: State): { readonly word: string; readonly style: Style } {
  if (!cluster) return { word: 'Starting', style: 'warn' };
  if (isRestoring(cluster)) return { word: 'Restoring', style: 'warn' };
  const { phase = 'Creating', readySize } = cluster.status ?? {};
  const available = availability(cluster);
  if (available && available.status !== 'True' && phase !== 'Creating')
    return { word: available.reason, style: available.status === 'False' ? 'bad' : 'warn' };
  if (phase === 'Failed') return { word: phase, style: 'bad' };
  return { word: phase, style: readySize === cluster.spec.size ? 'good' : 'warn' };
}

function widthOf(spans: readonly Span[]): number {
  return spans.reduce((sum, { text }) => sum + text.length, 0);
}
