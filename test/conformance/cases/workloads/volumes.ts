// SPDX-License-Identifier: Apache-2.0
import { expect } from 'vitest';
import { refusalOf, successOf } from '../../answer.ts';
import { invalid } from '../../invalid.ts';
import type { Subject, Trial } from '../../trial.ts';

const claimsIn = (ns: string) => `/api/v1/namespaces/${ns}/persistentvolumeclaims`;
const classes = '/apis/storage.k8s.io/v1/storageclasses';
const size = (storage: string) => ({ requests: { storage } });
const claim = (more: object = {}) => ({
  metadata: { name: 'v' },
  spec: { accessModes: ['ReadWriteOnce'], resources: size('1Gi'), storageClassName: 'none', ...more },
});
const immutable =
  'Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';

/** A bound PVC of a class that does or does not allow expansion. */
async function bound(t: Trial, allowVolumeExpansion: boolean): Promise<string> {
  const name = t.unique('class');
  await t.make(classes, { metadata: { name }, provisioner: 'example.com/p', allowVolumeExpansion });
  const ns = await t.namespace();
  await t.make(claimsIn(ns), claim({ storageClassName: name, volumeName: 'pv' }));
  const status = { phase: 'Bound', capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'] };
  successOf(await t.patch(`${claimsIn(ns)}/v/status`, 'merge', { status }));
  const path = `${claimsIn(ns)}/v`;
  // The server reads classes from a separate cache.
  if (allowVolumeExpansion)
    await t.eventually(async () =>
      successOf(await t.patch(`${path}?dryRun=All`, 'merge', { spec: { resources: size('2Gi') } })),
    );
  return path;
}

/** PVCs, volumes and storage classes. */
export const volumes: Subject = {
  name: 'volumes',
  cases: {
    'a claim is completed and protected': async (t) => {
      const ns = await t.namespace();
      const made = await t.make(claimsIn(ns), claim());
      expect(made.metadata.finalizers).toEqual(['kubernetes.io/pvc-protection']);
      expect(made.spec).toEqual({
        accessModes: ['ReadWriteOnce'],
        resources: size('1Gi'),
        storageClassName: 'none',
        volumeMode: 'Filesystem',
      });
      expect(made.status).toEqual({ phase: 'Pending' });
    },
    'a claim needs a way of access and a size': async (t) => {
      const ns = await t.namespace();
      expect(refusalOf(await t.post(claimsIn(ns), { metadata: { name: 'v' }, spec: {} }))).toEqual(
        invalid(
          'PersistentVolumeClaim',
          'v',
          'spec.accessModes: Required value: at least 1 access mode is required',
          'spec.resources[storage]: Required value',
        ),
      );
      const wrong = claim({ accessModes: ['Nope'], resources: size('0') });
      expect(refusalOf(await t.post(claimsIn(ns), wrong))).toEqual(
        invalid(
          'PersistentVolumeClaim',
          'v',
          'spec.accessModes: Unsupported value: "Nope": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
          'spec.resources[storage]: Invalid value: "0": must be greater than zero',
        ),
      );
    },
    'a claim stays as it is while it is not bound, but for its volume': async (t) => {
      const ns = await t.namespace();
      const path = `${claimsIn(ns)}/v`;
      await t.make(claimsIn(ns), claim());
      for (const spec of [
        { resources: size('2Gi') },
        { storageClassName: 'other' },
        { accessModes: ['ReadWriteMany'] },
      ]) {
        const { code, details } = refusalOf(await t.patch(path, 'merge', { spec }));
        const { causes } = details as { causes: { field: string; reason: string; message: string }[] };
        expect({ code, field: causes[0]?.field, reason: causes[0]?.reason }).toEqual({
          code: 422,
          field: 'spec',
          reason: 'FieldValueForbidden',
        });
        expect(causes[0]?.message.startsWith(`${immutable}\n`)).toBe(true);
      }
      expect((await t.patch(path, 'merge', { spec: { volumeName: 'pv' } })).code).toBe(200);
    },
    'a bound claim can grow, if its class allows it': async (t) => {
      const path = await bound(t, true);
      const { code, body } = await t.patch(path, 'merge', { spec: { resources: size('2Gi') } });
      expect(code).toBe(200);
      expect(body.spec['resources']).toEqual(size('2Gi'));
      expect(body.status['capacity']).toEqual({ storage: '1Gi' });
    },
    'a bound claim does not grow otherwise': async (t) => {
      const path = await bound(t, false);
      expect(refusalOf(await t.patch(path, 'merge', { spec: { resources: size('2Gi') } }))).toEqual({
        code: 403,
        reason: 'Forbidden',
        message:
          'persistentvolumeclaims "v" is forbidden: only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
        details: { name: 'v', kind: 'persistentvolumeclaims' },
      });
    },
    'a claim does not shrink below what it has': async (t) => {
      const path = await bound(t, true);
      expect(refusalOf(await t.patch(path, 'merge', { spec: { resources: size('500Mi') } }))).toMatchObject({
        code: 422,
        details: { causes: [{ field: 'spec.resources.requests.storage', reason: 'FieldValueForbidden' }] },
      });
    },
    'a claim without a class gets the default one, if there is one': async (t) => {
      const ns = await t.namespace();
      const name = t.unique('class');
      const annotations = { 'storageclass.kubernetes.io/is-default-class': 'true' };
      await t.make(classes, { metadata: { name, annotations }, provisioner: 'example.com/p' });
      t.defer(async () => {
        await t.delete(`${classes}/${name}`);
      });
      await t.eventually(async () => {
        const body = { ...claim({ storageClassName: undefined }), metadata: { name: t.unique('v') } };
        expect((await t.make(claimsIn(ns), body)).spec['storageClassName']).toBe(name);
      });
      const none = { ...claim({ storageClassName: '' }), metadata: { name: 'none' } };
      expect((await t.make(claimsIn(ns), none)).spec['storageClassName']).toBe('');
    },
    'a claim that no Pod uses goes when it is deleted': async (t) => {
      const ns = await t.namespace();
      await t.make(claimsIn(ns), claim());
      const { body } = await t.delete(`${claimsIn(ns)}/v`);
      expect(body.metadata).toHaveProperty('deletionTimestamp');
      await t.eventually(async () => expect((await t.get(`${claimsIn(ns)}/v`)).code).toBe(404));
    },
    'a claim that a Pod uses waits for it': async (t) => {
      const ns = await t.podNamespace();
      await t.make(claimsIn(ns), claim());
      const spec = {
        nodeName: 'n1',
        automountServiceAccountToken: false,
        containers: [{ name: 'c', image: 'i' }],
        volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'v' } }],
      };
      await t.make(`/api/v1/namespaces/${ns}/pods`, { metadata: { name: 'p' }, spec });
      await t.delete(`${claimsIn(ns)}/v`);
      expect((await t.read(`${claimsIn(ns)}/v`)).metadata).toHaveProperty('deletionTimestamp');
      await t.delete(`/api/v1/namespaces/${ns}/pods/p`, { gracePeriodSeconds: 0 });
      await t.eventually(async () => expect((await t.get(`${claimsIn(ns)}/v`)).code).toBe(404));
    },
    'a class is completed, and stays as it is': async (t) => {
      const name = t.unique('class');
      const made = await t.make<object>(classes, { metadata: { name }, provisioner: 'example.com/p' });
      expect(made).toMatchObject({ reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' });
      expect(refusalOf(await t.patch(`${classes}/${name}`, 'merge', { reclaimPolicy: 'Retain' }))).toMatchObject({
        code: 422,
        details: { causes: [{ field: 'reclaimPolicy', message: 'Invalid value: "Retain": field is immutable' }] },
      });
      expect(refusalOf(await t.patch(`${classes}/${name}`, 'merge', { provisioner: 'other' }))).toMatchObject({
        code: 422,
        details: { causes: [{ field: 'provisioner' }] },
      });
      expect((await t.patch(`${classes}/${name}`, 'merge', { allowVolumeExpansion: true })).code).toBe(200);
    },
    'a volume is completed and its source stays': async (t) => {
      const name = t.unique('volume');
      const spec = { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, hostPath: { path: '/x' } };
      const made = await t.make('/api/v1/persistentvolumes', { metadata: { name }, spec });
      expect(made.metadata.finalizers).toEqual(['kubernetes.io/pv-protection']);
      expect(made.spec).toEqual({
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        hostPath: { path: '/x', type: '' },
        persistentVolumeReclaimPolicy: 'Retain',
        volumeMode: 'Filesystem',
      });
      expect(made.status).toEqual({ phase: 'Pending', lastPhaseTransitionTime: expect.any(String) });
      const patch = { spec: { hostPath: { path: '/y' } } };
      expect(refusalOf(await t.patch(`/api/v1/persistentvolumes/${name}`, 'merge', patch))).toMatchObject({
        code: 422,
        details: {
          causes: [
            {
              field: 'spec.persistentvolumesource',
              message: expect.stringMatching(/^Forbidden: spec\.persistentvolumesource is immutable after creation\n/),
            },
          ],
        },
      });
    },
  },
};
