// SPDX-License-Identifier: Apache-2.0
import {
  type Client,
  createClient,
  KubeError,
  namespaces,
  type PersistentVolumeClaim,
  type PersistentVolumeClaimSpec,
  type Pod,
  type PodDisruptionBudget,
  persistentVolumeClaims,
  podDisruptionBudgets,
  pods,
  services,
} from '@operator-parts/kube';
import { createApiServer } from '@operator-parts/kube-lab';
import { beforeEach, describe, expect, test } from 'vitest';
import type { EtcdCluster } from '../../api/etcd-cluster.ts';
import { annotations, clearedInitialCluster, labels } from '../../api/names.ts';
import { ownerOf } from '../objects/owner.ts';
import { volumeClaim } from '../objects/volume-claim.ts';
import { budgetFacts } from '../observe/service-facts.ts';
import type { CreatePod, Step } from '../plan/step.ts';
import { act } from './act.ts';
import type { ActContext } from './act-context.ts';
import { deletePod } from './object-steps.ts';
import { clearBootstrap, createMember, type NewMember, updatePod } from './pod-steps.ts';
import { contextOf } from './testing/context-of.ts';

const claim: PersistentVolumeClaimSpec = {
  accessModes: ['ReadWriteOnce'],
  resources: { requests: { storage: '1Gi' } },
};
let context: ActContext;

beforeEach(async () => {
  const client = createClient(createApiServer({}).transport());
  await client.resource(namespaces).create({ metadata: { name: 'ns' } });
  const cluster: EtcdCluster = {
    apiVersion: 'etcd.database.coreos.com/v1beta2',
    kind: 'EtcdCluster',
    metadata: { name: 'c', namespace: 'ns', uid: 'u1' },
    spec: { size: 3, pod: { persistentVolumeClaimSpec: claim } },
  };
  context = contextOf(client, cluster);
});

const getPod = (): Promise<Pod> => context.client.resource(pods).get({ namespace: 'ns', name: 'c-m1' });

async function seed(): Promise<Pod> {
  await createMember({ name: 'c-m1', incarnation: 1, boot: { state: 'new' }, release: context.desired }, context);
  return getPod();
}

const stepFor = ({ metadata = {} }: Pod) =>
  ({
    do: 'clearBootstrap',
    pod: 'c-m1',
    uid: metadata.uid ?? '',
    resourceVersion: metadata.resourceVersion ?? '',
    clusterId: 'c1',
    memberId: 'm1',
    markVoter: true,
    onVolume: true,
    version: '3.6.16',
  }) as const;

/** A client of an API server that accepts no more pods because its ResourceQuota is used up. */
function fullFor(client: Client, refusal: KubeError): Client {
  const resource: Client['resource'] = (kind) => {
    const found = client.resource(kind);
    return Object.assign(Object.create(found), {
      create: () => Promise.reject(refusal),
      delete: found.delete.bind(found),
    });
  };
  return { ...client, resource };
}

