// SPDX-License-Identifier: Apache-2.0
import { group } from '../../api/names.ts';

/** What CoreOS etcd-operator puts on periodic backups. */
export const coreosFinalizer = 'backup-operator-periodic';

/** Ours, only where `deletionPolicy` is Delete. */
export const ownFinalizer = `${group}/stored-backups`;
