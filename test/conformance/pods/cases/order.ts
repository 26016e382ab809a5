// SPDX-License-Identifier: Apache-2.0
import { expect } from 'vitest';
import { condition, idle, once, type PodSubject, shell, stateOf } from '../pod-trial.ts';

const volumes = [{ name: 'v', emptyDir: {} }];
const mount = { volumeMounts: [{ name: 'v', mountPath: '/v' }] };
const init = (name: string, script: string, more: object = {}) => shell(script, { name, ...mount, ...more });

/** Init containers, sidecars and hooks. */
export const order: PodSubject = {
  name: 'init containers, sidecars and hooks',
  cases: {
    'init containers run one after another, before the others': async (t) => {
      const initContainers = [init('first', 'echo first >> /v/log'), init('second', 'echo second >> /v/log')];
      const pod = await t.start({ ...once('cat /v/log', mount), initContainers, volumes });
      const status = await pod.ended();
      expect(await pod.log()).toBe('first\nsecond\n');
      expect(status.initContainerStatuses?.map((one) => `${one.name} ${stateOf(one.state)} ${one.ready}`)).toEqual([
        'first terminated Completed 0 true',
        'second terminated Completed 0 true',
      ]);
    },
    'while they run, the others wait for it and the Pod is not initialized': async (t) => {
      const initContainers = [init('first', idle), init('second', 'true')];
      const pod = await t.start({ ...once('true'), initContainers, volumes });
      const status = await pod.until('initializing', (now) => !!now.initContainerStatuses?.[0]?.state?.running);
      expect(status.phase).toBe('Pending');
      expect(status.containerStatuses?.map((one) => stateOf(one.state))).toEqual(['waiting PodInitializing']);
      expect(stateOf(status.initContainerStatuses?.[1]?.state)).toBe('waiting PodInitializing');
      expect(condition(status, 'Initialized')).toMatchObject({
        status: 'False',
        reason: 'ContainersNotInitialized',
        message: 'containers with incomplete status: [first second]',
      });
    },
    'one that fails ends a Pod that never restarts': async (t) => {
      const pod = await t.start({ ...once('echo never'), initContainers: [init('bad', 'exit 4')], volumes });
      const status = await pod.ended();
      expect(status.phase).toBe('Failed');
      expect(stateOf(status.initContainerStatuses?.[0]?.state)).toBe('terminated Error 4');
      expect(stateOf(status.containerStatuses?.[0]?.state)).toBe('waiting PodInitializing');
    },
    'one that fails is tried again in others': async (t) => {
      const script = '[ -e /v/tried ] && exit 0; touch /v/tried; exit 1';
      const pod = await t.start({ initContainers: [init('bad', script)], containers: [shell(idle)], volumes });
      const status = await pod.ready();
      expect(status.initContainerStatuses?.[0]?.restartCount).toBe(1);
    },
    'one that always restarts runs beside the others, and ends after them': async (t) => {
      const sidecar = init(
        'side',
        `trap 'echo ended >> /v/log; exit 0' TERM; echo up > /v/up; while :; do sleep 0.1; done`,
        {
          restartPolicy: 'Always',
          startupProbe: {
            exec: { command: ['cat', '/v/up'] },
            periodSeconds: 1,
            timeoutSeconds: 30,
            failureThreshold: 60,
          },
        },
      );
      await t.inPassing(async (seconds) => {
        const main = once(`cat /v/up; sleep ${seconds}`, mount);
        const pod = await t.start({ ...main, initContainers: [sidecar], volumes, terminationGracePeriodSeconds: 30 });
        const during = await pod.until('started', ({ phase }) => phase !== 'Pending');
        expect(during.phase).toBe('Running');
        expect(during.initContainerStatuses?.[0]).toMatchObject({ name: 'side', ready: true, started: true });
        const status = await pod.ended();
        expect(status.phase).toBe('Succeeded');
        expect(await pod.log()).toBe('up\n');
        expect(stateOf(status.initContainerStatuses?.[0]?.state)).toBe('terminated Completed 0');
      });
    },
    'a hook after the start runs beside the container': async (t) => {
      const lifecycle = { postStart: { exec: { command: ['/bin/sh', '-c', 'echo hook > /v/hook'] } } };
      const script = 'while [ ! -s /v/hook ]; do sleep 0.1; done; cat /v/hook';
      const pod = await t.start({ ...once(script, { lifecycle, ...mount }), volumes });
      await pod.ended();
      expect(await pod.log()).toBe('hook\n');
    },
    'a hook after the start that fails kills the container': async (t) => {
      const lifecycle = { postStart: { exec: { command: ['/bin/sh', '-c', 'exit 5'] } } };
      const pod = await t.start({ containers: [shell(idle, { lifecycle })] });
      await pod.event(/^Warning FailedPostStartHook: PostStartHook failed/);
      await pod.event(/^Normal Killing: FailedPostStartHook$/);
    },
    'a hook before the end runs before the container is told to end': async (t) => {
      const lifecycle = { preStop: { exec: { command: ['/bin/sh', '-c', 'echo hook >> /v/log; sleep 1'] } } };
      const script = `trap 'echo told >> /v/log; cat /v/log; exit 0' TERM; while :; do sleep 0.1; done`;
      const finalizers = ['example.com/look'];
      const spec = { containers: [shell(script, { lifecycle, ...mount })], terminationGracePeriodSeconds: 60, volumes };
      const pod = await t.start(spec, { finalizers });
      await pod.running();
      await pod.delete();
      await pod.until('ended', ({ containerStatuses }) => !!containerStatuses?.[0]?.state?.terminated);
      const status = (await pod.read()).status;
      expect(stateOf(status.containerStatuses?.[0]?.state)).toBe('terminated Completed 0');
    },
    'a Pod that is deleted is told to end, and is gone when it has': async (t) => {
      const pod = await t.start({ containers: [shell(idle)], terminationGracePeriodSeconds: 30 });
      await pod.running();
      const { body } = await pod.delete();
      expect(body.metadata).toMatchObject({ deletionGracePeriodSeconds: 30, deletionTimestamp: expect.any(String) });
      await pod.event(/^Normal Killing: Stopping container c$/);
      await pod.gone();
    },
    'a container that ignores SIGTERM is killed after the grace period': async (t) => {
      const script = 'trap "" TERM; while :; do sleep 0.1; done';
      const pod = await t.start(
        { containers: [shell(script)], terminationGracePeriodSeconds: 2 },
        { finalizers: ['example.com/look'] },
      );
      await pod.running();
      await pod.delete();
      const status = await pod.until('killed', (now) => !!now.containerStatuses?.[0]?.state?.terminated);
      expect(stateOf(status.containerStatuses?.[0]?.state)).toBe('terminated Error 137');
    },
    'a Pod that is deleted and held by a finalizer shows how it ended': async (t) => {
      const spec = { containers: [shell(idle)], terminationGracePeriodSeconds: 30 };
      const pod = await t.start(spec, { finalizers: ['example.com/look'] });
      await pod.ready();
      await pod.delete();
      const status = await pod.until('at its end', ({ phase }) => phase === 'Succeeded');
      expect(condition(status, 'Ready')).toMatchObject({ status: 'False', reason: 'PodCompleted' });
      expect((await pod.read()).metadata).toHaveProperty('deletionTimestamp');
    },
    'a Pod that is deleted before it runs does not start': async (t) => {
      const pod = await t.start({ nodeSelector: { nowhere: 'yes' }, containers: [shell(idle)] });
      await pod.delete();
      await pod.gone();
    },
  },
};
