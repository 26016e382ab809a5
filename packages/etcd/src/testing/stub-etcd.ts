// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { createServer as createHttp2Server, type Http2Server, type ServerHttp2Stream } from 'node:http2';
import { createServer, type Server } from 'node:net';
import { frame } from '../client/grpc/frame.ts';
import {
  memberAddRequest,
  memberAddResponse,
  memberIdRequest,
  membersResponse,
} from '../client/messages/cluster-messages.ts';
import { statusResponse } from '../client/messages/maintenance-messages.ts';
import { clientPort } from '../rules/membership/member-name.ts';

/** The address and the name of one member. */
export interface StubPlace {
  /** Members of one cluster share it. */
  readonly cluster: string;
  readonly name: string;
  readonly peerUrl: string;
  /** A free address of loopback. */
  readonly address: string;
}

interface StubMember {
  readonly id: bigint;
  name: string;
  readonly peerUrl: string;
  isLearner: boolean;
}

interface StubCluster {
  readonly id: bigint;
  readonly members: StubMember[];
}

interface Seat {
  readonly cluster: StubCluster;
  readonly member: StubMember;
}

/**
 * Thousands of etcd members in one process, for benchmarks: real gRPC on real sockets, and behind it a list of names.
 * They answer Status, MemberList, MemberAdd and MemberPromote; there is no data, no raft and no failure.
 */
export class StubEtcd implements AsyncDisposable {
  readonly #version: string;
  readonly #clusters = new Map<string, StubCluster>();
  readonly #seats = new Map<string, Seat>();
  readonly #listeners: Server[] = [];
  readonly #grpc: Http2Server = createHttp2Server();
  #calls = 0;

  constructor(version: string) {
    this.#version = version;
    this.#grpc.on('sessionError', () => undefined);
    this.#grpc.on('stream', (stream, headers) => this.#accept(stream, String(headers[':path'])));
  }

  /** The number of answered calls. */
  get calls(): number {
    return this.#calls;
  }

  /**
   * Starts a member: the first of a cluster bootstraps it, every other has been added before. Resolves when it listens.
   */
  async start({ cluster: key, name, peerUrl, address }: StubPlace): Promise<void> {
    const cluster = this.#clusters.get(key) ?? { id: idOf(key), members: [] };
    this.#clusters.set(key, cluster);
    if (cluster.members.length === 0) cluster.members.push({ id: idOf(peerUrl), name, peerUrl, isLearner: false });
    const member = cluster.members.find((listed) => listed.peerUrl === peerUrl);
    if (!member) throw new Error(`${peerUrl} is no member of ${key}: add it first`);
    member.name = name;
    this.#seats.set(address, { cluster, member });
    const listener = createServer((socket) => this.#grpc.emit('connection', socket));
    this.#listeners.push(listener);
    await new Promise<void>((resolve, reject) => {
      listener.once('error', reject);
      listener.listen(clientPort, address, resolve);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const listener of this.#listeners) listener.close();
    this.#grpc.close();
  }

  #accept(stream: ServerHttp2Stream, path: string): void {
    const chunks: Buffer[] = [];
    stream.on('error', () => undefined);
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.once('end', () => {
      this.#calls += 1;
      const seat = this.#seats.get(stream.session?.socket.localAddress ?? '');
      const answer = seat && this.#answer(path.split('/').at(-1) ?? '', seat, Buffer.concat(chunks).subarray(5));
      const head = { ':status': 200, 'content-type': 'application/grpc' };
      if (!answer) {
        stream.respond({ ...head, 'grpc-status': '12', 'grpc-message': 'not by a stub' }, { endStream: true });
        return;
      }
      stream.respond(head, { waitForTrailers: true });
      stream.once('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
      stream.end(frame(answer));
    });
  }

  #answer(method: string, { cluster, member }: Seat, request: Uint8Array): Uint8Array | undefined {
    const header = { clusterId: cluster.id, memberId: member.id, revision: 1n, raftTerm: 2n };
    const members = () => cluster.members.map((listed) => ({ ...listed, peerUrls: [listed.peerUrl], clientUrls: [] }));
    switch (method) {
      case 'Status':
        return statusResponse.encode({
          header,
          version: this.#version,
          dbSize: 20_480n,
          leader: cluster.members[0]?.id ?? 0n,
          raftIndex: 10n,
          raftTerm: 2n,
          raftAppliedIndex: 10n,
          isLearner: member.isLearner,
        });
      case 'MemberList':
        return membersResponse.encode({ header, members: members() });
      case 'MemberAdd': {
        const { peerUrls, isLearner } = memberAddRequest.decode(request);
        const [peerUrl = ''] = peerUrls;
        const added = { id: idOf(peerUrl), name: '', peerUrl, isLearner };
        cluster.members.push(added);
        return memberAddResponse.encode({ header, member: { ...added, peerUrls, clientUrls: [] }, members: members() });
      }
      case 'MemberPromote': {
        const { id } = memberIdRequest.decode(request);
        for (const listed of cluster.members) if (listed.id === id) listed.isLearner = false;
        return membersResponse.encode({ header, members: members() });
      }
      default:
        return undefined;
    }
  }
}

function idOf(text: string): bigint {
  return createHash('sha256').update(text).digest().readBigUInt64BE();
}
