// SPDX-License-Identifier: Apache-2.0
import { constants } from 'node:http2';
import { VirtualClock } from '@operator-parts/ports';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually, FakeMember } from '../testing/fake-member.ts';
import { isEtcdError } from './etcd-error.ts';
import { MemberClient, type MemberClientOptions } from './member-client.ts';
import { headerResponse } from './messages/kv-messages.ts';
import { statusResponse } from './messages/maintenance-messages.ts';
import { watchResponse } from './messages/watch-messages.ts';
import { toBytes } from './services/kv.ts';

const status = statusResponse.encode({ version: '3.6.16', header: { memberId: 7n, revision: 3n } });
const put = { key: toBytes('a'), value: toBytes('b') };

let clock: VirtualClock;
let member: FakeMember;
let client: MemberClient;

function connect(options: Partial<MemberClientOptions> = {}): MemberClient {
  return new MemberClient({ target: { host: '10.0.0.7', port: 2379 }, clock, dial: member.dial, ...options });
}

/** The error of a call. */
async function failure(call: Promise<unknown>): Promise<Error> {
  const error: unknown = await call.then(
    () => new Error('the call did not fail'),
    (reason: unknown) => reason,
  );
  return error instanceof Error ? error : new Error(String(error));
}

beforeEach(() => {
  clock = new VirtualClock();
  member = new FakeMember((call) => call.reply(status));
  client = connect();
});

afterEach(async () => {
  client.close();
  // A timer that outlives its client is a leak.
  await eventually(() => clock.pendingTimers === 0);
});

describe('connections', () => {
  test('none is opened before the first call; all calls share one', async () => {
    expect(member.dialled).toEqual([]);
    const answers = await Promise.all([1, 2, 3].map(() => client.maintenance.status()));
    expect(answers.map(({ version }) => version)).toEqual(['3.6.16', '3.6.16', '3.6.16']);
    expect(member.dialled).toEqual([{ host: '10.0.0.7', port: 2379 }]);
  });

  test('operator rule 10: an idle one is closed after 30 s, and the next call opens another', async () => {
    await client.maintenance.status();
    await clock.advance(29_000);
    expect(client.connected).toBe(true);
    await clock.advance(2_000);
    await eventually(() => !client.connected);
    await client.maintenance.status();
    expect(member.dialled).toHaveLength(2);
  });

  test('a call in between starts the idle time again', async () => {
    await client.maintenance.status();
    await clock.advance(20_000);
    await client.maintenance.status();
    await clock.advance(20_000);
    expect(client.connected).toBe(true);
    expect(member.dialled).toHaveLength(1);
  });

  test('one that the member says farewell on is left for a new one', async () => {
    await client.maintenance.status();
    member.leave();
    await eventually(() => !client.connected);
    await client.maintenance.status();
    expect(member.dialled).toHaveLength(2);
  });

  test('a member that is killed and restarted is found again', async () => {
    await client.maintenance.status();
    member.kill();
    await eventually(() => !client.connected);
    expect((await client.maintenance.status()).memberId).toBe(7n);
  });

  test('a refused connection is Unavailable, and nothing was sent', async () => {
    member.onDial(() => Promise.reject(new Error('connect ECONNREFUSED 10.0.0.7:2379')));
    const error = await failure(client.kv.put(put));
    expect(error).toMatchObject({ code: 'Unavailable', outcomeUnknown: false });
    expect(error.message).toBe('KV/Put on 10.0.0.7:2379: connect ECONNREFUSED 10.0.0.7:2379');
  });

  test('after close every call fails at once, also those that run', async () => {
    member.onCall(() => undefined);
    const running = failure(client.kv.put(put));
    await eventually(() => member.calls.length === 1);
    client.close();
    expect(await running).toMatchObject({ code: 'Unavailable', outcomeUnknown: true });
    expect(await failure(client.maintenance.status())).toMatchObject({ code: 'Unavailable' });
    expect(member.dialled).toHaveLength(1);
  });

  test('closing while a connection is being opened leaves none behind', async () => {
    let release = () => undefined as unknown;
    member.onDial(() => new Promise((resolve) => (release = () => resolve())));
    const waiting = failure(client.maintenance.status());
    await eventually(() => member.dialled.length === 1);
    client.close();
    expect(await waiting).toMatchObject({ code: 'Unavailable' });
    release();
    await clock.advance(0);
    expect(client.connected).toBe(false);
  });
});

