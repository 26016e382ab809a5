// SPDX-License-Identifier: Apache-2.0
import type { EtcdCluster } from '@etcd-operator/operator';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { plainText } from '../terminal/line.ts';
import { emptyState, operatorAtWork, type State } from './state.ts';
import { cluster, screen, state } from './testing/example-state.ts';
import { update } from './update.ts';
import { view } from './view.ts';

describe('the screen', () => {
  test('shows members, nodes, what the operator does and why, and the keys', () => {
    expect(screen(state, 110, 18)).toBe(
      `\
 etcd-operator playground  example  Running  2 of 3 ready  etcd 3.6.16                                   12 s
${'─'.repeat(110)}
  MEMBER     ROLE      VERSION  REVISION  SIZE    HEALTH       NODE    WHY
  example-a  leader    3.6.16   7         20 KiB  healthy      node-1
> example-b  follower  3.6.16   7         20 KiB  healthy      node-2
  example-c  unknown   -        -         -       not healthy  -       its pod is gone

 Nodes  node-1 ready  node-2 cut off

 The operator
  does example-d joins: the cluster has 2 of 3 members

 What happened
    11.9 s  you killed example-c


 k kill  b blank  x lose  v recover  c cut  h heal  r reboot  +- resize  u upgrade  s back up  l restore
 Tab cluster  ! shell  ? help  q quit`,
    );
  });

  test('before there is anything says so', () => {
    const text = screen(emptyState, 80, 12);
    expect(text).toContain('Starting');
    expect(text).toContain('no members yet');
  });

  test('in a small terminal leaves out what matters least', () => {
    const text = screen(state, 60, 14);
    expect(text).toContain('example-c  unknown   not healthy  its pod is gone');
    expect(text).not.toContain('REVISION');
    expect(text).toContain('q quit');
  });

  /** Everything with a long text: the important part must not be cut off. */
  const reason =
    'not reachable from the operator: connect ECONNREFUSED 10.244.3.2:2379; its pod is Running on node-3, which is NotReady';
  const waits =
    'Quorum lost: 1 of 3 voters is reachable, 2 are needed. Waiting for members example-b and example-c. If their data is gone, see runbook quorum-lost.';
  const event =
    'QuorumLost: 1 of 3 voters is healthy, 2 are needed. See status.memberDetails, and the runbook that is named there.';
  const wordy: State = update(
    {
      ...state,
      notes: [...Array.from({ length: 9 }, (_, at) => ({ at, text: `earlier ${at}`, tone: 'plain' as const }))],
    },
    {
      kind: 'clusters',
      clusters: [
        {
          ...cluster,
          status: {
            ...cluster.status,
            readySize: 1,
            conditions: [{ type: 'Available', status: 'False', reason: 'QuorumLost', message: waits }],
            memberDetails: (cluster.status?.memberDetails ?? []).map((member) =>
              member.name === 'example-a' ? member : { ...member, healthy: false, reason },
            ),
            plan: { next: [], waitingFor: [waits] },
          },
        },
      ],
    },
  ).state;
  const told = update(wordy, { kind: 'note', text: event, tone: 'bad' }).state;
  const words = (text: string) => text.replaceAll(/\s+/g, ' ');

  test('of 80x24 shows reasons, what the operator waits for and the newest event whole', () => {
    const text = words(screen(told, 80, 24));
    for (const whole of [reason, waits, event]) expect(text).toContain(whole);
    expect(text).not.toContain('…');
  });

  test('of 40x15 keeps what the operator waits for and the newest event, whole, and how the cluster is', () => {
    const text = screen(told, 40, 15);
    expect(text).toContain(' example  QuorumLost  1 of 3 ready');
    for (const whole of [waits, event]) expect(words(text)).toContain(whole);
    expect(text).toContain('? help  q quit');
  });

  test('of 40x15 has events beside seven members', () => {
    const members = Array.from({ length: 7 }, (_, index) => ({
      name: `example-${index}`,
      role: 'Follower' as const,
      healthy: true,
    }));
    const seven = { ...cluster, spec: { size: 7 }, status: { ...cluster.status, memberDetails: members, plan: {} } };
    expect(words(screen({ ...told, cluster: seven }, 40, 15))).toContain(event);
    const lower = screen({ ...told, cluster: seven }, 40, 12);
    expect(words(lower)).toContain(event);
    expect(lower).toContain('… 4 more lines of members');
  });

  test('goes back in what happened, page by page, and returns when something happens', () => {
    const back = (from: State) => update(from, { kind: 'key', key: 'page-up' }).state;
    expect(screen(told, 40, 15)).not.toContain('earlier 2');
    const before = back(back(told));
    expect(screen(before, 40, 15)).toContain('earlier 2');
    expect(screen(update(before, { kind: 'note', text: 'now', tone: 'plain' }).state, 40, 15)).toContain('now');
    expect(update(before, { kind: 'key', key: 'page-down' }).state.scrolled).toBe(5);
  });

  test('of 80x24 and 40x15 shows all of the help, the latter by pages', () => {
    const hints = ['kubectl etcd backup create --s3-path backups/mine --aws-secret playground-s3 --wait'];
    const helped = update({ ...state, hints }, { kind: 'key', key: '?' }).state;
    expect(words(screen(helped, 80, 24)).replaceAll(' \\ ', ' ')).toContain(hints[0]);
    let seen = '';
    let current = helped;
    for (let count = 0; count < 6; count++) {
      seen += screen(current, 40, 15);
      current = update(current, { kind: 'key', key: 'page-down' }).state;
    }
    for (const part of ['Arrows choose', 'reboots all nodes', 'type exit', 'npm run lab', '--wait'])
      expect(seen).toContain(part);
  });

  test('says red what the operator says of a cluster that does not serve, whatever its phase', () => {
    const [head = []] = view(told, { columns: 80, rows: 24 });
    expect(head.find(({ text }) => text === 'QuorumLost')?.style).toBe('bad');
    expect(plainText(head)).not.toContain('Running');
  });

  test('marks members of before a restore as such', () => {
    const restoring = {
      ...cluster,
      status: { ...cluster.status, readySize: 0, restore: { name: 'example', uid: 'u' } },
    };
    const lines = view({ ...state, cluster: restoring }, { columns: 110, rows: 24 });
    const text = lines.map(plainText).join('\n');
    expect(text).toContain('Restoring  0 of 3 ready');
    expect(text).toMatch(/example-a {2}previous .*isolated .*holds the data from before the restore/);
    expect(lines.flat().filter(({ style, text: own }) => style === 'good' && own.includes('healthy'))).toEqual([]);
  });

  test('names the key that recovers a cluster without a quorum', () => {
    const conditions = [{ type: 'Available', status: 'False', reason: 'QuorumLost', message: '' }] as const;
    const lost: EtcdCluster = { ...cluster, status: { phase: 'Failed', conditions: [...conditions] } };
    const without = { ...state, clusters: [lost], cluster: lost };
    expect(words(screen(without, 80, 24))).toContain('v to recover from a member that is left.');
    expect(update(without, { kind: 'key', key: 'v' }).effect).toEqual({ do: 'recover' });
  });

  test('names the key that leads out when the data is lost', () => {
    const lost: EtcdCluster = {
      ...cluster,
      status: {
        phase: 'Failed',
        conditions: [{ type: 'Available', status: 'False', reason: 'DataLost', message: '' }],
      },
    };
    const without = { ...state, clusters: [lost], cluster: lost };
    expect(words(screen(without, 80, 24))).toContain('there is no backup: press n to create the cluster again, empty.');
    const { state: saved } = update(without, { kind: 'backedUp', cluster: 'example', path: 'backups/example-1' });
    expect(words(screen(saved, 80, 24))).toContain('press l to restore backups/example-1, or n to create');
    expect(update(without, { kind: 'key', key: 'n' }).effect).toEqual({ do: 'renew' });
    expect(update(saved, { kind: 'key', key: 'l' }).effect).toEqual({ do: 'restore' });
    expect(update(without, { kind: 'key', key: 'l' }).state.notes.at(-1)?.text).toContain(
      'press n to create the cluster again',
    );
  });

  test('of a second cluster is shown by Tab, with what happened to it', () => {
    const second = { ...cluster, metadata: { ...cluster.metadata, name: 'second' } };
    const both = update(state, { kind: 'clusters', clusters: [cluster, second] }).state;
    const noted = update(both, {
      kind: 'note',
      text: 'something with the second',
      tone: 'plain',
      about: 'second',
    }).state;
    expect(screen(noted, 110, 24)).toContain(' example  (1 of 2, Tab)');
    expect(screen(noted, 110, 24)).not.toContain('something with the second');
    const next = update(noted, { kind: 'key', key: 'tab' }).state;
    expect(screen(next, 110, 24)).toContain(' second  (2 of 2, Tab)');
    expect(screen(next, 110, 24)).toContain('something with the second');
    expect(update(next, { kind: 'key', key: '+' }).effect).toEqual({ do: 'resize', size: 5 });
    expect(update(next, { kind: 'key', key: 'tab' }).state.cluster?.metadata?.name).toBe('example');
  });

  test('fits into every terminal', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 200 }),
        fc.integer({ min: 1, max: 60 }),
        fc.boolean(),
        (columns, rows, help) => {
          const lines = view({ ...state, isHelpShown: help, hints: ['x'.repeat(90)] }, { columns, rows });
          expect(lines.length).toBeLessThanOrEqual(rows);
          expect(lines.filter((line) => line.reduce((sum, { text }) => sum + text.length, 0) > columns)).toEqual([]);
        },
      ),
    );
  });
});

test.each([
  ['', [], 'no operator is running: kubectl create -f example/deployment.yaml'],
  ['', ['etcd-operator-a'], 'starting: pod/etcd-operator-a'],
  // After a kill, the lease still names its holder for a while.
  ['etcd-operator-gone', [], 'no operator is running: kubectl create -f example/deployment.yaml'],
  ['etcd-operator-a', ['etcd-operator-a'], 'pod/etcd-operator-a is active'],
  ['playground', [], 'the built-in operator is active'],
  ['playground', ['etcd-operator-a'], 'the built-in operator is active; waiting for the lease: pod/etcd-operator-a'],
])('of the lease with %j and the pods %j the screen says who is at work', (holder, pods, words) => {
  const known = { ...state, operators: { holder, pods } };
  expect(operatorAtWork(known)).toBe(words);
  expect(screen(known, 120, 18)).toContain(` The operator   ${words}`);
});
