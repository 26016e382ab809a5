// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import type { ClusterPod, LogReading, RestoreObservation, SourceFacts, SurvivorFacts } from '../../observation.ts';
import { RestoreModel } from '../../testing/model.ts';
import { modelPod, modelVolume } from '../../testing/model-objects.ts';
import { planRestore } from '../plan.ts';
import { outlasted } from '../proposal.ts';

const pending: SourceFacts = {
  ...{ path: 'survivor', bytes: 0, sha256: undefined, revision: 7, storageVersion: undefined },
  ...{ authEnabled: false, verified: 'Pending', cluster: undefined },
};

const quiet: SurvivorFacts = {
  ...{ node: 'n1', mayRunUnseen: false, hasEnded: false, onVolume: true, reading: undefined, answer: undefined },
  ...{ broken: undefined, why: 'waiting for pod/a to read its volume' },
};

const volume = (name: string) => ({ ...modelVolume(name, 1), isIdentified: true });
const pod = (name: string, facts: Partial<SurvivorFacts> = {}, more: Partial<ClusterPod> = {}): ClusterPod => ({
  ...modelPod(name, 1),
  ...{ isolated: true, ready: false, survivor: { ...quiet, ...facts } },
  ...more,
});
/** A pod that the restore has started on the volume of that name. */
const reader = (name: string, facts: Partial<SurvivorFacts>) =>
  pod(name, facts, { startedBy: new RestoreModel().observation().restore.uid });
const log = (memberId: string, term: number, index: number, voterIds: readonly string[] = [memberId]): LogReading => ({
  kind: 'log',
  ...{ term, index, commit: 0, voters: voterIds.length, isVoter: true, isTorn: false, terms: [], newestEntry: 80 },
  ...{ clusterId: 'c1', memberId, voterIds },
});
const answer = { revision: 90, index: 99, bytes: 4096, hasLeader: true };

/** Nothing has been changed yet. */
function before(change: Partial<RestoreObservation>, member?: string): RestoreObservation {
  const seen = new RestoreModel().observation();
  return { ...seen, restore: { ...seen.restore, survivor: { member }, safetySnapshot: 'Never' }, ...change };
}

/** The cluster has the restore annotation and its members are isolated. */
function marked(change: Partial<RestoreObservation>, source: SourceFacts = pending): RestoreObservation {
  const seen = before(change);
  const { cluster, restore } = seen;
  if (!cluster) throw new Error('the model has a cluster');
  const from = { incarnation: 1, clusterId: cluster.clusterId };
  const marker = { name: restore.name, uid: restore.uid, from };
  return {
    ...seen,
    restore: { ...restore, source, startedAt: 1, safety: { kind: 'skipped', why: '' } },
    cluster: { ...cluster, marker, incarnation: 2, clusterId: '', acknowledged: restore.uid },
  };
}

/** Before anything is changed: what the members said when they were asked, and what two of them show now. One has a leader. */
function everyStart(): readonly (readonly [string, Partial<RestoreObservation>])[] {
  const { jobs, restore } = before({});
  const asked = [
    ['not asked', { jobs }],
    ['asked', { jobs: { ...jobs, verify: { kind: 'done', value: pending } as const } }],
    ['recorded', { restore: { ...restore, source: pending } }],
  ] as const;
  const looks = [
    ['does not answer', {}, {}],
    ['is Ready', {}, { ready: true }],
    ['may run unseen', { mayRunUnseen: true }, {}],
    ['has no leader', { answer: { ...answer, hasLeader: false } }, {}],
  ] as const;
  return asked.flatMap(([when, change]) =>
    looks.flatMap(([how, facts, more]) =>
      [true, false].map((ready) => {
        const pods = [pod('a', { answer }, { ready }), pod('b', facts, more)];
        return [`${when}, ${ready ? 'Ready' : 'not Ready'}, the other ${how}`, { ...change, pods }] as const;
      }),
    ),
  );
}

