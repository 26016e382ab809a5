// SPDX-License-Identifier: Apache-2.0

/** The limits for healing, on kube-lab and on a real kubelet. */
export const healBars = {
  'pod deleted, volume kept: times a StatefulSet': { atMost: 1.2 },
  'volume lost: seconds beyond a pod start': { atMost: 6 },
  'all pods deleted, volumes kept: times one pod': { atMost: 2.5 },
  'acknowledged writes lost': { atMost: 0 },
  'write gap, follower killed: seconds': { atMost: 0.3 },
  'write gap, leader stopped: seconds': { atMost: 0.7 },
  'write gap, leader killed: median seconds': { atMost: 2 },
  'write gap, leader killed: longest': { atMost: 3 },
} as const;