describe('steps on pods, against an API server', () => {
  test('a member is made with its volume first, and making it again changes nothing', async () => {
    const first = await seed();
    const volume = await context.client.resource(persistentVolumeClaims).get({ namespace: 'ns', name: 'c-m1' });
    expect(volume.metadata?.labels?.[labels.cluster]).toBe('c');
    expect(await seed()).toEqual(first);
  });

  test('operator rule 1: clearing the bootstrap configuration takes the boot values away and records who the member is, on the volume too', async () => {
    expect(await clearBootstrap(stepFor(await seed()), context)).toEqual({ kind: 'done' });
    const { metadata } = await getPod();
    expect(metadata?.annotations?.[annotations.initialCluster]).toBe(clearedInitialCluster);
    expect(metadata?.annotations?.[annotations.memberId]).toBe('m1');
    expect(metadata?.labels?.[labels.voter]).toBe('true');
    const volume = await context.client.resource(persistentVolumeClaims).get({ namespace: 'ns', name: 'c-m1' });
    expect(volume.metadata?.annotations?.[annotations.clusterId]).toBe('c1');
  });

  test("a living pod gets the labels and annotations of the spec, but none of the operator's own", async () => {
    const before = await seed();
    const entries = { [labels.incarnation]: '99', [labels.imageCheck]: 'c', [annotations.memberId]: '1', mine: 'a' };
    const spec = { ...context.cluster.spec, pod: { labels: entries, annotations: entries } };
    const step = { do: 'updatePod', name: 'c-m1', uid: before.metadata?.uid ?? '', fields: ['labels'] } as const;
    await updatePod(step, { ...context, cluster: { ...context.cluster, spec } });
    const { metadata } = await getPod();
    expect(metadata?.labels).toEqual({ ...before.metadata?.labels, mine: 'a' });
    const origin = { [annotations.fromSpec]: '{"labels":["mine"],"annotations":["mine"]}' };
    expect(metadata?.annotations).toEqual({ ...before.metadata?.annotations, mine: 'a', ...origin });
    await updatePod(step, context);
    const after = await getPod();
    expect(after.metadata?.labels).toEqual(before.metadata?.labels);
    expect(after.metadata?.annotations).toEqual(before.metadata?.annotations);
  });

  test('operator rule 3: the seed pod records the version the cluster is bootstrapped with', async () => {
    await clearBootstrap({ ...stepFor(await seed()), bootstrapVersion: '3.6.16' }, context);
    expect((await getPod()).metadata?.annotations?.[annotations.bootstrapVersion]).toBe('3.6.16');
  });

  test('operator rule 9: a joining member starts with the present member list, in which members that have not started have the names of their pods', async () => {
    const listed = (id: string, name: string, podName: string) => ({
      id,
      name,
      podName,
      peerURLs: [`http://${podName}.c.ns.svc:2380`],
      isLearner: name === '',
      seenSince: 0,
    });
    const { metadata } = await seed();
    const members = [listed('1', 'c-m0', 'c-m0'), listed('2', '', 'c-m1')];
    const step = { do: 'renewBootList', pod: 'c-m1', uid: metadata?.uid ?? '' } as const;
    expect(await act(step, { ...context, members })).toEqual({ kind: 'done' });
    expect((await getPod()).metadata?.annotations?.[annotations.initialCluster]).toBe(
      'c-m0=http://c-m0.c.ns.svc:2380,c-m1=http://c-m1.c.ns.svc:2380',
    );
    expect(await act({ ...step, uid: 'another' }, { ...context, members })).toMatchObject({ kind: 'refused' });
  });

  const replacement = (uid: string): Step => {
    const { version, image } = context.desired;
    const member = { name: 'c-m1', incarnation: 1, memberId: 'm1', onVolume: true, asRoot: false, version, image };
    const successor: CreatePod = { do: 'createPod', boot: 'cleared', rollbackTo: undefined, ...member };
    return { do: 'deletePod', name: 'c-m1', uid, force: false, successor };
  };
  /** Passes the schema of an EtcdCluster, but the API server refuses a pod with it. */
  const withBadToleration = (): ActContext => {
    const tolerations = [{ key: 'a', operator: 'Exists', value: 'v' }] as const;
    const spec = { ...context.cluster.spec, pod: { ...context.cluster.spec.pod, tolerations } };
    return { ...context, cluster: { ...context.cluster, spec } };
  };

  test('safety rule 10: a pod that works is kept if the API server would refuse the one that follows it', async () => {
    const { metadata } = await seed();
    const refused = await act(replacement(metadata?.uid ?? ''), withBadToleration());
    expect(refused).toMatchObject({
      kind: 'impossible',
      why: expect.stringMatching(/^pod\/c-m1 is kept: the API server would refuse its new pod: .*value must be empty/),
    });
    expect((await getPod()).metadata?.deletionTimestamp).toBeUndefined();
  });

  test('safety rule 5: no voter is added to etcd whose pod the API server would refuse', async () => {
    const { version, image } = context.desired;
    const step = { do: 'joinMember', name: 'c-m2', incarnation: 1, learner: false, version, image } as const;
    expect(await act(step, withBadToleration())).toMatchObject({
      kind: 'impossible',
      why: expect.stringMatching(
        /^member c-m2 is not added: the API server would refuse its pod: .*value must be empty/,
      ),
    });
  });

  test('safety rule 10: one whose successor would be taken is deleted, also where a quota has room for no other', async () => {
    const { metadata } = await seed();
    const message = 'pods "c-m1" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1';
    const full = fullFor(context.client, new KubeError('Forbidden', message, { httpStatus: 403 }));
    expect(await act(replacement(metadata?.uid ?? ''), { ...context, client: full })).toEqual({ kind: 'done' });
    await expect(getPod()).rejects.toMatchObject({ code: 'NotFound' });
  });

  test('a pod that was changed meanwhile is not cleared on an old view', async () => {
    const seen = await seed();
    await context.client
      .resource(pods)
      .patch({ namespace: 'ns', name: 'c-m1' }, { type: 'merge', patch: { metadata: { labels: { x: 'y' } } } });
    expect((await clearBootstrap(stepFor(seen), context)).kind).toBe('refused');
    expect((await getPod()).metadata?.annotations?.[annotations.initialClusterState]).toBe('new');
  });

  test('a pod of the same name and another UID is neither cleared nor deleted', async () => {
    const seen = await seed();
    const other: Pod = { ...seen, metadata: { ...seen.metadata, uid: 'another' } };
    expect((await clearBootstrap(stepFor(other), context)).kind).toBe('refused');
    expect((await deletePod({ do: 'deletePod', name: 'c-m1', uid: 'another', force: true }, context)).kind).toBe(
      'refused',
    );
    expect((await getPod()).metadata?.uid).toBe(seen.metadata?.uid);
  });

  test('a volume of the same name and another UID is not deleted', async () => {
    const key = { name: 'c-m1', namespace: 'ns' };
    const volumes = context.client.resource(persistentVolumeClaims);
    const { metadata } = await volumes.create({ metadata: key, spec: claim });
    const step = { do: 'deleteVolume', name: 'c-m1', uid: 'another' } as const;
    expect((await act(step, context)).kind).toBe('refused');
    expect((await volumes.get(key)).metadata?.uid).toBe(metadata?.uid);
  });

  test('deleting a pod that is gone is done already', async () => {
    expect(await deletePod({ do: 'deletePod', name: 'c-m9', uid: 'x', force: false }, context)).toEqual({
      kind: 'done',
    });
  });
});

