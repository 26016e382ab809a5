// SPDX-License-Identifier: Apache-2.0
import type { Duplex } from 'node:stream';
import { agentServer, Measure, type SnapshotPlace } from '@etcd-operator/operator/testing/restore-pods';

export interface RestoreAgentOptions {
  /** UID of the EtcdRestore, and the key from its Secret. */
  readonly uid: string;
  readonly key: Uint8Array;
  readonly note: (line: string) => void;
  /** The snapshot with this SHA-256 has come, and is kept. */
  readonly onKept: (sha256: string) => void;
}

/** The agent of a restore as it waits for its snapshot: what is shipped, but for the disk. */
export class RestoreAgent {
  readonly #server: ReturnType<typeof agentServer>;
  isOver = false;

  constructor({ uid, key, note, onKept }: RestoreAgentOptions) {
    let kept = '';
    const place: SnapshotPlace = {
      write: async (body, { bytes, onProgress }) => {
        const measure = new Measure();
        let received = 0;
        for await (const piece of body) {
          measure.update(piece);
          received += piece.byteLength;
          onProgress?.(received);
        }
        if (bytes !== undefined && received !== bytes) throw new Error(`${received} of ${bytes} bytes were received`);
        return measure.result();
      },
      keep: async ({ sha256 }) => {
        kept = sha256;
      },
      drop: () => Promise.resolve(),
    };
    this.#server = agentServer({
      ...{ uid, key, place, say: note },
      onKept: () => {
        if (!this.isOver) onKept(kept);
      },
    });
  }

  accept(connection: Duplex): void {
    this.#server.emit('connection', connection);
  }

  end(): void {
    this.isOver = true;
    this.#server.close();
  }
}
