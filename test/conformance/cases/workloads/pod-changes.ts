// SPDX-License-Identifier: Apache-2.0
import { expect } from 'vitest';
import { badRequest, refusalOf, successOf } from '../../answer.ts';
import type { Stored } from '../../caller.ts';
import { invalid } from '../../invalid.ts';
import type { Subject, Trial } from '../../trial.ts';

const podsIn = (namespace: string) => `/api/v1/namespaces/${namespace}/pods`;

/** A Pod named p; resolves with its namespace and path. */
async function somePod(t: Trial, spec: object = {}, metadata: object = {}): Promise<{ ns: string; path: string }> {
  const ns = await t.podNamespace();
  const containers = [{ name: 'c', image: 'i:1' }];
  const body = { automountServiceAccountToken: false, containers, ...spec };
  await t.make(podsIn(ns), { metadata: { name: 'p', ...metadata }, spec: body });
  return { ns, path: `${podsIn(ns)}/p` };
}

const allowed =
  'Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,' +
  '`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),' +
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\n';

const resources = (cpu: string, memory = '64Mi') => ({ requests: { cpu, memory } });
const eviction = (more: object = {}) => ({
  apiVersion: 'policy/v1',
  kind: 'Eviction',
  metadata: { name: 'p' },
  ...more,
});

/** A PodDisruptionBudget for the Pods labelled app=a that allows this many disruptions. */
async function budget(t: Trial, ns: string, disruptionsAllowed: number): Promise<void> {
  const path = `/apis/policy/v1/namespaces/${ns}/poddisruptionbudgets`;
  const spec = { minAvailable: 1, selector: { matchLabels: { app: 'a' } } };
  await t.make(path, { metadata: { name: 'b' }, spec });
  const status = {
    disruptionsAllowed,
    currentHealthy: 1 + disruptionsAllowed,
    desiredHealthy: 1,
    expectedPods: 1 + disruptionsAllowed,
    observedGeneration: 1,
  };
  successOf(await t.patch(`${path}/b/status`, 'merge', { status }));
}

const ready = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };

