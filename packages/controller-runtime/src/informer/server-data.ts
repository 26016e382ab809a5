// SPDX-License-Identifier: Apache-2.0

/**
 * Whether all caches of a program show the same data of the API server. When that data is replaced (restored from a
 * backup, lost or swapped), each cache finds out separately. Until all of them have found out, they are inconsistent,
 * and no decision may be based on them.
 */
export interface ServerData {
  /** Why the caches cannot be trusted now; undefined if they can. */
  readonly doubt: string | undefined;
  /** How often the data was replaced. A decision that was made at a lower count is outdated. */
  readonly generation: number;
}

/** Called when the API server's data was replaced. `resource` names the cache that found out. */
export type ServerDataListener = (resource: string) => void;

/**
 * A change was refused because the caches were in doubt or the API server's data was replaced since the decision.
 * Nothing was sent.
 */
export class ServerDataInDoubt extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ServerDataInDoubt';
  }
}

/**
 * Creates a check for a decision that begins now: it throws once the caches are in doubt or the API server's data is
 * replaced.
 */
export function fenceOf(serverData: ServerData): () => void {
  const { generation } = serverData;
  return () => {
    if (serverData.doubt !== undefined) throw new ServerDataInDoubt(`nothing is changed: ${serverData.doubt}`);
    if (serverData.generation !== generation) {
      throw new ServerDataInDoubt(
        "nothing is changed: the API server's data was replaced (restored from a backup, lost or swapped) after this change was planned",
      );
    }
  };
}
