// SPDX-License-Identifier: Apache-2.0
import { group } from '../../api/names.ts';

/** The finalizer that CoreOS etcd-operator sets on periodic backups. */
export const coreosFinalizer = 'backup-operator-periodic';

/** Our finalizer, set only if `deletionPolicy` is Delete. */
export const ownFinalizer = `${group}/stored-backups`;
