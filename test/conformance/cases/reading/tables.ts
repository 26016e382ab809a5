// SPDX-License-Identifier: Apache-2.0
import { expect } from 'vitest';
import { customKind } from '../../custom-kind.ts';
import type { Subject, Trial } from '../../trial.ts';

interface Table {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: { readonly resourceVersion: string };
  readonly columnDefinitions?: readonly { readonly name: string; readonly type: string; readonly priority: number }[];
  readonly rows: readonly { readonly cells: readonly unknown[]; readonly object: { readonly kind: string } | null }[];
}

/** The header of kubectl. */
const accept =
  'application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json';
const age = expect.stringMatching(/^\d+s$/);

async function table(t: Trial, path: string): Promise<Table> {
  const { body } = await t.get<Table>(path, { accept });
  expect(body).toMatchObject({ kind: 'Table', apiVersion: 'meta.k8s.io/v1' });
  return body;
}

/** The columns in one line; those of `-o wide` are in brackets. */
const columns = ({ columnDefinitions = [] }: Table) =>
  columnDefinitions.map(({ name, priority }) => (priority > 0 ? `[${name}]` : name)).join(', ');
const cells = ({ rows }: Table) => rows.map((row) => row.cells);

const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
const selector = { matchLabels: { app: 'a' } };