/** Operations on an existing Pod: change, resize, bind, evict, delete. */
export const podChanges: Subject = {
  name: 'changes of Pods',
  cases: {
    'the image, labels, annotations and owners can be changed': async (t) => {
      const { path } = await somePod(t);
      const ownerReferences = [{ apiVersion: 'v1', kind: 'X', name: 'o', uid: '1' }];
      const patch = {
        metadata: { labels: { a: 'b' }, annotations: { c: 'd' }, ownerReferences },
        spec: { containers: [{ name: 'c', image: 'i:2' }] },
      };
      const { code, body } = await t.patch(path, 'strategic', patch);
      expect(code).toBe(200);
      expect(body.metadata).toMatchObject({ labels: { a: 'b' }, annotations: { c: 'd' }, generation: 2 });
      expect(body.spec['containers']).toMatchObject([{ name: 'c', image: 'i:2' }]);
    },
    'the image of an init container can be changed': async (t) => {
      const { path } = await somePod(t, { initContainers: [{ name: 'first', image: 'i:1' }] });
      const { body } = await t.patch(path, 'strategic', {
        spec: { initContainers: [{ name: 'first', image: 'i:2' }] },
      });
      expect(body.spec['initContainers']).toMatchObject([{ image: 'i:2' }]);
    },
    'most of the spec cannot be changed': async (t) => {
      const { path } = await somePod(t);
      const specs = [
        { restartPolicy: 'Never' },
        { nodeName: 'n' },
        { nodeSelector: { a: 'b' } },
        { containers: [{ name: 'c', env: [{ name: 'A', value: 'b' }] }] },
        { containers: [{ name: 'c', resources: { requests: { cpu: '1' } } }] },
        { terminationGracePeriodSeconds: 5 },
      ];
      for (const spec of specs) {
        const { code, details } = refusalOf(await t.patch(path, 'strategic', { spec }));
        const { causes } = details as { causes: { reason: string; field: string; message: string }[] };
        expect({ spec, code, causes: causes.length }).toEqual({ spec, code: 422, causes: 1 });
        expect(causes[0]).toMatchObject({ reason: 'FieldValueForbidden', field: 'spec' });
        expect(causes[0]?.message.startsWith(allowed)).toBe(true);
      }
    },
    'containers can be neither added nor removed': async (t) => {
      const { path } = await somePod(t);
      const spec = { containers: [{ name: 'new', image: 'i' }] };
      const message = 'Forbidden: pod updates may not add or remove containers';
      expect(refusalOf(await t.patch(path, 'strategic', { spec }))).toEqual(
        invalid('Pod', 'p', ['spec.containers', 'Forbidden', message]),
      );
    },
    'tolerations can be added, not removed': async (t) => {
      const { path } = await somePod(t);
      const toleration = { key: 'a', operator: 'Exists' };
      const added = await t.patch(path, 'json', [{ op: 'add', path: '/spec/tolerations/-', value: toleration }]);
      expect(added.code).toBe(200);
      const removed = await t.patch(path, 'json', [{ op: 'remove', path: '/spec/tolerations/2' }]);
      const { details } = refusalOf(removed);
      expect(details).toMatchObject({
        causes: [
          {
            field: 'spec.tolerations',
            message: 'Forbidden: existing toleration can not be modified except its tolerationSeconds',
          },
        ],
      });
    },
    'a Pod behind gates says so, and cannot be put on a node': async (t) => {
      const { path } = await somePod(t, { schedulingGates: [{ name: 'example.com/a' }] });
      const { status } = await t.read<Stored & { status: { conditions: object[] } }>(path);
      expect(status.conditions).toMatchObject([
        {
          type: 'PodScheduled',
          status: 'False',
          reason: 'SchedulingGated',
          message: 'Scheduling is blocked due to non-empty scheduling gates',
        },
      ]);
      const binding = {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name: 'p' },
        target: { kind: 'Node', name: 'n' },
      };
      expect(refusalOf(await t.post(`${path}/binding`, binding))).toMatchObject({
        code: 409,
        message: 'Operation cannot be fulfilled on pods/binding "p": pod p has non-empty .spec.schedulingGates',
      });
    },
    'gates can be taken away, not added': async (t) => {
      const gates = (...names: string[]) => ({ spec: { schedulingGates: names.map((name) => ({ name })) } });
      const { path } = await somePod(t, gates('example.com/a', 'example.com/b').spec);
      expect(refusalOf(await t.patch(path, 'merge', gates('example.com/a', 'example.com/c')))).toEqual(
        invalid(
          'Pod',
          'p',
          "spec.schedulingGates[1].name: Forbidden: only deletion is allowed, but found new scheduling gate 'example.com/c'",
        ),
      );
      successOf(await t.patch(path, 'merge', gates('example.com/b')));
      const { body } = await t.patch<Stored & { spec: object }>(path, 'merge', { spec: { schedulingGates: null } });
      expect(body.spec).not.toHaveProperty('schedulingGates');
    },
    'a Pod behind gates can be sent to fewer nodes, not to others': async (t) => {
      const { path } = await somePod(t, { schedulingGates: [{ name: 'example.com/a' }], nodeSelector: { a: 'b' } });
      successOf(await t.patch(path, 'merge', { spec: { nodeSelector: { c: 'd' } } }));
      expect(refusalOf(await t.patch(path, 'merge', { spec: { nodeSelector: { a: 'x' } } }))).toEqual(
        invalid(
          'Pod',
          'p',
          'spec.nodeSelector: Invalid value: {"a":"x","c":"d"}: only additions to spec.nodeSelector are allowed (no mutations or deletions)',
        ),
      );
    },
    'a Pod behind gates is on no node': async (t) => {
      const ns = await t.podNamespace();
      const spec = { nodeName: 'n', schedulingGates: [{ name: 'a' }], containers: [{ name: 'c', image: 'i' }] };
      expect(refusalOf(await t.post(podsIn(ns), { metadata: { name: 'p' }, spec }))).toEqual(
        invalid('Pod', 'p', 'spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared'),
      );
    },
    'a deadline can be set and shortened': async (t) => {
      const { path } = await somePod(t);
      const set = (activeDeadlineSeconds: number) => t.patch(path, 'merge', { spec: { activeDeadlineSeconds } });
      expect((await set(100)).code).toBe(200);
      expect((await set(50)).code).toBe(200);
      expect(refusalOf(await set(60))).toEqual(
        invalid(
          'Pod',
          'p',
          'spec.activeDeadlineSeconds: Invalid value: 60: must be less than or equal to previous value',
        ),
      );
    },
    'cpu and memory are resized by a path of their own, which leaves the rest': async (t) => {
      const containers = [{ name: 'c', image: 'i', resources: resources('100m') }];
      const { path } = await somePod(t, { containers });
      const patch = (more: object) => ({ spec: { containers: [{ name: 'c', ...more }] } });
      const { code, body } = await t.patch(`${path}/resize`, 'strategic', patch({ resources: resources('200m') }));
      expect(code).toBe(200);
      expect(body.spec['containers']).toMatchObject([{ resources: { requests: { cpu: '200m', memory: '64Mi' } } }]);
      const image = await t.patch(`${path}/resize`, 'strategic', patch({ image: 'j' }));
      expect(image.code).toBe(200);
      expect(image.body.spec['containers']).toMatchObject([{ image: 'i' }]);
    },
    'a resize does not change the quality of service': async (t) => {
      const { path } = await somePod(t);
      const spec = { containers: [{ name: 'c', resources: resources('1') }] };
      expect(refusalOf(await t.patch(`${path}/resize`, 'strategic', { spec }))).toEqual(
        invalid('Pod', 'p', 'spec: Invalid value: "BestEffort": Pod QOS Class may not change as a result of resizing'),
      );
    },
    'a binding puts a Pod on a node, once': async (t) => {
      const { ns, path } = await somePod(t);
      const binding = {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name: 'p' },
        target: { apiVersion: 'v1', kind: 'Node', name: 'n1' },
      };
      const { code, body } = await t.post(`${path}/binding`, binding);
      expect(code).toBe(201);
      expect(body).toEqual({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 });
      const bound = await t.read(path);
      expect(bound.spec['nodeName']).toBe('n1');
      expect(bound.status['conditions']).toMatchObject([{ type: 'PodScheduled', status: 'True' }]);
      expect(refusalOf(await t.post(`${podsIn(ns)}/p/binding`, binding))).toEqual({
        code: 409,
        reason: 'Conflict',
        message: 'Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "n1"',
        details: { name: 'p', kind: 'pods/binding' },
      });
    },
    'a Pod on no node is gone at once': async (t) => {
      const { path } = await somePod(t);
      const { code, body } = await t.delete(path);
      expect(code).toBe(200);
      expect(body.kind).toBe('Pod');
      expect(body.metadata).toMatchObject({ deletionGracePeriodSeconds: 0 });
      expect((await t.get(path)).code).toBe(404);
    },
    'a Pod on a node stays for its grace period and says until when': async (t) => {
      const { path } = await somePod(t, { nodeName: 'n1' });
      const before = Date.now();
      const { code, body } = await t.delete(path);
      const after = Date.now();
      expect(code).toBe(200);
      expect(body.metadata.deletionGracePeriodSeconds).toBe(30);
      const { deletionTimestamp = '' } = (await t.read(path)).metadata;
      // In whole seconds.
      const until = new Date(deletionTimestamp).getTime();
      expect(until).toBeGreaterThan(before + 28_000);
      expect(until).toBeLessThan(after + 32_000);
    },
    'the grace period can be given, and shortened later, but not made longer': async (t) => {
      const { path } = await somePod(t, { nodeName: 'n1' });
      const grace = async (gracePeriodSeconds: number) =>
        successOf(await t.delete(path, { gracePeriodSeconds })).metadata.deletionGracePeriodSeconds;
      expect(await grace(20)).toBe(20);
      expect(await grace(5)).toBe(5);
      expect(await grace(60)).toBe(5);
    },
    'a Pod on a node with no grace period is gone at once': async (t) => {
      const { path } = await somePod(t, { nodeName: 'n1' });
      expect((await t.delete(path, { gracePeriodSeconds: 0 })).code).toBe(200);
      expect((await t.get(path)).code).toBe(404);
    },
    'a Pod that has ended is gone at once': async (t) => {
      const { path } = await somePod(t, { nodeName: 'n1' });
      await t.patch(`${path}/status`, 'merge', { status: { phase: 'Succeeded' } });
      await t.delete(path);
      expect((await t.get(path)).code).toBe(404);
    },
    'a Pod whose time is up goes when the kubelet says so': async (t) => {
      const { path } = await somePod(t, { nodeName: 'n1' });
      await t.delete(path);
      expect((await t.get(path)).code).toBe(200);
      await t.delete(path, { gracePeriodSeconds: 0 });
      expect((await t.get(path)).code).toBe(404);
    },
    'an eviction without a budget deletes the Pod': async (t) => {
      const { path } = await somePod(t);
      const { code, body } = await t.post(`${path}/eviction`, eviction());
      expect(code).toBe(201);
      expect(body).toEqual({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 });
      expect((await t.get(path)).code).toBe(404);
    },
    'an eviction that the budget forbids is 429': async (t) => {
      const { ns, path } = await somePod(t, {}, { labels: { app: 'a' } });
      await t.patch(`${path}/status`, 'merge', { status: ready });
      await budget(t, ns, 0);
      const answer = await t.post(`${path}/eviction`, eviction());
      expect(refusalOf(answer)).toEqual({
        code: 429,
        reason: 'TooManyRequests',
        message: "Cannot evict pod as it would violate the pod's disruption budget.",
        details: {
          causes: [
            {
              reason: 'DisruptionBudget',
              message: 'The disruption budget b needs 1 healthy pods and has 1 currently',
            },
          ],
        },
      });
      expect((await t.get(path)).code).toBe(200);
    },
    'an eviction that the budget allows is counted in it': async (t) => {
      const { ns, path } = await somePod(t, {}, { labels: { app: 'a' } });
      await t.patch(`${path}/status`, 'merge', { status: ready });
      await budget(t, ns, 1);
      expect((await t.post(`${path}/eviction`, eviction())).code).toBe(201);
      const { status } = await t.read(`/apis/policy/v1/namespaces/${ns}/poddisruptionbudgets/b`);
      expect(status).toMatchObject({ disruptionsAllowed: 0, disruptedPods: { p: expect.any(String) } });
    },
    'an eviction that is tried leaves the Pod': async (t) => {
      const { path } = await somePod(t);
      expect((await t.post(`${path}/eviction?dryRun=All`, eviction())).code).toBe(201);
      expect((await t.get(path)).code).toBe(200);
    },
    'an eviction of another Pod than that of the path is 400': async (t) => {
      const { path } = await somePod(t);
      expect(refusalOf(await t.post(`${path}/eviction`, eviction({ metadata: { name: 'q' } })))).toEqual(
        badRequest('name in URL does not match name in Eviction object'),
      );
    },
    'the preconditions of an eviction are those of a delete': async (t) => {
      const { path } = await somePod(t);
      const uid = '11111111-1111-4111-8111-111111111111';
      const body = eviction({ deleteOptions: { preconditions: { uid } } });
      expect(refusalOf(await t.post(`${path}/eviction`, body))).toMatchObject({ code: 409, reason: 'Conflict' });
    },
    'an ephemeral container is added by a path of its own': async (t) => {
      const { path } = await somePod(t);
      const ephemeralContainers = [{ name: 'debug', image: 'busybox' }];
      const main = refusalOf(await t.patch(path, 'strategic', { spec: { ephemeralContainers } }));
      expect(main.code).toBe(422);
      const { code, body } = await t.patch(`${path}/ephemeralcontainers`, 'strategic', {
        spec: { ephemeralContainers },
      });
      expect(code).toBe(200);
      expect(body.spec['ephemeralContainers']).toMatchObject(ephemeralContainers);
    },
    'conditions of the status are kept apart by type': async (t) => {
      const { path } = await somePod(t);
      const set = (type: string) =>
        t.patch(`${path}/status`, 'strategic', { status: { conditions: [{ type, status: 'True' }] } });
      await set('Ready');
      const { body } = await set('example.com/gate');
      const types = (body.status['conditions'] as { type: string }[]).map(({ type }) => type);
      expect(types.toSorted()).toEqual(['Ready', 'example.com/gate']);
    },
    'a restart count and states of containers can be written': async (t) => {
      const { path } = await somePod(t);
      const containerStatuses = [
        { name: 'c', image: 'i:1', imageID: 'x', ready: true, restartCount: 2, state: { running: {} } },
      ];
      const { body } = await t.patch(`${path}/status`, 'merge', { status: { containerStatuses } });
      expect(body.status['containerStatuses']).toMatchObject([
        { name: 'c', ready: true, restartCount: 2, lastState: {}, state: { running: { startedAt: null } } },
      ]);
    },
  },
};
