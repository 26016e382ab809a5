// SPDX-License-Identifier: Apache-2.0

interface Reading {
  readonly bytes: ReadonlyMap<string, number>;
  readonly at: number;
  readonly heard: ReadonlySet<string> | undefined;
}

/** The shortest time between two readings that are compared. Members send several times a second, but a busy machine may delay them. */
const apart = 1_000;

/**
 * Shows which members receive traffic from which peers, by comparing two readings of the bytes that a member has received from each peer.
 * An open connection is not enough: the connection of a frozen process, or of a node that lost power, stays open for minutes.
 */
export class PeerTraffic {
  readonly #readings = new Map<string, Reading>();

  /**
   * Stores a reading of the member in pod `podUid`. Returns the IDs of the peers from which this member has received data; undefined if
   * they are not known yet.
   */
  note(podUid: string, bytes: ReadonlyMap<string, number>, now: number): ReadonlySet<string> | undefined {
    const before = this.#readings.get(podUid);
    if (before && now - before.at < apart) return before.heard;
    const heard = before && now - before.at < stale ? grown(before.bytes, bytes) : undefined;
    this.#readings.set(podUid, { bytes, at: now, heard });
    return heard;
  }

  /** Forgets the readings of all other pods. */
  forgetAllBut(podUids: ReadonlySet<string>): void {
    for (const uid of this.#readings.keys()) if (!podUids.has(uid)) this.#readings.delete(uid);
  }
}

/** A reading that is older than this, in milliseconds, is not compared: growth in a long time does not show which peers send now. */
const stale = 60_000;

/**
 * A counter that has fallen belongs to a process that has restarted. It counts as grown, because the process has received all these bytes
 * since its start.
 */
function grown(before: ReadonlyMap<string, number>, now: ReadonlyMap<string, number>): ReadonlySet<string> {
  const hasGrown = ([id, bytes]: readonly [string, number]) => bytes > 0 && bytes !== (before.get(id) ?? 0);
  return new Set([...now].filter(hasGrown).map(([id]) => id));
}
