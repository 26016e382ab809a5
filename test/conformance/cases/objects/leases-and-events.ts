// SPDX-License-Identifier: Apache-2.0
import { expect } from 'vitest';
import { badRequest, refusalOf } from '../../answer.ts';
import { invalid } from '../../invalid.ts';
import type { Subject } from '../../trial.ts';

const leasesIn = (ns: string) => `/apis/coordination.k8s.io/v1/namespaces/${ns}/leases`;
const oldEventsIn = (ns: string) => `/api/v1/namespaces/${ns}/events`;
const eventsIn = (ns: string) => `/apis/events.k8s.io/v1/namespaces/${ns}/events`;
const layout = '2006-01-02T15:04:05.000000Z07:00';
const badTime = (time: string, why: string) =>
  badRequest(`Lease in version "v1" cannot be handled as a Lease: parsing time "${time}" as "${layout}": ${why}`);

const about = (ns: string) => ({ kind: 'Pod', namespace: ns, name: 'p' });
const newEvent = (ns: string, more: object = {}) => ({
  metadata: { name: 'e' },
  regarding: about(ns),
  reason: 'Started',
  action: 'Start',
  type: 'Normal',
  note: 'It runs',
  eventTime: '2026-01-02T03:04:05.000000Z',
  reportingController: 'example.com/controller',
  reportingInstance: 'controller-0',
  ...more,
});

