// SPDX-License-Identifier: Apache-2.0
import type { ChannelRequest, MessageChannel, Transport } from '../transport/transport.ts';

/**
 * Two ends of one channel in memory. `send` resolves when the other side has received the message: maximum
 * back-pressure.
 */
export function channelPair(protocol: string): readonly [MessageChannel, MessageChannel] {
  const [toLeft, toRight] = [new Pipe(), new Pipe()];
  const end = (incoming: Pipe, outgoing: Pipe): MessageChannel => ({
    protocol,
    messages: incoming.read(),
    send: (message) => outgoing.write(message),
    close: () => {
      outgoing.close();
      incoming.close();
    },
  });
  return [end(toLeft, toRight), end(toRight, toLeft)];
}

/** A transport whose channels call `serve` with the server's end. */
export function channelTransport(
  protocol: string,
  serve: (channel: MessageChannel, request: ChannelRequest) => Promise<void>,
): Transport & { readonly requests: ChannelRequest[] } {
  const requests: ChannelRequest[] = [];
  return {
    requests,
    request: () => Promise.reject(new Error('no requests here')),
    connect: async (request) => {
      requests.push(request);
      const [client, server] = channelPair(protocol);
      serve(server, request).catch(() => server.close());
      return client;
    },
    close: () => Promise.resolve(),
  };
}

class Pipe {
  readonly #waiting: {
    readonly message: Uint8Array;
    readonly taken: () => void;
    readonly lost: (error: Error) => void;
  }[] = [];
  #closed = false;
  #wake: (() => void) | undefined;

  write(message: Uint8Array): Promise<void> {
    if (this.#closed) return Promise.reject(new Error('the channel is closed'));
    return new Promise((taken, lost) => {
      this.#waiting.push({ message, taken, lost });
      this.#wake?.();
    });
  }

  close(): void {
    this.#closed = true;
    this.#wake?.();
  }

  async *read(): AsyncGenerator<Uint8Array, void, undefined> {
    for (;;) {
      const next = this.#waiting.shift();
      if (next) {
        next.taken();
        yield next.message;
      } else if (this.#closed) {
        return;
      } else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }
}
