// SPDX-License-Identifier: Apache-2.0

/** What a program that restores has beside the flags of one that makes backups. */
export const restoreOperatorFlags = {
  'agent-image': {
    kind: 'string',
    default: '',
    help: "the image with etcd-restore-agent; without it the image of the operator's own pod",
  },
  'scratch-directory': {
    kind: 'string',
    default: '',
    help: 'an empty folder for backups that are on their way; without it they are fetched twice, to verify and to deliver',
  },
} as const;