describe('deadlines and cancellation', () => {
  test('a member that never answers costs 5 s; a change has then an unknown outcome, a read has not', async () => {
    member.onCall(() => undefined);
    const calls = [failure(client.kv.put(put)), failure(client.kv.range({ key: put.key }))];
    await eventually(() => member.calls.length === 2);
    await clock.advance(5_000);
    const [change, read] = await Promise.all(calls);
    expect(change).toMatchObject({ code: 'Timeout', outcomeUnknown: true });
    expect(read).toMatchObject({ code: 'Timeout', outcomeUnknown: false });
  });

  test('the member gets a slightly longer timeout, and learns that the caller has stopped waiting', async () => {
    member.onCall(() => undefined);
    const waiting = failure(client.maintenance.status({ timeoutMs: 1_500 }));
    await eventually(() => member.calls.length === 1);
    const [call] = member.calls;
    expect(call?.headers['grpc-timeout']).toBe('2500m');
    await clock.advance(1_500);
    await waiting;
    await eventually(() => call?.stream.closed === true);
    expect(call?.stream.rstCode).toBe(constants.NGHTTP2_CANCEL);
  });

  test('time spent on opening the connection counts; nothing was sent then', async () => {
    member.onDial(() => new Promise(() => undefined));
    const waiting = failure(client.kv.put(put, { timeoutMs: 1_000 }));
    await eventually(() => member.dialled.length === 1);
    await clock.advance(1_000);
    expect(await waiting).toMatchObject({
      code: 'Timeout',
      outcomeUnknown: false,
      message: 'KV/Put on 10.0.0.7:2379: no connection within 1000 ms',
    });
    client.close();
  });

  test('an aborted call ends at once, with the reason as its cause', async () => {
    member.onCall(() => undefined);
    const controller = new AbortController();
    const waiting = failure(client.kv.put(put, { signal: controller.signal }));
    await eventually(() => member.calls.length === 1);
    controller.abort(new Error('the lease is lost'));
    const error = await waiting;
    expect(error).toMatchObject({ code: 'Aborted', outcomeUnknown: true });
    expect(error.cause).toMatchObject({ message: 'the lease is lost' });
  });

  test('a call that was aborted before it began sends nothing', async () => {
    const error = await failure(client.kv.put(put, { signal: AbortSignal.abort() }));
    expect(error).toMatchObject({ code: 'Aborted', outcomeUnknown: false });
    expect(member.calls).toEqual([]);
  });
});

describe('connections that die without a word', () => {
  test('a call that times out makes the client ping the server, and then close the dead connection', async () => {
    await client.maintenance.status();
    member.sever();
    const lost = failure(client.maintenance.status());
    await eventually(() => clock.pendingTimers >= 2);
    await clock.advance(5_000);
    expect(await lost).toMatchObject({ code: 'Timeout' });
    member.reconnect();
    const next = client.maintenance.status();
    await clock.advance(2_000);
    expect((await next).version).toBe('3.6.16');
    expect(member.dialled).toHaveLength(2);
  });

  test('a member that is merely slow keeps its connection', async () => {
    member.onCall(() => undefined);
    const slow = failure(client.maintenance.status());
    await eventually(() => member.calls.length === 1);
    await clock.advance(5_000);
    await slow;
    member.onCall((call) => call.reply(status));
    await client.maintenance.status();
    await clock.advance(3_000);
    await client.maintenance.status();
    expect(member.dialled).toHaveLength(1);
  });

  test('an idle watch ends when pings are no longer answered', async () => {
    member.onCall(({ stream }) => stream.respond({ ':status': 200 }));
    const started = failure(client.watch({ key: put.key })[Symbol.asyncIterator]().next());
    await eventually(() => member.calls.length === 1);
    await clock.advance(60_000);
    expect(client.connected).toBe(true);
    member.sever();
    await clock.advance(45_000);
    expect(await started).toMatchObject({ code: 'Unavailable' });
  });
});