describe('what the caches do not show, because it lacks the labels', () => {
  const place = { namespace: 'ns', name: 'c-m1' };
  const remove = { do: 'removeMember', memberId: 'm1', name: 'c-m1', because: 'dead' } as const;
  const withoutLabel = { type: 'merge', patch: { metadata: { labels: { [labels.cluster]: null } } } } as const;
  const labelsOf = (found: { readonly metadata?: { readonly labels?: Readonly<Record<string, string>> } }) =>
    found.metadata?.labels?.[labels.cluster];

  /** Makes the observation of the plan equal to what exists now. */
  async function look(): Promise<void> {
    const found = [await getPod(), await context.client.resource(persistentVolumeClaims).get(place)];
    context = { ...context, seen: new Set(found.map(({ metadata }) => metadata?.uid ?? '')) };
  }

  test('fault 42: a member is not removed as dead while its pod or its volume is there and the cache does not show it', async () => {
    const { metadata } = await seed();
    expect(await act(remove, context)).toMatchObject({
      kind: 'refused',
      why: expect.stringContaining("was not in the operator's cache yet"),
    });
    context = { ...context, seen: new Set([metadata?.uid ?? '']) };
    expect(await act(remove, context)).toMatchObject({
      kind: 'refused',
      why: expect.stringContaining('its PersistentVolumeClaim exists'),
    });
    await look();
    await expect(act(remove, context)).rejects.toThrow('no voter is reachable');
    // The pod is now another one than the observed one.
    await context.client.resource(pods).delete(place, { gracePeriodSeconds: 0 });
    await seed();
    expect(await act(remove, context)).toMatchObject({ kind: 'refused' });
  });

  test('a member that leaves because the cluster shrinks goes without a further look', async () => {
    await seed();
    await expect(act({ ...remove, because: 'scale' }, context)).rejects.toThrow('no voter is reachable');
  });

  test('a pod and a volume get their labels back, and their member is not removed', async () => {
    await seed();
    await context.client.resource(pods).patch(place, withoutLabel);
    await context.client.resource(persistentVolumeClaims).patch(place, withoutLabel);
    expect(await act(remove, context)).toMatchObject({ kind: 'refused' });
    expect(labelsOf(await getPod())).toBe('c');
    expect(labelsOf(await context.client.resource(persistentVolumeClaims).get(place))).toBe('c');
  });

  test("an isolated pod stays isolated, and another owner's pod of that name is left alone", async () => {
    const isolated = await seed();
    await context.client
      .resource(pods)
      .patch(place, { type: 'merge', patch: { metadata: { labels: { [labels.app]: null } } } });
    await look();
    // No label is missing, so etcd is asked. No member runs in this test.
    await expect(act(remove, context)).rejects.toThrow('no voter is reachable');
    expect((await getPod()).metadata?.labels?.[labels.app]).toBeUndefined();
    await context.client.resource(pods).delete(place, { preconditions: { uid: isolated.metadata?.uid ?? '' } });
    await context.client
      .resource(pods)
      .create({ metadata: place, spec: { containers: [{ name: 'web', image: 'web' }] } });
    await expect(act(remove, context)).rejects.toThrow('no voter is reachable');
    expect(labelsOf(await getPod())).toBeUndefined();
  });

  test('a pod that is there already is not made again at once', async () => {
    await seed();
    await context.client.resource(pods).patch(place, withoutLabel);
    const member = { name: 'c-m1', incarnation: 1, boot: { state: 'cleared' }, release: context.desired } as const;
    expect(await createMember(member, context)).toMatchObject({ kind: 'refused' });
    expect(labelsOf(await getPod())).toBe('c');
  });

  test('safety rule 12: a Service and a PodDisruptionBudget of another owner under our names are left as they are', async () => {
    const selector = { app: 'web' };
    const service = await context.client
      .resource(services)
      .create({ metadata: { namespace: 'ns', name: 'c-client' }, spec: { selector, ports: [{ port: 80 }] } });
    const budget = await context.client.resource(podDisruptionBudgets).create({
      metadata: { namespace: 'ns', name: 'c' },
      spec: { maxUnavailable: 1, selector: { matchLabels: selector } },
    });
    const outcomes = [
      await act({ do: 'ensureService', which: 'client' }, context),
      await act({ do: 'ensureBudget', minAvailable: 2 }, context),
    ];
    for (const outcome of outcomes)
      expect(outcome).toMatchObject({ kind: 'impossible', why: expect.stringContaining('another owner') });
    expect(await context.client.resource(services).get({ namespace: 'ns', name: 'c-client' })).toEqual(service);
    expect(await context.client.resource(podDisruptionBudgets).get({ namespace: 'ns', name: 'c' })).toEqual(budget);
    expect(await act({ do: 'ensureService', which: 'peer' }, context)).toEqual({ kind: 'done' });
  });
});

