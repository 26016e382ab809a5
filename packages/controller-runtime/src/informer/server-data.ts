// SPDX-License-Identifier: Apache-2.0

/**
 * Whether all caches of a program show the same data of the API server. When that data is lost, restored or swapped,
 * each cache finds out separately. Until all have, they are inconsistent, and no decision may rest on them.
 */
export interface World {
  /** Why the caches cannot be trusted now; undefined if they can. */
  readonly doubt: string | undefined;
  /** Counts replacements. A decision made under another count is outdated. */
  readonly generation: number;
}

/** Called when the API server's data was replaced. `resource` names the cache that found out. */
export type WorldListener = (resource: string) => void;

/**
 * A change was refused because the caches were in doubt or the API server's data was replaced since the decision.
 * Nothing was sent.
 */
export class WorldInDoubt extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'WorldInDoubt';
  }
}

/**
 * Creates a check for a decision that begins now: it throws once the caches are in doubt or the API server's data is
 * replaced.
 */
export function fenceOf(world: World): () => void {
  const { generation } = world;
  return () => {
    if (world.doubt !== undefined) throw new WorldInDoubt(`nothing is changed: ${world.doubt}`);
    if (world.generation !== generation) {
      throw new WorldInDoubt("nothing is changed: the API server's data was replaced after this change was planned");
    }
  };
}
