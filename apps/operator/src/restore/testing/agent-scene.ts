// SPDX-License-Identifier: Apache-2.0
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@etcd-operator/tools';
import { networkDialer } from '@operator-parts/etcd';
import { systemClock } from '@operator-parts/ports';
import type { AgentAddress } from '../delivery/agent-connection.ts';
import { receiveSnapshot } from '../delivery/receive-snapshot.ts';

/** An agent in this process that waits for a snapshot, in its own folder. */
export class AgentScene implements AsyncDisposable {
  readonly uid = '0b0e3c1e-0000-4000-8000-000000000001';
  readonly key = randomBytes(32);
  readonly snapshot = sealed(randomBytes(3 * 1024 * 1024));
  readonly sha256 = createHash('sha256').update(this.snapshot).digest('hex');
  readonly stop = new AbortController();
  readonly said: string[] = [];
  readonly directory: string;
  received: Promise<void> = Promise.resolve();
  port = 0;

  private constructor(directory: string) {
    this.directory = directory;
  }

  static async open(): Promise<AgentScene> {
    const scene = new AgentScene(await mkdtemp(join(tmpdir(), 'delivery-')));
    // Another process may have taken the port since it was chosen. Then another port is tried.
    while (!(await scene.#listen()));
    return scene;
  }

  /** False if the port is in use. */
  async #listen(): Promise<boolean> {
    this.port = await freePort();
    const { uid, key, file, port, said } = this;
    return new Promise<boolean>((resolve) => {
      const say = (line: string) => {
        said.push(line);
        if (line.startsWith('waiting')) resolve(true);
      };
      this.received = receiveSnapshot({ uid, key, file, port, signal: this.stop.signal, say });
      this.received.catch(() => resolve(false));
    });
  }

  get file(): string {
    return join(this.directory, 'snapshot.db');
  }

  /** The address at which the operator reaches the agent. */
  address(more: Partial<AgentAddress> = {}): AgentAddress {
    return {
      ...{ ip: '127.0.0.1', uid: this.uid, key: this.key, clock: systemClock, patience: 0 },
      dial: ({ host }, signal) => networkDialer({ host, port: this.port }, signal),
      ...more,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stop.abort(new Error('the test is over'));
    await rm(this.directory, { recursive: true, force: true });
  }
}

/** A snapshot with its hash at the end, as etcd sends it. */
function sealed(data: Uint8Array): Buffer {
  return Buffer.concat([data, createHash('sha256').update(data).digest()]);
}