/** The tables for `kubectl get`. */
export const tables: Subject = {
  name: 'tables',
  cases: {
    'a Secret shows its type and how many keys it has': async (t) => {
      const ns = await t.namespace();
      const path = `/api/v1/namespaces/${ns}/secrets`;
      await t.make(path, { metadata: { name: 's' }, stringData: { a: '1', b: '2' } });
      const shown = await table(t, path);
      expect(columns(shown)).toBe('Name, Type, Data, Age');
      expect(cells(shown)).toEqual([['s', 'Opaque', 2, age]]);
    },
    'a row carries the metadata, the whole object or nothing, as asked': async (t) => {
      const ns = await t.namespace();
      const path = `/api/v1/namespaces/${ns}/secrets`;
      const { metadata } = await t.make(path, { metadata: { name: 's' } });
      const partial = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata };
      expect((await table(t, path)).rows[0]?.object).toEqual(partial);
      expect((await table(t, `${path}?includeObject=Metadata`)).rows[0]?.object).toEqual(partial);
      expect((await table(t, `${path}?includeObject=Object`)).rows[0]?.object).toEqual(await t.read(`${path}/s`));
      expect((await table(t, `${path}?includeObject=None`)).rows[0]?.object).toBeNull();
    },
    'one object is a table of one row': async (t) => {
      const shown = await table(t, '/api/v1/namespaces/default');
      expect(columns(shown)).toBe('Name, Status, Age');
      expect(shown.rows.map((row) => row.cells.slice(0, 2))).toEqual([['default', 'Active']]);
      expect(shown.metadata.resourceVersion).toMatch(/^\d+$/);
    },
    'columns carry a type, a format, a description and a priority': async (t) => {
      const { columnDefinitions } = await table(t, '/api/v1/namespaces/default');
      expect(columnDefinitions?.[0]).toMatchObject({
        name: 'Name',
        type: 'string',
        format: 'name',
        description: expect.stringMatching(/^Name must be unique within a namespace\./),
        priority: 0,
      });
      expect(columnDefinitions?.[1]).toEqual({
        name: 'Status',
        type: 'string',
        format: '',
        description: 'The status of the namespace',
        priority: 0,
      });
    },
    'a Pod that runs nowhere yet': async (t) => {
      const ns = await t.podNamespace();
      const path = `/api/v1/namespaces/${ns}/pods`;
      await t.make(path, { metadata: { name: 'p' }, spec: template.spec });
      const shown = await table(t, path);
      expect(columns(shown)).toBe(
        'Name, Ready, Status, Restarts, Age, [IP], [Node], [Nominated Node], [Readiness Gates]',
      );
      expect(cells(shown)).toEqual([['p', '0/1', 'Pending', '0', age, '<none>', '<none>', '<none>', '<none>']]);
    },
    'a Pod shows what its containers do, how often they restarted and when they did last': async (t) => {
      const ns = await t.podNamespace();
      const path = `/api/v1/namespaces/${ns}/pods`;
      await t.make(path, { metadata: { name: 'p' }, spec: { ...template.spec, nodeName: 'n' } });
      // Ten and a half hours, so that the exact time of the request does not matter.
      const finishedAt = new Date(Date.now() - 37_800_000).toISOString().replace(/\.\d+/, '');
      const status = {
        phase: 'Running',
        podIP: '10.0.0.7',
        podIPs: [{ ip: '10.0.0.7' }],
        containerStatuses: [
          {
            name: 'c',
            image: 'i',
            imageID: '',
            ready: false,
            restartCount: 3,
            state: { waiting: { reason: 'CrashLoopBackOff' } },
            lastState: { terminated: { exitCode: 1, finishedAt } },
          },
        ],
      };
      await t.patch(`${path}/p/status`, 'merge', { status });
      const [row] = cells(await table(t, path));
      expect(row).toEqual(['p', '0/1', 'CrashLoopBackOff', '3 (10h ago)', age, '10.0.0.7', 'n', '<none>', '<none>']);
    },
    'a Pod that is being deleted says so': async (t) => {
      const ns = await t.podNamespace();
      const path = `/api/v1/namespaces/${ns}/pods`;
      const metadata = { name: 'p', finalizers: ['example.com/hold'] };
      await t.make(path, { metadata, spec: template.spec });
      await t.delete(`${path}/p`);
      expect(cells(await table(t, path))[0]?.slice(0, 3)).toEqual(['p', '0/1', 'Terminating']);
    },
    'a Service shows its addresses and ports': async (t) => {
      const ns = await t.namespace();
      const path = `/api/v1/namespaces/${ns}/services`;
      const ports = [
        { name: 'client', port: 2379 },
        { name: 'peer', port: 2380, protocol: 'UDP' },
      ];
      await t.make(path, { metadata: { name: 's' }, spec: { clusterIP: 'None', ports, selector: { app: 'a' } } });
      const shown = await table(t, path);
      expect(columns(shown)).toBe('Name, Type, Cluster-IP, External-IP, Port(s), Age, [Selector]');
      expect(cells(shown)).toEqual([['s', 'ClusterIP', 'None', '<none>', '2379/TCP,2380/UDP', age, 'app=a']]);
    },
    'a volume claim that is not bound': async (t) => {
      const ns = await t.namespace();
      const path = `/api/v1/namespaces/${ns}/persistentvolumeclaims`;
      const resources = { requests: { storage: '1Gi' } };
      const spec = { accessModes: ['ReadWriteOnce'], resources, storageClassName: 'fast' };
      await t.make(path, { metadata: { name: 'v' }, spec });
      const shown = await table(t, path);
      expect(columns(shown)).toBe(
        'Name, Status, Volume, Capacity, Access Modes, StorageClass, VolumeAttributesClass, Age, [VolumeMode]',
      );
      expect(cells(shown)).toEqual([['v', 'Pending', '', '', '', 'fast', '<unset>', age, 'Filesystem']]);
    },
    'a Deployment, a StatefulSet and a Job show how far they are': async (t) => {
      const ns = await t.namespace();
      const deployments = `/apis/apps/v1/namespaces/${ns}/deployments`;
      await t.make(deployments, { metadata: { name: 'd' }, spec: { replicas: 3, selector, template } });
      const shown = await table(t, deployments);
      expect(columns(shown)).toBe('Name, Ready, Up-to-date, Available, Age, [Containers], [Images], [Selector]');
      expect(cells(shown)).toEqual([['d', '0/3', 0, 0, age, 'c', 'i', 'app=a']]);
      const sets = `/apis/apps/v1/namespaces/${ns}/statefulsets`;
      await t.make(sets, { metadata: { name: 's' }, spec: { serviceName: 's', selector, template } });
      const sets2 = await table(t, sets);
      expect(columns(sets2)).toBe('Name, Ready, Age, [Containers], [Images]');
      expect(cells(sets2)).toEqual([['s', '0/1', age, 'c', 'i']]);
      const jobs = `/apis/batch/v1/namespaces/${ns}/jobs`;
      await t.make(jobs, {
        metadata: { name: 'j' },
        spec: { template: { spec: { ...template.spec, restartPolicy: 'Never' } } },
      });
      const jobTable = await table(t, jobs);
      expect(columns(jobTable)).toBe('Name, Status, Completions, Duration, Age, [Containers], [Images], [Selector]');
      expect(cells(jobTable)[0]?.slice(0, 4)).toEqual(['j', 'Running', '0/1', '']);
    },
    'a disruption budget, a Lease and an Event': async (t) => {
      const ns = await t.namespace();
      const budgets = `/apis/policy/v1/namespaces/${ns}/poddisruptionbudgets`;
      await t.make(budgets, { metadata: { name: 'b' }, spec: { maxUnavailable: 1, selector } });
      const shown = await table(t, budgets);
      expect(columns(shown)).toBe('Name, Min Available, Max Unavailable, Allowed Disruptions, Age');
      expect(cells(shown)).toEqual([['b', 'N/A', '1', 0, age]]);
      const leases = `/apis/coordination.k8s.io/v1/namespaces/${ns}/leases`;
      await t.make(leases, { metadata: { name: 'l' }, spec: { holderIdentity: 'me' } });
      expect(cells(await table(t, leases))).toEqual([['l', 'me', age]]);
      const events = `/api/v1/namespaces/${ns}/events`;
      await t.make(events, {
        metadata: { name: 'e' },
        involvedObject: { kind: 'Pod', namespace: ns, name: 'p' },
        reason: 'Pulled',
        message: 'Done',
        type: 'Normal',
        source: { component: 'kubelet' },
      });
      const eventTable = await table(t, events);
      expect(columns(eventTable)).toBe(
        'Last Seen, Type, Reason, Object, [Subobject], [Source], Message, [First Seen], [Count], [Name]',
      );
      expect(cells(eventTable)).toEqual([
        ['<unknown>', 'Normal', 'Pulled', 'pod/p', '', 'kubelet', 'Done', '<unknown>', 1, 'e'],
      ]);
    },
    'a custom kind without columns shows its name and age': async (t) => {
      const kind = await customKind(t);
      const ns = await t.namespace();
      await t.make(kind.path(ns), kind.object('w'));
      const shown = await table(t, kind.path(ns));
      expect(columns(shown)).toBe('Name, Age');
      expect(cells(shown)).toEqual([['w', age]]);
    },
    'a custom kind shows the columns of its definition, by type, null where a value is missing': async (t) => {
      const additionalPrinterColumns = [
        { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
        { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
        { name: 'Ready', type: 'boolean', jsonPath: '.status.ready', priority: 1, description: 'Is it?' },
        { name: 'Since', type: 'date', jsonPath: '.spec.since' },
        { name: 'Condition', type: 'string', jsonPath: '.spec.conditions[?(@.type=="Available")].status' },
      ];
      const kind = await customKind(t, { version: { additionalPrinterColumns } });
      const ns = await t.namespace();
      const conditions = [
        { type: 'Other', status: 'False' },
        { type: 'Available', status: 'True' },
      ];
      const since = new Date(Date.now() - 7_200_000).toISOString();
      await t.make(kind.path(ns), kind.object('a', { spec: { size: 3, since, conditions }, status: { ready: true } }));
      await t.make(kind.path(ns), kind.object('b', { status: { phase: 'Running' } }));
      const shown = await table(t, kind.path(ns));
      expect(columns(shown)).toBe('Name, Size, Phase, [Ready], Since, Condition');
      expect(shown.columnDefinitions?.[3]).toEqual({
        name: 'Ready',
        type: 'boolean',
        format: '',
        description: 'Is it?',
        priority: 1,
      });
      expect(cells(shown)).toEqual([
        ['a', 3, null, true, '120m', 'True'],
        ['b', null, 'Running', null, null, null],
      ]);
    },
    'a watched table has its columns in the first event only, and a row in each': async (t) => {
      const ns = await t.namespace();
      await t.make(`/api/v1/namespaces/${ns}/secrets`, { metadata: { name: 'a' } });
      const watch = await t.watch<Table>(`/api/v1/namespaces/${ns}/secrets`, accept);
      const first = await watch.next();
      expect({ type: first.type, kind: first.object.kind, columns: columns(first.object) }).toEqual({
        type: 'ADDED',
        kind: 'Table',
        columns: 'Name, Type, Data, Age',
      });
      expect(cells(first.object)).toEqual([['a', 'Opaque', 0, age]]);
      await t.make(`/api/v1/namespaces/${ns}/secrets`, { metadata: { name: 'b' } });
      const second = await watch.next();
      expect(second.object.columnDefinitions).toBeNull();
      expect(cells(second.object)).toEqual([['b', 'Opaque', 0, age]]);
    },
  },
};
