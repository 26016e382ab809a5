// SPDX-License-Identifier: Apache-2.0

import { etcdBackups, etcdClusters, etcdRestores } from '@etcd-operator/operator';
import type { Kind } from '@operator-parts/crd';

/** The installed kinds: their CRDs, and the rights of users on them, are generated from this list. */
export const kinds: readonly Kind[] = [etcdClusters, etcdBackups, etcdRestores];
