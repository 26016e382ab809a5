// SPDX-License-Identifier: Apache-2.0

/** Additional flags of programs that restore. */
export const restoreOperatorFlags = {
  'agent-image': {
    kind: 'string',
    default: '',
    help: "image that contains etcd-restore-agent; if empty, the image of the operator's own pod",
  },
  'scratch-directory': {
    kind: 'string',
    default: '',
    help: 'empty directory for keeping a backup between its verification and its delivery; if not set, each backup is downloaded twice',
  },
} as const;
