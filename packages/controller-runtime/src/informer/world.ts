// SPDX-License-Identifier: Apache-2.0

/**
 * Whether all caches of a program show one world. When the API server's data is lost, restored or swapped, each cache finds out
 * for itself; in between they show a world that never was, and nothing may be decided on it.
 */
export interface World {
  /** Why the view cannot be trusted right now; undefined if nothing speaks against it. */
  readonly doubt: string | undefined;
  /** Counts replacements: what was decided under another number was decided on a world that is no more. */
  readonly generation: number;
}

/** Told when the world was replaced. `resource` names the cache that found out. */
export type WorldListener = (resource: string) => void;

/** A change was refused because the world it was decided on is in doubt or was replaced. Nothing was sent. */
export class WorldInDoubt extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'WorldInDoubt';
  }
}

/** Makes a check for a decision that begins now: it throws once the world is in doubt, or is another than it is now. */
export function fenceOf(world: World): () => void {
  const { generation } = world;
  return () => {
    if (world.doubt !== undefined) throw new WorldInDoubt(`nothing is changed: ${world.doubt}`);
    if (world.generation !== generation) {
      throw new WorldInDoubt("nothing is changed: the API server's data was replaced after this change was planned");
    }
  };
}