describe("safety rule 12: a volume of that name that is not the member's", () => {
  const place = { namespace: 'ns', name: 'c-m1' };
  const volumes = () => context.client.resource(persistentVolumeClaims);
  const made = volumeClaim(
    { name: 'c', namespace: 'ns', uid: 'u1' },
    { name: 'c-m1', incarnation: 1 },
    { version: '3.6.16', peerTLS: false, clientTLS: false },
    claim,
  );
  const fresh = { name: 'c-m1', incarnation: 1, boot: { state: 'existing', members: [] } } as const;
  const withData = { name: 'c-m1', incarnation: 1, boot: { state: 'cleared' }, onVolume: true } as const;
  const identity = { clusterId: 'c1', memberId: 'm1' };
  const annotated = (notes: Readonly<Record<string, string>>) => ({
    ...made,
    metadata: { ...made.metadata, annotations: { ...made.metadata?.annotations, ...notes } },
  });
  const ofMember = (clusterId: string, memberId: string) =>
    annotated({ [annotations.clusterId]: clusterId, [annotations.memberId]: memberId });
  const create = (member: Omit<NewMember, 'release'>) => createMember({ ...member, release: context.desired }, context);
  const podsThere = async () => (await context.client.resource(pods).list({ namespace: 'ns' })).items.length;

  type Case = readonly [string, PersistentVolumeClaim, string];
  const others: readonly Case[] = [
    [
      'of nobody',
      { ...made, metadata: { ...made.metadata, ownerReferences: [] } },
      'does not belong to this EtcdCluster',
    ],
    [
      'of an earlier cluster of that name',
      {
        ...made,
        metadata: { ...made.metadata, ownerReferences: [ownerOf({ name: 'c', namespace: 'ns', uid: 'u0' })] },
      },
      'does not belong to this EtcdCluster',
    ],
    [
      'of another incarnation',
      { ...made, metadata: { ...made.metadata, labels: { ...made.metadata?.labels, [labels.incarnation]: '2' } } },
      'belongs to incarnation 2 of this cluster, not to incarnation 1',
    ],
  ];

  test.each<Case>([
    ...others,
    ['with the data of another member', ofMember('c1', 'm0'), 'holds data of another member: m0 of etcd cluster c1'],
  ])('%s is not mounted by a new member', async (_whose, there, why) => {
    const before = await volumes().create(there);
    expect(await create(fresh)).toMatchObject({ kind: 'impossible', why: expect.stringContaining(why) });
    expect(await podsThere()).toBe(0);
    expect(await volumes().get(place)).toEqual(before);
  });

  test.each<Case>([
    ...others,
    ['of another member', ofMember('c1', 'm0'), 'holds data of another member: m0'],
    ['of another etcd cluster', ofMember('c0', 'm1'), 'of etcd cluster c0'],
  ])('%s is not mounted by a member that comes back to its data', async (_whose, there, why) => {
    await volumes().create(there);
    expect(await create({ ...withData, identity })).toMatchObject({
      kind: 'impossible',
      why: expect.stringContaining(why),
    });
    expect(await podsThere()).toBe(0);
  });

  test("the member's own is mounted, and none is made for data that is gone", async () => {
    expect(await create({ ...withData, identity })).toEqual({
      kind: 'refused',
      why: 'PersistentVolumeClaim c-m1 no longer exists.',
    });
    expect((await volumes().list({ namespace: 'ns' })).items).toEqual([]);
    await volumes().create(ofMember('c1', 'm1'));
    expect(await create({ ...withData, identity })).toEqual({ kind: 'done' });
  });

  test.each<Case>(others)('%s gets nothing written on it, and its pod neither', async (_whose, there, why) => {
    const pod = await seed();
    const { ownerReferences, labels: its } = there.metadata ?? {};
    const patch = { metadata: { ownerReferences, labels: its } };
    const before = await volumes().patch(place, { type: 'merge', patch });
    expect(await clearBootstrap(stepFor(pod), context)).toMatchObject({
      kind: 'impossible',
      why: expect.stringContaining(why),
    });
    expect(await volumes().get(place)).toEqual(before);
    expect((await getPod()).metadata?.annotations?.[annotations.initialClusterState]).toBe('new');
  });
});

