// SPDX-License-Identifier: Apache-2.0
import type { StoredEvent, WatchBatch, WatchEvent } from '@operator-parts/etcd';
import { ChangesError } from '../../changes/changes-error.ts';
import type { RevisionChanges } from '../../changes/revision-changes.ts';
import { longestRevision, tooLarge } from '../../changes/segment.ts';

/** A revision for which more events may follow. */
interface Open {
  readonly revision: bigint;
  readonly events: StoredEvent[];
  bytes: number;
}

/** Combines the events of a watch into complete revisions, even if the member split a revision across several responses. */
export class RevisionGatherer {
  #open: Open | undefined;

  /** The revisions that this response completes. @param at when the response was received, in milliseconds since the epoch */
  push({ events, isComplete }: Pick<WatchBatch, 'events' | 'isComplete'>, at: number): readonly RevisionChanges[] {
    const whole: RevisionChanges[] = [];
    const close = () => {
      if (this.#open) whole.push({ revision: this.#open.revision, at, events: this.#open.events });
      this.#open = undefined;
    };
    for (const event of events) {
      const { modRevision: revision } = event.kv;
      if (this.#open?.revision !== revision) close();
      this.#open ??= { revision, events: [], bytes: 0 };
      this.#open.events.push(stored(event));
      this.#open.bytes += event.kv.key.byteLength + event.kv.value.byteLength;
      if (this.#open.bytes > longestRevision) throw tooLarge(revision);
    }
    if (isComplete) close();
    return whole;
  }
}

function stored({ type, kv }: WatchEvent): StoredEvent {
  if (type === 'unrecognised')
    throw new ChangesError(
      'UnknownFormat',
      `the etcd member sent a watch event of an unknown type at revision ${kv.modRevision}`,
    );
  return { type, kv };
}
