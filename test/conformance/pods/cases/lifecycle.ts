// SPDX-License-Identifier: Apache-2.0
import { expect } from 'vitest';
import { condition, container, idle, once, otherBusybox, type PodSubject, shell, stateOf } from '../pod-trial.ts';

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
const id = expect.stringMatching(/^containerd:\/\/[0-9a-f]{64}$/);
const conditions = ['ContainersReady', 'Initialized', 'PodReadyToStartContainers', 'PodScheduled', 'Ready'] as const;

/** From the start of a Pod to its end. */
export const lifecycle: PodSubject = {
  name: 'Pod lifecycle',
  cases: {
    'a Pod that runs has an address, a node, a start and a container with an ID': async (t) => {
      const pod = await t.start({ containers: [shell(idle)] });
      const status = await pod.ready();
      expect(status).toMatchObject({
        phase: 'Running',
        podIP: expect.stringMatching(/^\d+\.\d+\.\d+\.\d+$/),
        podIPs: [{ ip: status.podIP }],
        hostIP: expect.stringMatching(/^\d+\.\d+\.\d+\.\d+$/),
        hostIPs: [{ ip: status.hostIP }],
        startTime: time,
        qosClass: 'BestEffort',
        observedGeneration: 1,
      });
      expect(container(status)).toMatchObject({
        name: 'c',
        ready: true,
        started: true,
        restartCount: 0,
        image: 'docker.io/library/busybox:1.28.0-glibc',
        imageID: expect.stringMatching(/sha256:[0-9a-f]{64}$/),
        containerID: id,
        state: { running: { startedAt: time } },
        lastState: {},
      });
    },
    'a Pod that runs has five conditions, all true': async (t) => {
      const pod = await t.start({ containers: [shell(idle)] });
      const status = await pod.ready();
      const told = status.conditions?.map(({ type, status: value }) => `${type}=${value}`);
      expect(told?.toSorted()).toEqual(conditions.map((type) => `${type}=True`));
      for (const one of status.conditions ?? []) {
        expect(one).toMatchObject({ lastTransitionTime: time, lastProbeTime: null, observedGeneration: 1 });
      }
    },
    'a Pod whose containers end well has succeeded': async (t) => {
      const pod = await t.start(once('exit 0'));
      const status = await pod.ended();
      expect(status.phase).toBe('Succeeded');
      expect(container(status)).toMatchObject({
        ready: false,
        started: false,
        restartCount: 0,
        state: { terminated: { exitCode: 0, reason: 'Completed', startedAt: time, finishedAt: time, containerID: id } },
      });
      expect(condition(status, 'Ready')).toMatchObject({ status: 'False', reason: 'PodCompleted' });
      expect(condition(status, 'ContainersReady')).toMatchObject({ status: 'False', reason: 'PodCompleted' });
      expect(condition(status, 'Initialized')).toMatchObject({ status: 'True', reason: 'PodCompleted' });
    },
    'a Pod whose container fails has failed': async (t) => {
      const pod = await t.start(once('exit 3'));
      const status = await pod.ended();
      expect(status.phase).toBe('Failed');
      expect(stateOf(container(status)?.state)).toBe('terminated Error 3');
      expect(condition(status, 'Ready')).toMatchObject({ status: 'False', reason: 'PodFailed' });
      expect(condition(status, 'ContainersReady')).toMatchObject({ status: 'False', reason: 'PodFailed' });
    },
    'a Pod that never restarts runs until its last container has ended': async (t) => {
      await t.inPassing(async (seconds) => {
        const containers = [shell('exit 0', { name: 'a' }), shell(`sleep ${seconds}; exit 1`, { name: 'b' })];
        const pod = await t.start({ restartPolicy: 'Never', containers });
        const between = await pod.until('half done', (status) => !!container(status, 'a')?.state?.terminated);
        expect(between.phase).toBe('Running');
        expect((await pod.ended()).phase).toBe('Failed');
      });
    },
    'a process that a signal ends gives the code of the signal': async (t) => {
      const pod = await t.start(once("sh -c 'kill -9 $$$$'; exit $?"));
      expect(stateOf(container(await pod.ended())?.state)).toBe('terminated Error 137');
    },
    'on failure a container runs again until it ends well': async (t) => {
      const volumes = [{ name: 'v', emptyDir: {} }];
      const script = 'if [ -e /v/done ]; then exit 0; fi; touch /v/done; exit 7';
      const containers = [shell(script, { volumeMounts: [{ name: 'v', mountPath: '/v' }] })];
      const pod = await t.start({ restartPolicy: 'OnFailure', containers, volumes });
      const status = await pod.ended();
      expect(status.phase).toBe('Succeeded');
      expect(container(status)?.restartCount).toBe(1);
      expect(stateOf(container(status)?.lastState)).toBe('terminated Error 7');
    },
    'always means also after it ended well': async (t) => {
      const pod = await t.start({ containers: [shell('exit 0')] });
      const status = await pod.until('restarted', (now) => (container(now)?.restartCount ?? 0) > 0);
      expect(status.phase).toBe('Running');
      expect(stateOf(container(status)?.lastState)).toBe('terminated Completed 0');
    },
    'a container that keeps failing waits longer each time and says so': async (t) => {
      const pod = await t.start({ containers: [shell('exit 1')] });
      const status = await pod.until(
        'backing off',
        (now) => !!container(now)?.state?.waiting && (container(now)?.restartCount ?? 0) > 0,
      );
      const uid = (await pod.read()).metadata?.uid;
      expect(container(status)?.state?.waiting).toEqual({
        reason: 'CrashLoopBackOff',
        message: expect.stringMatching(
          new RegExp(`^back-off \\d+s restarting failed container=c pod=p_${pod.ns}\\(${uid}\\)$`),
        ),
      });
      expect(condition(status, 'Ready')).toMatchObject({
        status: 'False',
        reason: 'ContainersNotReady',
        message: 'containers with unready status: [c]',
      });
      await pod.event(/^Warning BackOff: Back-off restarting failed container c in pod p_/);
    },
    'the events of a start come from the scheduler and the kubelet': async (t) => {
      const pod = await t.start({ containers: [shell(idle)] });
      await pod.ready();
      // Each of them writes its events asynchronously.
      await t.eventually(async () => {
        expect(await pod.events()).toEqual(
          expect.arrayContaining([
            expect.stringMatching(new RegExp(`^Normal Scheduled: Successfully assigned ${pod.ns}/p to `)),
            'Normal Pulled: Container image "docker.io/library/busybox:1.28.0-glibc" already present on machine and can be accessed by the pod',
            'Normal Created: Container created',
            'Normal Started: Container started',
          ]),
        );
      });
    },
    'a deadline ends the Pod': async (t) => {
      const pod = await t.start({ activeDeadlineSeconds: 1, containers: [shell(idle)] });
      const status = await pod.ended();
      expect(status).toMatchObject({
        phase: 'Failed',
        reason: 'DeadlineExceeded',
        message: 'Pod was active on the node longer than the specified deadline',
      });
    },
    'a message can be left for the status': async (t) => {
      const pod = await t.start(once('echo "out of luck" > /dev/termination-log; exit 1'));
      expect(container(await pod.ended())?.state?.terminated?.message).toBe('out of luck\n');
    },
    'the end of the log can be the message': async (t) => {
      const pod = await t.start(
        once('echo one; echo two; exit 1', { terminationMessagePolicy: 'FallbackToLogsOnError' }),
      );
      expect(container(await pod.ended())?.state?.terminated?.message).toBe('one\ntwo\n');
    },
    'a Pod that fits nowhere waits and says why': async (t) => {
      const pod = await t.start({ nodeSelector: { nowhere: 'yes' }, containers: [shell(idle)] });
      const status = await pod.until('judged', (now) => !!condition(now, 'PodScheduled'));
      expect(status.phase).toBe('Pending');
      expect(condition(status, 'PodScheduled')).toMatchObject({
        status: 'False',
        reason: 'Unschedulable',
        message: expect.stringMatching(
          /^0\/1 nodes are available: 1 node\(s\) didn't match Pod's node affinity\/selector\./,
        ),
      });
      await pod.event(/^Warning FailedScheduling: 0\/1 nodes are available: /);
    },
    'an image that changes restarts the container in place, whatever the policy': async (t) => {
      const pod = await t.start({ restartPolicy: 'Never', containers: [shell(idle)] });
      const before = container(await pod.ready());
      await t.patch(pod.path, 'strategic', { spec: { containers: [{ name: 'c', image: otherBusybox }] } });
      const status = await pod.until(
        'changed',
        (now) => container(now)?.restartCount === 1 && !!container(now)?.state?.running,
      );
      expect(status).toMatchObject({ phase: 'Running', observedGeneration: 2 });
      expect(container(status)?.containerID).not.toBe(before?.containerID);
      await pod.event(/^Normal Killing: Container c definition changed, will be restarted$/);
    },
  },
};
