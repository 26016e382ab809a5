// SPDX-License-Identifier: Apache-2.0
import { etcdRestores } from '../api/etcd-restore.ts';
import { restoreBase, restoreOutcome } from './testing/restore-outcome.ts';
import { walkKind } from './testing/walk-kind.ts';

walkKind({
  kind: etcdRestores,
  base: restoreBase,
  outcomeOf: restoreOutcome,
  isWalkedElsewhere: (path) => path.startsWith('spec.clusterSpec.'),
  notMade: {
    'spec.acceptWithoutHash': 'counts when the backup is read',
    'spec.ttlSecondsAfterFinished': 'counts when the restore has finished',
  },
  readOtherwise: {},
});
