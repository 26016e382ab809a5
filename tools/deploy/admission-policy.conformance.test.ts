// SPDX-License-Identifier: Apache-2.0
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, refusalOf, successOf } from '../../test/conformance/answer.ts';
import type { Backend } from '../../test/conformance/backend.ts';
import { startLabBackend } from '../../test/conformance/backend-lab.ts';
import { startRealBackend } from '../../test/conformance/backend-real.ts';
import { Trial } from '../../test/conformance/trial.ts';
import { type Desk, install, openDesk } from './testing/policy-desk.ts';

const ours = 'etcd.database.coreos.com';
const verb = 'Leave it as it is; the verb "operate" on etcdclusters is for operators.';
const refusalFor = (...changes: string[]) => `Only the etcd operator can change this: ${changes.join(', ')}. ${verb}`;

/** The server adds its own text to the policy's message. */
const saidOf = (answer: Answer) => {
  const { code, message } = refusalOf(answer);
  return { code, message };
};
const forbidden = (words: string) => ({ code: 403, message: expect.stringContaining(words) });
const labels = (changes: object) => ({ metadata: { labels: changes } });
const annotations = (changes: object) => ({ metadata: { annotations: changes } });

test('kube-lab keeps the policies as it keeps other objects', async () => {
  await using backend = await startLabBackend();
  await using trial = new Trial(backend);
  await install(trial);
  const path = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings';
  const { items } = await trial.list(path);
  expect(items.map(({ metadata }) => metadata.name)).toEqual(['etcd-operator-identity', 'etcd-operator-objects']);
});

