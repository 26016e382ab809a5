// SPDX-License-Identifier: Apache-2.0

import { etcdBackups, etcdClusters, etcdRestores } from '@etcd-operator/operator';
import { referencePage } from '@operator-parts/crd';
import type { OutputFile } from './output.ts';

/** A page for each kind: every field, with its type, limits and meaning. */
export function kindPages(): readonly OutputFile[] {
  return [etcdClusters, etcdBackups, etcdRestores].map((kind) => ({
    path: `docs/reference/${kind.plural}.md`,
    text: referencePage(kind),
  }));
}