describe('a disruption budget that is no longer wanted', () => {
  const place = { namespace: 'ns', name: 'c' };
  const budgets = () => context.client.resource(podDisruptionBudgets);

  test('is deleted if it is ours, by its UID', async () => {
    await act({ do: 'ensureBudget', minAvailable: 2 }, context);
    expect(await act({ do: 'deleteBudget' }, context)).toEqual({ kind: 'done' });
    expect((await budgets().list({ namespace: 'ns' })).items).toEqual([]);
    expect(await act({ do: 'deleteBudget' }, context)).toEqual({ kind: 'done' });
  });

  test('is left as it is if another client has made another one in its place', async () => {
    const selector = { matchLabels: { app: 'web' } };
    const theirs = await budgets().create({ metadata: place, spec: { maxUnavailable: 1, selector } });
    await act({ do: 'deleteBudget' }, context);
    expect(await budgets().get(place)).toEqual(theirs);
  });
});

describe('a budget of ours that was changed by hand', () => {
  const place = { namespace: 'ns', name: 'c' };
  const owned = (found: PodDisruptionBudget | undefined) => budgetFacts(found, { ...place, uid: 'u1' });
  const step = { do: 'ensureBudget', minAvailable: 2 } as const;

  test.each([
    ['counts in another way', { spec: { minAvailable: null, maxUnavailable: 1 } }],
    ['counts fewer pods', { spec: { selector: { matchLabels: { tier: 'db' } } } }],
  ])('and that %s is noticed and recreated', async (_what, patch) => {
    const budgets = context.client.resource(podDisruptionBudgets);
    await act(step, context);
    const before = await budgets.get(place);
    expect(owned(before)).toEqual({ minAvailable: 2, otherOwner: false });
    const changed = await budgets.patch(place, { type: 'merge', patch }, { fieldManager: 'somebody' });
    expect(owned(changed)).toMatchObject({ otherOwner: false, drifted: true });
    expect(await act(step, context)).toEqual({ kind: 'done' });
    expect((await budgets.get(place)).spec).toEqual(before.spec);
    expect(owned(await budgets.get(place))).toEqual({ minAvailable: 2, otherOwner: false });
  });
});