describe('a recovery from a survivor', () => {
  test('asks the members for a quorum before anything is touched', () => {
    const plan = planRestore(before({ pods: [pod('a')], volumes: [volume('a')] }), 1);
    expect(plan.steps.map(({ step }) => step.do)).toEqual(['verify']);
  });

  test('waits, and changes nothing, while a node that does not report may still run a member', () => {
    const pods = [pod('a'), pod('b', { node: 'n2', mayRunUnseen: true }, { terminating: true })];
    const { steps, report } = planRestore(before({ pods, volumes: [volume('a')] }), 1);
    expect(steps).toEqual([]);
    expect(report?.reason).toContain('node n2 may still run pod/b: the node does not report');
    expect(report?.reason).toContain('node.kubernetes.io/out-of-service');
  });

  test('waits, and changes nothing, while a pod is Ready that only the operator cannot reach', () => {
    const seen = before({ pods: [pod('a', {}, { ready: true })], volumes: [volume('a')] });
    const asked = { ...seen, jobs: { ...seen.jobs, verify: { kind: 'done', value: pending } as const } };
    expect(planRestore(asked, 1)).toMatchObject({ steps: [], report: { phase: 'Verifying' } });
    expect(planRestore(asked, 1).report?.reason).toContain('pod/a is Ready');
    const late = planRestore(marked({ pods: [pod('a', {}, { ready: true })], volumes: [volume('a')] }), 2);
    expect(late).toMatchObject({ steps: [], report: { reason: expect.stringContaining('pod/a is Ready') } });
  });

  test('ends where the operator reaches the members again while it waits for one that may serve', () => {
    const volumes = [volume('a'), volume('b')];
    const may = [{ ready: true }, { mayRunUnseen: true }];
    for (const { ready = false, mayRunUnseen = false } of may) {
      const pods = [pod('a', { answer }), pod('b', { mayRunUnseen }, { ready })];
      const seen = before({ pods, volumes });
      const asked = { ...seen, jobs: { ...seen.jobs, verify: { kind: 'done', value: pending } as const } };
      expect(planRestore(asked, 1)).toMatchObject({ steps: [], report: { phase: 'Verifying' } });
      const { report } = outlasted(planRestore(asked, 1), 15_000);
      expect(report).toMatchObject({ phase: 'Failed', reason: expect.stringContaining('recovery is not needed') });
    }
  });

  test.each(everyStart())('goes on or ends by itself where a member has a leader: %s', (_what, change) => {
    const plan = planRestore(before({ volumes: [volume('a'), volume('b')], ...change }), 1);
    const isOpen = plan.steps.length > 0 || plan.report?.source !== undefined || plan.report?.phase !== 'Verifying';
    expect(isOpen || plan.atLast !== undefined).toBe(true);
  });

  test('is not ended by a look that is older than the answer of the members: the leader that it saw may be gone', () => {
    const seen = before({ pods: [pod('a', { answer })], volumes: [volume('a')] });
    const asked = { ...seen, jobs: { ...seen.jobs, verify: { kind: 'done', value: pending } as const } };
    expect(planRestore(asked, 1)).toMatchObject({ steps: [], report: { phase: 'Preparing', source: pending } });
  });

  test.each<readonly [string, Partial<RestoreObservation>, string | undefined, string]>([
    ['there is no cluster', { cluster: undefined }, undefined, 'does not exist'],
    ['nothing is left', { pods: [], volumes: [] }, undefined, 'has a pod or a volume any more'],
    ['the member that it names has nothing', { pods: [], volumes: [volume('a')] }, 'z', 'Members with data: a'],
  ])('fails where %s', (_what, change, member, why) => {
    const { report, steps } = planRestore(before(change, member), 1);
    expect({ steps, phase: report?.phase }).toEqual({ steps: [], phase: 'Failed' });
    expect(report?.reason).toContain(why);
  });

  test('fails, and changes nothing, where a login is needed and the data is in pods alone: a login needs a quorum', () => {
    const decide = (more: Partial<RestoreObservation>, member?: string, ready = false) => {
      const pods = [pod('a', { onVolume: false }, { ready })];
      const seen = before({ pods, volumes: [], ...more }, member);
      if (!seen.cluster) throw new Error('the model has a cluster');
      const cluster = { ...seen.cluster, limits: { ...seen.cluster.limits, hasLogin: true } };
      const asked = { ...seen, cluster, jobs: { ...seen.jobs, verify: { kind: 'done', value: pending } as const } };
      return planRestore(asked, 1);
    };
    expect(decide({})).toMatchObject({ steps: [], report: { phase: 'Failed' } });
    expect(decide({}).report?.reason).toContain('etcd needs a quorum to check a login');
    expect(decide({ volumes: [volume('b')] }, 'a').report?.phase).toBe('Failed');
    expect(decide({ volumes: [volume('b')] }).report?.phase).toBe('Preparing');
    // Its etcd may serve clients: then no other advice is given.
    expect(decide({}, undefined, true).report?.reason).toContain('pod/a is Ready');
  });

  test('stops members that run on volumes, then reads all volumes, and deletes none', () => {
    const volumes = [volume('a'), volume('b')];
    const stop = planRestore(marked({ pods: [pod('a'), pod('b')], volumes }), 2);
    expect(stop.steps.map(({ step }) => step)).toMatchObject([
      { do: 'deletePod', name: 'a' },
      { do: 'deletePod', name: 'b' },
    ]);
    const read = planRestore(marked({ pods: [], volumes }), 2);
    expect(read.steps.map(({ step }) => step)).toMatchObject([
      { do: 'startMember', name: 'a' },
      { do: 'startMember', name: 'b' },
    ]);
  });

  /** After a failed restore to incarnation 2, whose first member is stuck terminating. */
  const afterFailed = (change: Partial<RestoreObservation>, clusterId = 'c1') => {
    const dead = { ...pod('dead', { onVolume: false }), incarnation: 2, terminating: true, overdue: true };
    const seen = marked({ pods: [dead], volumes: [volume('a'), volume('b')], ...change });
    const { cluster, restore } = seen;
    if (!cluster) throw new Error('the model has a cluster');
    const marker = { name: restore.name, uid: restore.uid, from: { incarnation: 1, clusterId } };
    return { ...seen, cluster: { ...cluster, marker, incarnation: 3 } };
  };

  test('reads the volumes of the incarnation that served, whatever a failed restore has left behind', () => {
    const started = [{ do: 'startMember', name: 'a', incarnation: 1 }, { name: 'b' }];
    expect(planRestore(afterFailed({}), 2).steps.map(({ step }) => step)).toMatchObject(started);
  });

  test('saves the data of the incarnation that served, too, before a backup is restored', () => {
    const seen = afterFailed({});
    const restore = { ...seen.restore, survivor: undefined, safetySnapshot: 'Required', safety: undefined } as const;
    const source: SourceFacts = { ...pending, verified: 'Manifest' };
    const backup = { ...seen, restore: { ...restore, source } };
    expect(planRestore(backup, 2).steps.map(({ step }) => step)).toMatchObject([
      { do: 'startMember', name: 'a', incarnation: 1 },
      { do: 'startMember', name: 'b', incarnation: 1 },
    ]);
  });

  test('takes the newest incarnation that has data where it is not known which one served', () => {
    const newer = { ...volume('n'), incarnation: 2 };
    for (const seen of [afterFailed({ volumes: [volume('a'), newer] }), afterFailed({ volumes: [newer] }, '')]) {
      const { steps } = planRestore({ ...seen, pods: [] }, 2);
      expect(steps.map(({ step }) => step)).toMatchObject([{ do: 'startMember', name: 'n', incarnation: 2 }]);
    }
  });

  test('looks at the incarnation of an orphaned mark once that has an identity', () => {
    const seen = afterFailed({});
    const orphaned = { ...seen.cluster, clusterId: 'c2', incarnation: 2, markIsOrphaned: true };
    const marker = { ...orphaned.marker, uid: 'other' };
    const cluster = { ...orphaned, marker };
    const restore = { ...seen.restore, startedAt: 0, source: undefined, survivor: { member: 'z' } };
    const why = (clusterId: string) =>
      planRestore({ ...seen, restore, cluster: { ...cluster, clusterId } }, 2).report?.reason;
    expect(why('c2')).toContain('Members with data: dead');
    expect(why('')).toContain('Members with data: a, b');
  });

  test('rolls back where members have elected a leader meanwhile', () => {
    const { steps, report } = planRestore(marked({ pods: [pod('a', { answer })], volumes: [volume('a')] }), 2);
    expect(steps).toEqual([]);
    expect(report?.failure).toContain('member a has a leader again');
  });

  test('rolls back at once where they serve again: they are out of the Services meanwhile', () => {
    const back = pod('a', { answer }, { ready: true });
    // Also with a pod on a node that does not report: there is a quorum without it.
    const unseen = pod('b', { node: 'n2', mayRunUnseen: true });
    for (const pods of [[back], [back, unseen]]) {
      const { steps, report } = planRestore(marked({ pods, volumes: [volume('a'), volume('b')] }), 2);
      expect(steps).toEqual([]);
      expect(report?.failure).toContain('member a has a leader again');
    }
  });

  describe('that was found to be needed, and has waited since', () => {
    const waiting = (change: Partial<RestoreObservation>) => {
      const seen = before(change);
      return planRestore({ ...seen, restore: { ...seen.restore, source: pending } }, 1);
    };
    const leaderless = pod('a', { answer: { ...answer, hasLeader: false } });

    test('goes on where there is still no quorum', () => {
      const { steps } = waiting({ pods: [leaderless], volumes: [volume('a')] });
      expect(steps.map(({ step }) => step.do)).toContain('mark');
    });

    test('is not begun where there is a quorum by now, as after another EtcdRestore', () => {
      const seen = waiting({ pods: [pod('a', { answer }, { ready: true })], volumes: [volume('a')] });
      // A leader that one observation sees may already be gone.
      expect(outlasted(seen, 14_999)).toMatchObject({ steps: [], report: { phase: 'Verifying' } });
      const { steps, report } = outlasted(seen, 15_000);
      expect({ steps, phase: report?.phase }).toEqual({ steps: [], phase: 'Failed' });
      expect(report?.reason).toContain('the cluster has a quorum');
    });

    test.each([
      ['is Ready and does not answer', pod('b', {}, { ready: true }), 'pod/b is Ready'],
      ['may run on a node that does not report', pod('b', { mayRunUnseen: true }), 'may still run pod/b'],
    ])('goes on waiting while a member %s', (_what, other, why) => {
      const { steps, report } = waiting({ pods: [leaderless, other], volumes: [volume('a'), volume('b')] });
      expect(steps).toEqual([]);
      expect(report?.reason).toContain(why);
    });
  });

  test('takes a snapshot of a member that runs on a volume that was deleted: that ends with its pod', () => {
    const going = { ...volume('a'), terminating: true };
    const running = pod('a', { answer: { ...answer, hasLeader: false } });
    const { steps, report } = planRestore(marked({ pods: [running], volumes: [going] }), 2);
    expect(steps).toEqual([]);
    expect(report?.source).toMatchObject({ path: 'pod/a', survivor: { member: 'a', index: 99 } });
    // A member that does not answer cannot be used, and the message says so.
    const unreachable = planRestore(marked({ pods: [pod('a')], volumes: [going] }), 2);
    expect(unreachable.report?.failure).toContain('no member has usable data (a:');
  });

  test('never stops a member whose data is in its pod alone', () => {
    const { steps } = planRestore(
      marked({ pods: [pod('a', { onVolume: false, answer: { ...answer, hasLeader: false } })], volumes: [] }),
      2,
    );
    expect(steps).toEqual([]);
  });

  test('waits until every volume was read, then records the most advanced one', () => {
    const volumes = ['a', 'b', 'c'].map(volume);
    const pods = [
      reader('a', { reading: log('a', 2, 9, ['a', 'b', 'c']) }),
      reader('b', {}),
      reader('c', { reading: log('c', 1, 9) }),
    ];
    const waiting = planRestore(marked({ pods, volumes }), 2);
    expect(waiting).toMatchObject({ steps: [], report: { reason: quiet.why } });
    const all = [pods[0], reader('b', { reading: log('b', 3, 8, ['a', 'b', 'c']), answer }), pods[2]].flatMap(
      (one) => one ?? [],
    );
    const { report } = planRestore(marked({ pods: all, volumes }), 2);
    expect(report?.source).toMatchObject({ path: 'pvc/b', verified: 'Survivor', revision: 90 });
    expect(report?.source?.survivor).toEqual({ member: 'b', term: 3, index: 8 });
  });

  test('says what is missing for certain where the members were seen at a higher revision, as before a volume was set back', () => {
    const voters = ['a', 'b', 'c'];
    const pods = [
      reader('a', { reading: log('a', 2, 9, voters), answer }),
      reader('b', { reading: log('b', 2, 9, voters) }),
    ];
    const seen = marked({ pods, volumes: ['a', 'b'].map(volume) });
    const { cluster } = seen;
    const marker = cluster?.marker;
    const from = marker?.from;
    if (!cluster || !from) throw new Error('the cluster has the restore annotation');
    const reached = (revision: number) => {
      return planRestore({ ...seen, cluster: { ...cluster, marker: { ...marker, from: { ...from, revision } } } }, 2)
        .report;
    };
    expect(reached(90)?.source?.survivor).toEqual({ member: 'a', term: 2, index: 9 });
    const warning =
      'the members were seen at revision 91 before, and this data ends at revision 90: what was written in between is missing';
    expect(reached(91)).toMatchObject({ reason: warning, source: { survivor: { member: 'a', warning } } });
  });

  test('rolls back where the data of another member cannot be read', () => {
    const unreadable = { kind: 'unreadable', why: 'a record does not match its checksum' } as const;
    const pods = [reader('a', { reading: log('a', 2, 9), answer }), reader('b', { reading: unreadable })];
    const { report } = planRestore(marked({ pods, volumes: [volume('a'), volume('b')] }), 2);
    expect(report).toMatchObject({ phase: 'RollingBack' });
    expect(report?.failure).toContain('the data of member b cannot be read (');
  });

  test.each([
    ['of another cluster', { clusterId: 'c9' }],
    ['of another member', { memberId: 'z' }],
  ])('rolls back where a volume was replaced by one with data %s, however much that has', (_what, whose) => {
    const foreign = { ...log('a', 99, 999), ...whose };
    const pods = [reader('a', { reading: foreign, answer }), reader('b', { reading: log('b', 2, 5), answer })];
    const seen = marked({ pods, volumes: [volume('a'), volume('b')] });
    expect(planRestore(seen, 2).report?.failure).toContain('member a cannot be read (');
    expect(planRestore(seen, 2).report?.failure).toContain('but member a of cluster c1 was expected');
    const named = (member: string) =>
      planRestore({ ...seen, restore: { ...seen.restore, survivor: { member } } }, 2).report;
    expect(named('a')?.failure).toContain('member a');
    expect(named('b')?.source?.survivor).toMatchObject({ member: 'b' });
    const alone = { ...seen, pods: pods.slice(0, 1), volumes: [volume('a')] };
    expect(planRestore(alone, 2).report?.failure).toContain('no member has usable data');
  });

  test('does not take the log of a member that was removed for one of a majority', () => {
    const warningOf = (voterIds: readonly string[]) => {
      const removed = log('a', 2, 5, ['a', 'b', 'c']);
      const left = log('b', 2, 9, voterIds);
      const pods = [reader('a', { reading: removed, answer }), reader('b', { reading: left, answer })];
      return planRestore(marked({ pods, volumes: [volume('a'), volume('b')] }), 2).report?.source?.survivor;
    };
    expect(warningOf(['a', 'b', 'c'])).toEqual({ member: 'b', term: 2, index: 9 });
    const warning = 'the operator read the WALs of only 1 of 3 voters, so acknowledged writes may be missing';
    expect(warningOf(['b', 'c', 'd'])).toEqual({ member: 'b', term: 2, index: 9, warning });
  });

  test('rolls back where a volume that a member has served from is blank, until a person names another', () => {
    const pods = [reader('a', { reading: { kind: 'blank' } }), reader('b', { reading: log('b', 2, 5), answer })];
    const seen = marked({ pods, volumes: [volume('a'), volume('b')] });
    expect(planRestore(seen, 2).report?.failure).toContain('the data of member a cannot be read (');
    const named = { ...seen, restore: { ...seen.restore, survivor: { member: 'b' } } };
    expect(planRestore(named, 2).report?.source?.survivor).toMatchObject({
      member: 'b',
      warning: 'the data of member a could not be read and is not used',
    });
  });

  test('rolls back where a volume cannot be attached, until a person names another member', () => {
    const broken = 'its volume could not be attached';
    const pods = [reader('a', { reading: log('a', 2, 5), answer }), reader('b', { broken })];
    const seen = marked({ pods, volumes: [volume('a'), volume('b')] });
    expect(planRestore(seen, 2).report?.failure).toContain(`cannot be read (${broken}`);
    const named = { ...seen, restore: { ...seen.restore, survivor: { member: 'a' } } };
    expect(planRestore(named, 2).report?.source?.survivor).toMatchObject({ member: 'a' });
  });

  test('says what it was waiting for when its time is over', () => {
    const pods = [reader('a', { reading: log('a', 2, 5), answer }), reader('b', { why: 'pod/b is not scheduled' })];
    const seen = marked({ pods, volumes: [volume('a'), volume('b')] });
    const { report } = planRestore(seen, seen.restore.timeout + 10);
    expect(report?.failure).toContain('pod/b is not scheduled');
  });

  test('deletes a pod of its own that was evicted, so that it is made again, before and after it has chosen', () => {
    const source: SourceFacts = { ...pending, verified: 'Survivor', survivor: { member: 'a', term: 2, index: 9 } };
    const ended = reader('a', { hasEnded: true, broken: 'the pod stopped (Failed)' });
    for (const known of [pending, source]) {
      const { steps } = planRestore(marked({ pods: [ended], volumes: [volume('a')] }, known), 2);
      expect(steps.map(({ step }) => step)).toMatchObject([{ do: 'deletePod', name: 'a' }]);
      const going = { ...ended, terminating: true };
      expect(planRestore(marked({ pods: [going], volumes: [volume('a')] }, known), 2)).toMatchObject({
        steps: [],
        report: { phase: 'SavingPresent', reason: 'waiting for pod/a to stop' },
      });
    }
  });

  test('asks whom to take where a pod without a volume does not answer, unless its data ended with its node', () => {
    const decide = (mayHoldData: boolean) => {
      const unreachable = pod('b', { onVolume: false }, { mayHoldData });
      const pods = [pod('a', { onVolume: false, answer: { ...answer, hasLeader: false } }), unreachable];
      return planRestore(marked({ pods, volumes: [] }), 2);
    };
    // The member may be restarting, and it may have the most data.
    const unreachable = decide(true);
    expect(unreachable).toMatchObject({ steps: [], report: { phase: 'SavingPresent' } });
    expect(unreachable.report?.reason).toContain('waiting for etcd in pod/b to answer');
    expect(outlasted(unreachable, 30_000).report?.failure).toContain('member b cannot be read (');
    expect(decide(false).report?.source).toMatchObject({ path: 'pod/a', survivor: { member: 'a', index: 99 } });
  });

  test('passes over no member that is unreachable for a moment, also where a person has named another', () => {
    const pods = [
      pod('a', { onVolume: false, answer: { ...answer, hasLeader: false } }),
      pod('b', { onVolume: false }, { mayHoldData: true }),
    ];
    const seen = marked({ pods, volumes: [] });
    const plan = planRestore({ ...seen, restore: { ...seen.restore, survivor: { member: 'a' } } }, 2);
    expect(plan.report?.source).toBeUndefined();
    const { source } = outlasted(plan, 30_000).report ?? {};
    expect(source?.survivor).toMatchObject({ member: 'a', warning: expect.stringContaining('member b') });
  });

  test('creates the first member while etcd starts on the copies, with revisions that are high enough whoever is chosen', () => {
    const read = (name: string, newestEntry: number, highestRevision?: number) =>
      reader(name, {
        reading: { ...log(name, 2, 9, ['a', 'b']), newestEntry, ...(highestRevision && { highestRevision }) },
      });
    const decide = (change: Partial<RestoreObservation>) =>
      planRestore(marked({ volumes: [volume('a'), volume('b')], ...change }), 2);
    const { steps, report } = decide({ pods: [read('a', 70, 95), read('b', 80, 90)] });
    expect(steps.map(({ step }) => step)).toMatchObject([
      { do: 'createSecret' },
      { do: 'createSeed', data: { revision: 95, newestEntry: 70 } },
    ]);
    expect(report).toMatchObject({ phase: 'SavingPresent', reason: expect.stringContaining('to serve a copy') });
    expect(report?.source).toBeUndefined();
    // Not before all volumes are read, and not if a reader does not report the highest revision of its log.
    expect(decide({ pods: [read('a', 70, 95), reader('b', {})] }).steps).toEqual([]);
    expect(decide({ pods: [read('a', 70, 95), read('b', 80)] }).steps).toEqual([]);
    const otherOwnerPods = [{ name: 'other', node: 'n1', isOnLostNode: false }];
    expect(decide({ pods: [read('a', 70, 95), read('b', 80, 90)], otherOwnerPods }).steps).toEqual([]);
    const unreadable = reader('b', { reading: { kind: 'unreadable', why: 'it is damaged' } });
    expect(decide({ pods: [read('a', 70, 95), unreadable] }).report?.failure).toContain('it is damaged');
  });

  test('creates the first member once one is chosen and serves', () => {
    const source: SourceFacts = { ...pending, verified: 'Survivor', survivor: { member: 'a', term: 2, index: 9 } };
    const pods = [reader('a', { reading: log('a', 2, 9), answer })];
    const { steps } = planRestore(marked({ pods, volumes: [volume('a')] }, source), 2);
    expect(steps.map(({ step }) => step.do)).toEqual(['createSecret', 'createSeed']);
  });
});
