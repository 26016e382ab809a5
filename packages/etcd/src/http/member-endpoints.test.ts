// SPDX-License-Identifier: Apache-2.0
import { createServer, type RequestListener } from 'node:http';
import { duplexPair } from 'node:stream';
import { VirtualClock } from '@operator-parts/ports';
import { describe, expect, test } from 'vitest';
import { MemberEndpoints } from './member-endpoints.ts';

/** Endpoints answered by `listener`, without a socket. */
function endpoints(listener: RequestListener, clock = new VirtualClock()) {
  const server = createServer(listener);
  const asked: number[] = [];
  const member = new MemberEndpoints({
    target: { host: '10.0.0.7', port: 2380 },
    clock,
    dial: async ({ port }) => {
      asked.push(port);
      const [near, far] = duplexPair();
      server.emit('connection', far);
      return near;
    },
  });
  return { member, clock, asked };
}

const answering = (status: number, body: string) =>
  endpoints((_, response) => {
    response.statusCode = status;
    response.end(body);
  });

describe('/version', () => {
  test('names the version of the process and of the cluster', async () => {
    const { member, clock } = answering(200, '{"etcdserver":"3.6.16","etcdcluster":"3.6.0","storage":"3.6.0"}');
    expect(await member.version()).toEqual({ server: '3.6.16', cluster: '3.6.0' });
    expect(clock.pendingTimers).toBe(0);
  });

  test('a cluster that has not settled yet has no version', async () => {
    const { member } = answering(200, '{"etcdserver":"3.6.16","etcdcluster":"not_decided"}');
    expect(await member.version()).toEqual({ server: '3.6.16', cluster: undefined });
  });

  test.each([
    [200, 'hello'],
    [200, '[]'],
    [200, 'null'],
    [200, '{"etcdserver":7}'],
    [404, '{"etcdserver":"3.6.16"}'],
  ])('%i %j is not from an etcd', async (status, body) => {
    await expect(answering(status, body).member.version()).rejects.toMatchObject({ code: 'BadResponse' });
  });
});

describe('checks', () => {
  test.each([
    [200, '{"health":"true","reason":""}', true],
    [200, '{"health":true}', true],
    [503, '{"health":"false","reason":"ALARM NOSPACE"}', false],
    [200, 'nonsense', false],
  ])('/health %i %s: %s', async (status, body, ok) => {
    expect(await answering(status, body).member.health()).toEqual({ ok, text: body });
  });

  test('/readyz says which check failed', async () => {
    const { member } = answering(503, '[+]serializable_read ok\n[-]non_learner failed\n');
    expect(await member.readyz()).toEqual({ ok: false, text: '[+]serializable_read ok\n[-]non_learner failed' });
  });

  test('a member without them says since when they are there', async () => {
    await expect(answering(404, '').member.livez()).rejects.toMatchObject({
      code: 'Unimplemented',
      message: expect.stringContaining('3.4.29'),
    });
  });
});

describe('operator rule 3: raft snapshots saved', () => {
  const metric = 'etcd_debugging_snap_save_total_duration_seconds_count';

  test('are counted by the metric', async () => {
    expect(await answering(200, `# TYPE x histogram\n${metric} 2\n`).member.raftSnapshotsSaved()).toBe(2);
  });

  test('are none before the first', async () => {
    expect(await answering(200, 'other 1\n').member.raftSnapshotsSaved()).toBe(0);
  });
});

test('entries that were applied are counted by the metric, and none before the first', async () => {
  const metric = 'etcd_server_proposals_applied_total';
  expect(await answering(200, `# TYPE x gauge\n${metric} 1234\n`).member.entriesApplied()).toBe(1234);
  expect(await answering(200, 'other 1\n').member.entriesApplied()).toBe(0);
  expect(await answering(200, 'etcd_server_proposals_committed_total 0\n').member.entriesCommitted()).toBe(0);
  expect(await answering(200, 'other 1\n').member.entriesCommitted()).toBeUndefined();
});

test('bytes received from other members are reported by member', async () => {
  const metric = 'etcd_network_peer_received_bytes_total';
  const text = `# TYPE ${metric} counter\n${metric}{From="0"} 80\n${metric}{From="252f8281aaff7c6a"} 1.936e+06\nother 1\n`;
  expect([...(await answering(200, text).member.bytesFromPeers())]).toEqual([
    ['0', 80],
    ['252f8281aaff7c6a', 1_936_000],
  ]);
  expect((await answering(200, 'other 1\n').member.bytesFromPeers()).size).toBe(0);
});

describe('limits', () => {
  test('a member that never answers costs 3 s', async () => {
    const { member, clock } = endpoints(() => undefined);
    const waiting = member.version().catch((error: unknown) => error);
    await clock.advance(3_000);
    expect(await waiting).toMatchObject({
      code: 'Timeout',
      message: 'GET /version on 10.0.0.7:2380: no answer within 3000 ms',
    });
  });

  test('an answer without end is refused', async () => {
    const { member } = endpoints((_, response) => {
      const more = () => {
        while (response.write('x'.repeat(65_536)));
      };
      response.on('drain', more).on('error', () => undefined);
      more();
    });
    await expect(member.metrics()).rejects.toMatchObject({ code: 'BadResponse' });
  });

  test('an aborted question ends at once', async () => {
    const { member } = endpoints(() => undefined);
    await expect(member.metrics({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'Aborted' });
  });

  test('a connection that is cut is Unavailable', async () => {
    const { member } = endpoints((_, response) => response.destroy());
    await expect(member.version()).rejects.toMatchObject({ code: 'Unavailable' });
  });

  test('each request has a separate connection', async () => {
    const { member, asked } = answering(200, '{"health":"true"}');
    await member.health();
    await member.health();
    expect(asked).toEqual([2380, 2380]);
  });
});