/** Leases for leader election, and Events. */
export const leasesAndEvents: Subject = {
  name: 'Leases and Events',
  cases: {
    'a Lease keeps its times to the microsecond': async (t) => {
      const ns = await t.namespace();
      const spec = {
        holderIdentity: 'me',
        leaseDurationSeconds: 15,
        acquireTime: '2026-01-02T03:04:05.123456Z',
        renewTime: '2026-01-02T03:04:05.000000Z',
        leaseTransitions: 0,
      };
      const made = await t.make(leasesIn(ns), { metadata: { name: 'l' }, spec });
      expect(made.spec).toEqual(spec);
      expect((await t.read(`${leasesIn(ns)}/l`)).spec).toEqual(spec);
    },
    'a time has exactly six digits after the second': async (t) => {
      const ns = await t.namespace();
      const refused = async (renewTime: string) =>
        refusalOf(await t.post(leasesIn(ns), { metadata: { name: 'l' }, spec: { renewTime } }));
      const [milli, whole, nano] = [
        '2026-01-02T03:04:05.123Z',
        '2026-01-02T03:04:05Z',
        '2026-01-02T03:04:05.123456789Z',
      ];
      expect(await refused(milli)).toEqual(badTime(milli, 'cannot parse ".123Z" as ".000000"'));
      expect(await refused(whole)).toEqual(badTime(whole, 'cannot parse "Z" as ".000000"'));
      expect(await refused(nano)).toEqual(badTime(nano, 'cannot parse "789Z" as "Z07:00"'));
    },
    'a time of another zone is kept in UTC': async (t) => {
      const ns = await t.namespace();
      const spec = { renewTime: '2026-01-02T04:04:05.123456+01:00' };
      const made = await t.make(leasesIn(ns), { metadata: { name: 'l' }, spec });
      expect(made.spec).toEqual({ renewTime: '2026-01-02T03:04:05.123456Z' });
    },
    'the numbers of a Lease are checked': async (t) => {
      const ns = await t.namespace();
      const spec = { leaseDurationSeconds: 0, leaseTransitions: -1 };
      expect(refusalOf(await t.post(leasesIn(ns), { metadata: { name: 'l' }, spec }))).toEqual(
        invalid(
          'Lease.coordination.k8s.io',
          'l',
          'spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0',
          'spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0',
        ),
      );
    },
    'of two who take a Lease at once, one wins': async (t) => {
      const ns = await t.namespace();
      const lease = await t.make(leasesIn(ns), { metadata: { name: 'l' }, spec: { holderIdentity: 'nobody' } });
      const take = (holderIdentity: string) =>
        t.put(`${leasesIn(ns)}/l`, { ...lease, spec: { ...lease.spec, holderIdentity } });
      const codes = (await Promise.all([take('a'), take('b'), take('c')])).map(({ code }) => code);
      expect(codes.toSorted((a, b) => a - b)).toEqual([200, 409, 409]);
    },
    'a Lease must carry its version to be replaced': async (t) => {
      const ns = await t.namespace();
      await t.make(leasesIn(ns), { metadata: { name: 'l' }, spec: {} });
      const body = { metadata: { name: 'l' }, spec: { holderIdentity: 'me' } };
      expect(refusalOf(await t.put(`${leasesIn(ns)}/l`, body))).toEqual(
        invalid(
          'leases.coordination.k8s.io',
          'l',
          'metadata.resourceVersion: Invalid value: 0: must be specified for an update',
        ),
      );
    },
    'an Event is the same in both of its groups': async (t) => {
      const ns = await t.namespace();
      const time = '2026-01-02T03:04:05Z';
      const made = await t.make<object>(oldEventsIn(ns), {
        metadata: { name: 'e' },
        involvedObject: about(ns),
        reason: 'Started',
        message: 'It runs',
        type: 'Normal',
        source: { component: 'kubelet', host: 'n1' },
        firstTimestamp: time,
        lastTimestamp: time,
        count: 2,
      });
      expect(made).toMatchObject({ eventTime: null, reportingComponent: '', reportingInstance: '' });
      const { metadata, ...event } = await t.read(`${eventsIn(ns)}/e`);
      expect(metadata.name).toBe('e');
      expect(event).toEqual({
        kind: 'Event',
        apiVersion: 'events.k8s.io/v1',
        eventTime: null,
        reason: 'Started',
        regarding: about(ns),
        note: 'It runs',
        type: 'Normal',
        deprecatedSource: { component: 'kubelet', host: 'n1' },
        deprecatedFirstTimestamp: time,
        deprecatedLastTimestamp: time,
        deprecatedCount: 2,
      });
    },
    'a new Event is seen by old readers': async (t) => {
      const ns = await t.namespace();
      await t.make(eventsIn(ns), newEvent(ns));
      const { metadata, ...event } = await t.read(`${oldEventsIn(ns)}/e`);
      expect(metadata.namespace).toBe(ns);
      expect(event).toEqual({
        kind: 'Event',
        apiVersion: 'v1',
        involvedObject: about(ns),
        reason: 'Started',
        message: 'It runs',
        source: {},
        firstTimestamp: null,
        lastTimestamp: null,
        type: 'Normal',
        eventTime: '2026-01-02T03:04:05.000000Z',
        action: 'Start',
        reportingComponent: 'example.com/controller',
        reportingInstance: 'controller-0',
      });
    },
    'an Event is in the namespace of what it is about': async (t) => {
      const ns = await t.namespace();
      const body = { metadata: { name: 'e' }, involvedObject: { kind: 'Pod', namespace: 'other', name: 'p' } };
      expect(refusalOf(await t.post(oldEventsIn(ns), body))).toEqual(
        invalid('Event', 'e', 'involvedObject.namespace: Invalid value: "other": does not match event.namespace'),
      );
    },
    'an Event about something without a namespace is in default': async (t) => {
      const name = t.unique('e');
      const body = { metadata: { name }, involvedObject: { kind: 'Node', name: 'n1' } };
      expect((await t.post(oldEventsIn('default'), body)).code).toBe(201);
    },
    'a new Event is complete': async (t) => {
      const ns = await t.namespace();
      expect(refusalOf(await t.post(eventsIn(ns), newEvent(ns, { eventTime: null, type: 'Nope' })))).toEqual(
        invalid('Event', 'e', 'eventTime: Required value', 'type: Invalid value: "": has invalid value: Nope'),
      );
    },
    'a new Event can be counted as a series, and nothing else of it changes': async (t) => {
      const ns = await t.namespace();
      await t.make(eventsIn(ns), newEvent(ns));
      const series = { count: 2, lastObservedTime: '2026-01-02T03:04:06.000000Z' };
      const { code, body } = await t.patch(`${eventsIn(ns)}/e`, 'merge', { series });
      expect(code).toBe(200);
      expect(body).toMatchObject({ series });
      expect(refusalOf(await t.patch(`${eventsIn(ns)}/e`, 'merge', { note: 'x' }))).toEqual(
        invalid('Event', 'e', 'message: Invalid value: "x": field is immutable'),
      );
    },
  },
};
