// SPDX-License-Identifier: Apache-2.0
import { counted } from '@etcd-operator/operator';
import type { StoredBackupLine, StoredSeries } from '../browse/stored-backups.ts';
import { formatBytes } from './bytes.ts';
import { table } from './table.ts';

const headings = [
  'NAME',
  'TIME',
  'REVISION',
  'SIZE',
  'ETCD',
  'CLUSTER',
  'ENCRYPTED',
  'MANIFEST',
  'PROVEN',
  'KEPT BY',
  'PATH',
];

/** One line for each stored backup; then, for each path, the recorded changes and the recovery point. */
export function storedLines(series: readonly StoredSeries[]): readonly string[] {
  const rows = series.flatMap(({ name = '', backups }) => backups.map((one) => row(name, one)));
  const below = series.flatMap(linesBelow);
  return [
    ...(rows.length > 0 ? table(headings, rows) : []),
    ...(rows.length > 0 && below.length > 0 ? [''] : []),
    ...below,
  ];
}

function row(name: string, one: StoredBackupLine): readonly string[] {
  const { time, revision, bytes, etcdVersion = '', cluster = '', encrypted, manifest, proven = '', keptBy, path } = one;
  return [
    name,
    time,
    String(revision ?? ''),
    formatBytes(bytes),
    etcdVersion,
    cluster,
    encrypted === undefined ? '' : encrypted ? 'yes' : 'no',
    manifest,
    proven,
    keptBy?.length === 0 ? 'nothing' : (keptBy?.join(', ') ?? ''),
    path,
  ];
}

function linesBelow({ name, path, backups, changes, recoveryPoint, problem }: StoredSeries): readonly string[] {
  const whose = name ?? path;
  if (problem !== undefined) return [`${whose}: ${path} cannot be listed: ${problem}`];
  if (backups.length === 0 && changes.length === 0) return [`${whose}: nothing is stored at ${path}`];
  const isSeries = changes.length > 0;
  return [
    ...changes.map(
      ({ from, to, until, segments, clusterID }) =>
        `${whose}: change segments of the continuous backup: revisions ${from} to ${to}, up to ${until} (${counted(segments, 'segment')}, cluster ${clusterID})`,
    ),
    ...(isSeries && recoveryPoint
      ? [`${whose}: the recovery point is revision ${recoveryPoint.revision} at ${recoveryPoint.time}`]
      : []),
  ];
}
