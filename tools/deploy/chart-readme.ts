// SPDX-License-Identifier: Apache-2.0
import { isMap, isScalar, type Node, type Pair, parseDocument, type YAMLMap } from 'yaml';

/** One value: its path, its default and the comment above it. */
interface Row {
  readonly path: string;
  readonly fallback: string;
  readonly text: string;
}

/**
 * The chart's README, made of the comments in values.yaml. A comment above a group of values is of the whole group, and heads its
 * rows. `chart` is what helm is told to install.
 */
export function chartReadme(values: string, chart = 'deploy/charts/etcd-operator', more = ''): string {
  const document = parseDocument(values);
  const rows = isMap(document.contents) ? rowsOf(document.contents, '') : [];
  const table = [
    ['value', 'default', 'meaning'],
    ['---', '---', '---'],
    ...rows.map(({ path, fallback, text }) => [`\`${path}\``, fallback, text]),
  ];
  return `${headOf(chart, more)}${table.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}\n`;
}

const headOf = (chart: string, more: string) => `<!-- Generated from values.yaml by npm run generate; do not edit. -->

# The chart etcd-operator

Runs etcd clusters on Kubernetes from declarations of the kinds EtcdCluster, EtcdBackup and EtcdRestore.${more}

\`\`\`sh
helm install etcd-operator ${chart} --namespace etcd-operator --create-namespace
helm test etcd-operator --namespace etcd-operator
helm upgrade etcd-operator ${chart} --namespace etcd-operator --reset-then-reuse-values
\`\`\`

\`helm test\` asks the API server, with the account of the operator, whether the kinds are served and whether each operator holds its Lease.
An upgrade brings the CRDs up to date before the operators (\`upgradeCRDs\`). Uninstalling keeps them, and every cluster with them.

\`backupOperator\` and \`restoreOperator\` have every value that \`etcdOperator\` has, with the same defaults. A value that is not here is refused.

## Values

`;

function rowsOf(map: YAMLMap, above: string): readonly Row[] {
  return map.items.flatMap((pair, index) => {
    const name = keyOf(pair);
    if (name === '<<') return [];
    const path = above === '' ? name : `${above}.${name}`;
    // The comment of the first entry is stored on the map itself.
    const text = commentOf(pair.key) || (index === 0 && above !== '' ? textOf(map.commentBefore) : '');
    const { value } = pair;
    if (!isMap(value) || value.items.length === 0) return [{ path, fallback: shown(value as Node | null), text }];
    return [...(text === '' ? [] : [{ path, fallback: '', text }]), ...rowsOf(value, path)];
  });
}

function keyOf({ key }: Pair): string {
  return isScalar(key) ? String(key.value) : String(key);
}

function commentOf(key: unknown): string {
  return textOf(isScalar(key) ? key.commentBefore : undefined);
}

/** A comment before an empty line does not belong to the next value. */
function textOf(comment: string | null | undefined): string {
  const last = (comment ?? '').split(/\n\s*\n/).at(-1) ?? '';
  return last
    .split('\n')
    .map((line) => line.trim())
    .join(' ')
    .trim()
    .replaceAll('|', '\\|')
    .replaceAll('<', '&lt;');
}

function shown(value: Node | null): string {
  const plain: unknown = value?.toJSON();
  return `\`${JSON.stringify(plain) ?? 'null'}\``;
}