describe('with the admission policy', () => {
  let backend: Backend;
  let trial: Trial;
  let desk: Desk;

  beforeAll(async () => {
    backend = await startRealBackend(['validatingadmissionpolicy-status-controller']);
    trial = new Trial(backend);
    await install(trial);
    desk = await openDesk(trial);
    // The server evaluates a new policy only after a moment.
    await trial.eventually(async () => {
      saidOf(await desk.tenant.patch(`${desk.pod}?dryRun=All`, 'merge', annotations({ [`${ours}/x`]: 'y' })));
      saidOf(await desk.tenant.patch(`${desk.cluster}/status?dryRun=All`, 'merge', { status: { clusterID: 'y' } }));
    });
  });
  afterAll(async () => {
    await trial?.[Symbol.asyncDispose]();
    await backend?.[Symbol.asyncDispose]();
  });

  test('the API server finds nothing to say about its expressions', async () => {
    for (const suffix of ['objects', 'identity']) {
      const path = `/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/etcd-operator-${suffix}`;
      const { status } = await trial.eventually(async () => {
        const policy = await trial.read(path);
        expect(policy.status).toHaveProperty('typeChecking');
        return policy;
      });
      expect(status).toEqual({ observedGeneration: 1, typeChecking: {} });
    }
  });

  describe('a tenant who may edit pods cannot', () => {
    test('change or remove what the operator notes on a pod', async () => {
      const change = await desk.tenant.patch(desk.pod, 'merge', annotations({ [`${ours}/member-id`]: 'ff' }));
      expect(saidOf(change)).toEqual(
        forbidden(refusalFor(`annotation ${ours}/member-id=${desk.memberId}`, `annotation ${ours}/member-id=ff`)),
      );
      for (const wrong of [
        labels({ [`${ours}/voter`]: null }),
        labels({ [`${ours}/image-check`]: 'example' }),
        labels({ etcd_cluster: 'other' }),
        labels({ etcd_node: null }),
        labels({ app: 'mine' }),
        annotations({ 'etcd.version': '9.9.9' }),
        annotations({ [`${ours}/initial-cluster-state`]: 'new' }),
        { metadata: { ownerReferences: null } },
      ])
        expect(saidOf(await desk.tenant.patch(desk.pod, 'merge', wrong))).toEqual(forbidden('Only the etcd operator'));
    });

    test('do so on the way round by the status of the pod', async () => {
      const wrong = annotations({ [`${ours}/member-id`]: 'ff' });
      expect(saidOf(await desk.tenant.patch(`${desk.pod}/status`, 'merge', wrong))).toEqual(
        forbidden(`annotation ${ours}/member-id=ff`),
      );
    });

    test('do so on the way round by binding the pod to a node', async () => {
      const body = {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name: desk.podName, annotations: { [`${ours}/member-id`]: 'ff' } },
        target: { apiVersion: 'v1', kind: 'Node', name: 'n' },
      };
      expect(saidOf(await desk.tenant.post(`${desk.pod}/binding`, body))).toEqual(
        forbidden(refusalFor(`annotation ${ours}/member-id=ff`)),
      );
    });

    test('create a pod or a volume that looks like one of the operator', async () => {
      const pod = { metadata: { name: 'x', labels: { [`${ours}/image-check`]: 'example' } }, spec: desk.podSpec };
      expect(saidOf(await desk.tenant.post(desk.pods, pod))).toEqual(
        forbidden(refusalFor(`label ${ours}/image-check=example`)),
      );
      const claim = {
        metadata: { name: 'x', labels: { [`${ours}/kept-by-restore`]: 'uid' } },
        spec: desk.claimSpec,
      };
      expect(saidOf(await desk.tenant.post(desk.claims, claim))).toEqual(
        forbidden(refusalFor(`label ${ours}/kept-by-restore=uid`)),
      );
    });

    test('mark a volume as kept by a restore, or take the mark off', async () => {
      const mark = `${ours}/kept-by-restore`;
      expect(saidOf(await desk.tenant.patch(desk.claim, 'merge', labels({ [mark]: 'uid' })))).toEqual(
        forbidden(refusalFor(`label ${mark}=uid`)),
      );
      expect(saidOf(await desk.tenant.patch(desk.keptClaim, 'merge', labels({ [mark]: null })))).toEqual(
        forbidden(refusalFor(`label ${mark}=restore-uid`)),
      );
    });

    test('take a Service from its cluster', async () => {
      for (const wrong of [labels({ etcd_cluster: 'other' }), { metadata: { ownerReferences: [] } }])
        expect(saidOf(await desk.tenant.patch(desk.service, 'merge', wrong))).toEqual(
          forbidden('Only the etcd operator'),
        );
    });

    test('change the identity of a cluster', async () => {
      for (const field of ['clusterID', 'incarnation', 'restore'] as const) {
        const values = { clusterID: 'ff', incarnation: 7, restore: { name: 'r', uid: 'u' } };
        const wrong = { status: { [field]: values[field] } };
        expect(saidOf(await desk.tenant.patch(`${desk.cluster}/status`, 'merge', wrong))).toEqual(
          forbidden(`Only the etcd operator can change status.${field}: it says which data the cluster has.`),
        );
      }
      const gone = { status: { clusterID: null } };
      expect(saidOf(await desk.tenant.patch(`${desk.cluster}/status`, 'merge', gone))).toEqual(
        forbidden('Only the etcd operator can change status.clusterID'),
      );
      expect(
        saidOf(await desk.tenant.patch(desk.cluster, 'merge', annotations({ [`${ours}/cluster-id`]: 'ff' }))),
      ).toEqual(forbidden(`annotation ${ours}/cluster-id=ff`));
    });

    test('make himself an operator', async () => {
      const roles = `/apis/rbac.authorization.k8s.io/v1/namespaces/${desk.namespace}/roles`;
      const rules = [{ apiGroups: [ours], resources: ['etcdclusters'], verbs: ['operate'] }];
      const answer = await desk.tenant.post(roles, { metadata: { name: 'mine' }, rules });
      expect(saidOf(answer)).toEqual(forbidden('attempting to grant RBAC permissions not currently held'));
    });
  });

  test('the kubelet cannot change what the operator notes', async () => {
    const wrong = annotations({ [`${ours}/member-id`]: 'ff' });
    expect(saidOf(await desk.kubelet.patch(`${desk.pod}/status`, 'merge', wrong))).toEqual(
      forbidden(`annotation ${ours}/member-id=ff`),
    );
  });

  describe('it does not get in the way of', () => {
    test.each(['everywhere', 'of the namespace'] as const)('the operator %s', async (which) => {
      const operator = desk.operators[which];
      const dry = '?dryRun=All';
      for (const [path, change] of [
        [desk.pod, annotations({ [`${ours}/member-id`]: 'ff', 'etcd.version': '3.7.3' })],
        [desk.pod, labels({ app: null, [`${ours}/voter`]: 'true' })],
        [desk.claim, labels({ [`${ours}/kept-by-restore`]: 'uid' })],
        [desk.service, labels({ etcd_cluster: 'other' })],
        [desk.cluster, annotations({ [`${ours}/cluster-id`]: 'ff' })],
        [`${desk.cluster}/status`, { status: { clusterID: 'ff', incarnation: 2 } }],
      ] as const)
        expect(successOf(await operator.patch(`${path}${dry}`, 'merge', change))).toHaveProperty('kind');
      const pod = { metadata: { name: 'x', labels: { [`${ours}/image-check`]: 'example' } }, spec: desk.podSpec };
      expect(successOf(await operator.post(`${desk.pods}${dry}`, pod))).toHaveProperty('kind');
    });

    test('a tenant’s own labels, annotations and settings', async () => {
      expect(successOf(await desk.tenant.patch(desk.pod, 'merge', labels({ team: 'a' })))).toHaveProperty('kind');
      expect(successOf(await desk.tenant.patch(desk.pod, 'merge', annotations({ note: 'b' })))).toHaveProperty('kind');
      expect(
        successOf(
          await desk.tenant.patch(desk.claim, 'merge', { spec: { resources: { requests: { storage: '1Gi' } } } }),
        ),
      ).toHaveProperty('kind');
      expect(
        successOf(await desk.tenant.patch(desk.service, 'merge', annotations({ 'example.com/lb': 'internal' }))),
      ).toHaveProperty('kind');
      expect(successOf(await desk.tenant.patch(desk.cluster, 'merge', { spec: { size: 5 } }))).toHaveProperty('kind');
      expect(
        successOf(await desk.tenant.patch(desk.cluster, 'merge', annotations({ [`${ours}/scope`]: 'clusterwide' }))),
      ).toHaveProperty('kind');
      expect(
        successOf(await desk.tenant.patch(`${desk.cluster}/status`, 'merge', { status: { reason: 'mine' } })),
      ).toHaveProperty('kind');
    });

    test('pods that have nothing to do with etcd', async () => {
      const pod = { metadata: { name: 'web', labels: { app: 'etcd' }, annotations: { 'etcd.version': '1' } } };
      expect(successOf(await desk.tenant.post(desk.pods, { ...pod, spec: desk.podSpec }))).toHaveProperty('kind');
      const change = { metadata: { labels: { app: 'web' }, annotations: { 'etcd.version': '2' } } };
      expect(successOf(await desk.tenant.patch(`${desk.pods}/web`, 'merge', change))).toHaveProperty('kind');
    });

    test('the kubelet and the scheduler', async () => {
      const ready = { status: { conditions: [{ type: 'Ready', status: 'True' }] } };
      expect(successOf(await desk.kubelet.patch(`${desk.pod}/status`, 'strategic', ready))).toHaveProperty('kind');
      const body = {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name: desk.keptPodName },
        target: { apiVersion: 'v1', kind: 'Node', name: 'n' },
      };
      expect(successOf(await desk.scheduler.post(`${desk.pods}/${desk.keptPodName}/binding`, body))).toHaveProperty(
        'kind',
      );
    });

    test('CoreOS’s operator, whose clusters are not adopted yet', async () => {
      const pod = { ...desk.coreosPod, metadata: { ...desk.coreosPod.metadata, name: 'example-0001' } };
      expect(successOf(await desk.tenant.post(desk.pods, pod))).toHaveProperty('kind');
      expect(
        successOf(
          await desk.tenant.patch(`${desk.pods}/example-0001`, 'merge', annotations({ 'etcd.version': '3.2.14' })),
        ),
      ).toHaveProperty('kind');
    });

    test('the garbage collector, which lets objects go whose cluster is deleted without them', async () => {
      expect(
        successOf(
          await desk.collector.patch(`${desk.service}?dryRun=All`, 'merge', { metadata: { ownerReferences: null } }),
        ),
      ).toHaveProperty('kind');
    });

    test('deleting: an account with the right to delete a pod or a volume needs no operator for it', async () => {
      expect(successOf(await desk.tenant.delete(`${desk.keptClaim}?dryRun=All`))).toHaveProperty('kind');
      expect(successOf(await desk.tenant.delete(`${desk.pod}?dryRun=All`))).toHaveProperty('kind');
    });
  });
});
