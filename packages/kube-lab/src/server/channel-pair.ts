// SPDX-License-Identifier: Apache-2.0
import type { MessageChannel } from '@operator-parts/kube';
import { AsyncPipe } from './async-pipe.ts';

/** Two ends of one channel in memory. */
export function channelPair(protocol: string): { readonly client: MessageChannel; readonly server: MessageChannel } {
  const toServer = new AsyncPipe<Uint8Array>();
  const toClient = new AsyncPipe<Uint8Array>();
  const close = () => {
    toServer.end();
    toClient.end();
  };
  const end = (incoming: AsyncPipe<Uint8Array>, outgoing: AsyncPipe<Uint8Array>): MessageChannel => ({
    protocol,
    messages: incoming,
    send: (message) => outgoing.push(message),
    close,
  });
  return { client: end(toClient, toServer), server: end(toServer, toClient) };
}
