// SPDX-License-Identifier: Apache-2.0
import { Duplex } from 'node:stream';
import type { Dialer } from '@operator-parts/etcd';
import { type ForwardedConnection, type Pod, portForward, type Transport } from '@operator-parts/kube';

/**
 * Connects to members from outside the cluster: by a port-forward through the API server to the pod with the given
 * address. Certificates are verified end to end as usual.
 */
export function podDialer(transport: Transport, pods: readonly Pod[]): Dialer {
  return async ({ host, port }, signal) => {
    const pod = pods.find(({ status }) => status?.podIP === host);
    const { name, namespace } = pod?.metadata ?? {};
    if (name === undefined || namespace === undefined) throw new Error(`no pod has the address ${host}`);
    return new ForwardedStream(await portForward(transport, { namespace, name }, port, { signal }));
  };
}

/** A forwarded connection as a Node stream, with back-pressure. */
class ForwardedStream extends Duplex {
  readonly #connection: ForwardedConnection;
  readonly #incoming: AsyncIterator<Uint8Array>;

  constructor(connection: ForwardedConnection) {
    super();
    this.#connection = connection;
    this.#incoming = connection.incoming[Symbol.asyncIterator]();
  }

  override _read(): void {
    this.#incoming.next().then(
      ({ done, value }) => this.push(done ? null : value),
      (error: unknown) => this.destroy(asError(error)),
    );
  }

  override _write(chunk: Uint8Array, _encoding: BufferEncoding, callback: (error?: Error) => void): void {
    void finish(this.#connection.write(chunk), callback);
  }

  override _final(callback: (error?: Error) => void): void {
    void finish(this.#connection.end(), callback);
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    this.#connection.close();
    callback(error);
  }
}

/** Node's streams use callbacks. */
async function finish(work: Promise<void>, callback: (error?: Error) => void): Promise<void> {
  let problem: Error | undefined;
  try {
    await work;
  } catch (error) {
    problem = asError(error);
  }
  callback(problem);
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
