// SPDX-License-Identifier: Apache-2.0
import { type IncomingHttpHeaders, performServerHandshake, type ServerHttp2Stream } from 'node:http2';
import type { Duplex } from 'node:stream';
import { messages } from '@operator-parts/etcd/testing';
import { answerCall, type CallScene, type Reply } from './calls.ts';
import type { Member } from './member.ts';

/** Serves one connection of the client port, as etcd does: gRPC, or a question over plain HTTP. */
export function serveClients(socket: Duplex, scene: CallScene): void {
  socket.once('data', (chunk: Buffer) => {
    socket.pause();
    socket.unshift(chunk);
    if (chunk.subarray(0, 4).toString('latin1') === 'GET ') servePlain(socket, scene.member);
    else serveCalls(socket, scene);
  });
}

function serveCalls(socket: Duplex, scene: CallScene): void {
  const session = performServerHandshake(socket);
  session.on('error', () => undefined);
  session.on('stream', (stream, headers) => accept(stream, headers, scene));
}

function accept(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, scene: CallScene): void {
  const chunks: Buffer[] = [];
  stream.on('error', () => undefined);
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  stream.once('end', () => {
    const method = String(headers[':path']).replace('/etcdserverpb.', '');
    const request = Buffer.concat(chunks).subarray(5);
    const call = answerCall(scene, method, request, (reply) => {
      if (!stream.destroyed && !stream.closed) send(stream, reply);
    });
    stream.once('close', () => call.cancel());
  });
}

const head = { ':status': 200, 'content-type': 'application/grpc' };

function send(stream: ServerHttp2Stream, reply: Reply): void {
  if ('refusal' in reply) {
    const message = encodeURIComponent(reply.refusal);
    stream.respond({ ...head, 'grpc-status': String(reply.status), 'grpc-message': message }, { endStream: true });
    return;
  }
  stream.respond(head, { waitForTrailers: true });
  stream.once('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
  const parts = 'messages' in reply ? reply.messages : [reply.message];
  stream.end(Buffer.concat(parts.map((part) => messages.frame(part))));
}

/** Answers one GET. */
export function servePlain(socket: Duplex, member: Member): void {
  let text = '';
  socket.on('error', () => undefined);
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
    if (!text.includes('\r\n\r\n')) return;
    const body = pages[text.split(' ')[1] ?? '']?.(member) ?? '';
    const status = body === '' ? '404 Not Found' : '200 OK';
    socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  });
  socket.resume();
}

const pages: Readonly<Record<string, (member: Member) => string>> = { '/metrics': metrics, '/version': version };

function version({ settings, state }: Member): string {
  const etcdcluster = state.clusterVersion === undefined ? 'not_decided' : `3.${state.clusterVersion}.0`;
  return JSON.stringify({ etcdserver: settings.version, etcdcluster });
}

function metrics(member: Member): string {
  const from = [...member.receivedFrom].map(
    ([id, bytes]) => `etcd_network_peer_received_bytes_total{From="${id}"} ${bytes}`,
  );
  return [
    `etcd_server_proposals_applied_total ${member.applied}`,
    `etcd_server_proposals_committed_total ${member.directory.commit}`,
    `etcd_debugging_snap_save_total_duration_seconds_count ${member.snapshots}`,
    ...from,
    '',
  ].join('\n');
}
