// SPDX-License-Identifier: Apache-2.0

/** How many of `voters` are a quorum. */
export function quorum(voters: number): number {
  return Math.floor(voters / 2) + 1;
}

/** How many of `voters` may be lost without losing quorum. 0 for none or one. */
export function tolerance(voters: number): number {
  return voters < 1 ? 0 : voters - quorum(voters);
}

/** True if enough voters are healthy to elect a leader and accept writes. */
export function hasQuorum(voters: number, healthy: number): boolean {
  return voters > 0 && healthy >= quorum(voters);
}

/** True if one voter fewer would tolerate as many failures: 2, 4, 6. */
export function isWastefulSize(voters: number): boolean {
  return voters > 0 && voters % 2 === 0;
}
