// SPDX-License-Identifier: Apache-2.0

interface Reading {
  readonly bytes: ReadonlyMap<string, number>;
  readonly at: number;
  readonly heard: ReadonlySet<string> | undefined;
}

/** Readings closer together than this say nothing new: members send several times a second, unless the machine is busy. */
const apart = 1_000;

/**
 * Who hears from whom, by comparing two readings of the bytes that a member has received from each other one. A connection that
 * merely stands is not enough: that of a frozen process, or of a node that lost its power, stands for minutes.
 */
export class PeerTraffic {
  readonly #readings = new Map<string, Reading>();

  /** Takes a reading of the member in pod `podUid`. IDs of the members that it has heard from; undefined if that is not known yet. */
  note(podUid: string, bytes: ReadonlyMap<string, number>, now: number): ReadonlySet<string> | undefined {
    const before = this.#readings.get(podUid);
    if (before && now - before.at < apart) return before.heard;
    const heard = before && now - before.at < stale ? grown(before.bytes, bytes) : undefined;
    this.#readings.set(podUid, { bytes, at: now, heard });
    return heard;
  }

  /** Readings of other pods are forgotten. */
  forgetAllBut(podUids: ReadonlySet<string>): void {
    for (const uid of this.#readings.keys()) if (!podUids.has(uid)) this.#readings.delete(uid);
  }
}

/** Growth since a reading that is older than this does not tell who is heard now. */
const stale = 60_000;

/** A count that has fallen belongs to a process that was started meanwhile: what it counts, it has received since. */
function grown(before: ReadonlyMap<string, number>, now: ReadonlyMap<string, number>): ReadonlySet<string> {
  const hasGrown = ([id, bytes]: readonly [string, number]) => bytes > 0 && bytes !== (before.get(id) ?? 0);
  return new Set([...now].filter(hasGrown).map(([id]) => id));
}
