// SPDX-License-Identifier: Apache-2.0

/** A fifth of the limit is left for what cannot wait: caches, leader election and the repair of members. */
const mostOfLimit = 0.8;

export interface MemoryUse {
  /** That the container has; 0 or undefined for none. */
  readonly limit: number | undefined;
  /** What the process holds, in bytes. */
  readonly used: number;
}

/** Is the process so near the memory limit of its container that work which needs buffers has to wait? */
export function memoryIsShort({ limit, used }: MemoryUse = ofThisProcess()): boolean {
  return Boolean(limit) && used > mostOfLimit * (limit ?? 0);
}

/** Files that the kernel keeps for the container are not counted: it gives them up by itself. */
function ofThisProcess(): MemoryUse {
  return { limit: process.constrainedMemory(), used: process.memoryUsage.rss() };
}