describe('answers', () => {
  test('a connection lost after the request leaves the outcome of a change open', async () => {
    member.onCall(() => member.kill());
    expect(await failure(client.kv.put(put))).toMatchObject({ code: 'Unavailable', outcomeUnknown: true });
    expect(await failure(client.kv.range({ key: put.key }))).toMatchObject({
      code: 'Unavailable',
      outcomeUnknown: false,
    });
  });

  test('a stream that the member refuses to look at changes nothing', async () => {
    member.onCall(({ stream }) => stream.close(constants.NGHTTP2_REFUSED_STREAM));
    expect(await failure(client.kv.put(put))).toMatchObject({ code: 'Unavailable', outcomeUnknown: false });
  });

  test('nothing that fails is sent a second time', async () => {
    member.onCall((call) => call.refuse(14, 'etcdserver: leader changed'));
    expect(await failure(client.kv.put(put))).toMatchObject({ code: 'LeaderChanged', outcomeUnknown: true });
    expect(member.calls).toHaveLength(1);
  });

  test('an HTTP server that is no etcd is recognised', async () => {
    member.onCall(({ stream }) => stream.respond({ ':status': 404 }, { endStream: true }));
    const error = await failure(client.maintenance.status());
    expect(error).toMatchObject({ code: 'BadResponse', message: expect.stringContaining('HTTP status 404') });
  });

  test('an answer that is no protobuf is a BadResponse; the change it answers may have been made', async () => {
    member.onCall((call) => call.reply(Uint8Array.of(0x0f)));
    expect(await failure(client.kv.put(put))).toMatchObject({ code: 'BadResponse', outcomeUnknown: true });
  });

  test('OK without a message is a BadResponse', async () => {
    member.onCall((call) => call.refuse(0, ''));
    expect(await failure(client.maintenance.status())).toMatchObject({ code: 'BadResponse' });
  });

  test('an answer beyond the limit is refused, not held in memory', async () => {
    client.close();
    client = connect({ maxMessageBytes: 8 });
    expect(await failure(client.maintenance.status())).toMatchObject({
      code: 'BadResponse',
      message: expect.stringContaining('larger than the limit'),
    });
  });

  test('a watch passes events on, tells of lost history, and of an end from the other side', async () => {
    const answers = [
      { created: true, header: { revision: 9n } },
      { events: [{ type: 'put' as const, kv: { key: put.key, modRevision: 10n } }] },
      { canceled: true, compactRevision: 12n },
    ];
    member.onCall(({ stream }) => {
      stream.respond({ ':status': 200 });
      for (const answer of answers) {
        const encoded = watchResponse.encode(answer);
        stream.write(Buffer.concat([Buffer.from([0, 0, 0, 0, encoded.byteLength]), encoded]));
      }
    });
    const started: bigint[] = [];
    const events = client
      .watch({ key: put.key, onStarted: (revision) => started.push(revision) })
      [Symbol.asyncIterator]();
    const first = await events.next();
    expect(first.value).toMatchObject({ type: 'put', kv: { modRevision: 10n } });
    expect(started).toEqual([9n]);
    expect(await failure(events.next())).toMatchObject({ code: 'Compacted' });
  });
});

test('isEtcdError tells codes apart', async () => {
  member.onCall((call) => call.refuse(5, 'etcdserver: member not found'));
  const error = await failure(client.cluster.memberRemove(1n));
  expect(isEtcdError(error)).toBe(true);
  expect(isEtcdError(error, 'MemberNotFound', 'Timeout')).toBe(true);
  expect(isEtcdError(error, 'Timeout')).toBe(false);
  expect(isEtcdError(new Error('x'))).toBe(false);
  expect(headerResponse.decode(new Uint8Array(0)).header.revision).toBe(0n);
});
