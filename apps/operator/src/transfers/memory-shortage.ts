// SPDX-License-Identifier: Apache-2.0

/** A fifth of the limit stays free for work that cannot wait: caches, leader election and the repair of members. */
const mostOfLimit = 0.8;

export interface MemoryUse {
  /** Memory limit of the container, in bytes; 0 or undefined if there is none. */
  readonly limit: number | undefined;
  /** Memory that the process uses, in bytes. */
  readonly used: number;
}

/** True if the process is so close to the memory limit of its container that work with buffers has to wait. */
export function memoryIsShort({ limit, used }: MemoryUse = ofThisProcess()): boolean {
  return Boolean(limit) && used > mostOfLimit * (limit ?? 0);
}

/** The page cache of the container is not counted, because the kernel frees it when needed. */
function ofThisProcess(): MemoryUse {
  return { limit: process.constrainedMemory(), used: process.memoryUsage.rss() };
}
