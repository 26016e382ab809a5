// SPDX-License-Identifier: Apache-2.0
import { etcdBackups } from '../api/etcd-backup.ts';
import { backupBase, backupOutcome } from './testing/backup-outcome.ts';
import { walkKind } from './testing/walk-kind.ts';

walkKind({
  kind: etcdBackups,
  base: backupBase,
  outcomeOf: backupOutcome,
  notMade: {},
  readOtherwise: {
    'spec.backupPolicy.timeoutInSecond': 'at most a week: no timer can be set for longer',
  },
});
