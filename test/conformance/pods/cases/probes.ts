// SPDX-License-Identifier: Apache-2.0
import { expect } from 'vitest';
import { condition, container, idle, type PodSubject, shell, stateOf } from '../pod-trial.ts';

const probe = (script: string, more: object = {}) => ({
  exec: { command: ['/bin/sh', '-c', script] },
  periodSeconds: 1,
  // Only the case about timeouts may fail because the machine is busy.
  timeoutSeconds: 30,
  failureThreshold: 1,
  ...more,
});

/** Startup, liveness and readiness probes. */
export const probes: PodSubject = {
  name: 'probes',
  cases: {
    'a container is ready when its probe succeeds, and not before': async (t) => {
      await t.inPassing(async (seconds) => {
        const containers = [shell(`sleep ${seconds}; touch /up; ${idle}`, { readinessProbe: probe('cat /up') })];
        const pod = await t.start({ containers });
        const early = await pod.running();
        expect(container(early)).toMatchObject({ ready: false, started: true });
        expect(condition(early, 'Ready')).toMatchObject({
          status: 'False',
          reason: 'ContainersNotReady',
          message: 'containers with unready status: [c]',
        });
        const status = await pod.ready();
        expect(container(status)).toMatchObject({ ready: true, restartCount: 0 });
        await pod.event(
          /^Warning Unhealthy: Readiness probe failed: cat: can't open '\/up': No such file or directory/,
        );
      });
    },
    'a container that is no longer ready goes on': async (t) => {
      await t.inPassing(async (seconds) => {
        const script = `touch /up; sleep ${seconds + 1}; rm /up; ${idle}`;
        const pod = await t.start({ containers: [shell(script, { readinessProbe: probe('cat /up') })] });
        await pod.ready();
        const status = await pod.until('not ready', (now) => condition(now, 'Ready')?.status === 'False');
        expect(container(status)).toMatchObject({ ready: false, restartCount: 0 });
        expect(status.phase).toBe('Running');
      });
    },
    'a container that is no longer alive is killed and started again': async (t) => {
      const containers = [shell(idle, { livenessProbe: probe('exit 1') })];
      const pod = await t.start({ containers, terminationGracePeriodSeconds: 30 });
      const status = await pod.until('restarted', (now) => (container(now)?.restartCount ?? 0) > 0);
      expect(stateOf(container(status)?.lastState)).toBe('terminated Completed 0');
      await pod.event(/^Warning Unhealthy: Liveness probe failed: /);
      await pod.event(/^Normal Killing: Container c failed liveness probe, will be restarted$/);
    },
    'a container that is killed for it and never restarts has failed': async (t) => {
      const script = 'while :; do sleep 0.1; done';
      const containers = [shell(script, { livenessProbe: probe('exit 1') })];
      const pod = await t.start({ restartPolicy: 'Never', containers });
      const status = await pod.ended();
      expect(status.phase).toBe('Failed');
      expect(stateOf(container(status)?.state)).toBe('terminated Error 137');
    },
    'nothing else is probed until the container has started': async (t) => {
      const fields = {
        startupProbe: probe('cat /started', { failureThreshold: 300 }),
        livenessProbe: probe('cat /started'),
        readinessProbe: probe('true'),
      };
      await t.inPassing(async (seconds) => {
        const script = `sleep ${seconds + 1}; touch /started; ${idle}`;
        const pod = await t.start({ containers: [shell(script, fields)] });
        const early = await pod.running();
        expect(container(early)).toMatchObject({ started: false, ready: false });
        const status = await pod.ready();
        expect(container(status)).toMatchObject({ started: true, restartCount: 0 });
      });
    },
    'a container that does not start in time is killed': async (t) => {
      const containers = [shell(idle, { startupProbe: probe('exit 1', { failureThreshold: 2 }) })];
      const pod = await t.start({ containers });
      await pod.until('restarted', (now) => (container(now)?.restartCount ?? 0) > 0);
      await pod.event(/^Normal Killing: Container c failed startup probe, will be restarted$/);
    },
    'several failures in a row can be forgiven': async (t) => {
      const script = 'n=$(cat /n 2>/dev/null || echo 0); echo $((n+1)) > /n; [ $((n % 3)) = 2 ]';
      const containers = [shell(idle, { livenessProbe: probe(script, { failureThreshold: 3 }) })];
      const pod = await t.start({ containers });
      await pod.ready();
      await pod.event(/^Warning Unhealthy: Liveness probe failed: /);
      await new Promise((done) => setTimeout(done, 5000));
      expect(container((await pod.read()).status)?.restartCount).toBe(0);
    },
    'a port that listens is enough': async (t) => {
      const containers = [
        shell(`sleep 1; while :; do nc -l -p 7000 < /dev/null; done`, {
          readinessProbe: { tcpSocket: { port: 7000 }, periodSeconds: 1 },
        }),
      ];
      const pod = await t.start({ containers });
      await pod.ready();
    },
    'a port without a listener is not': async (t) => {
      const containers = [shell(idle, { readinessProbe: { tcpSocket: { port: 7001 }, periodSeconds: 1 } })];
      const pod = await t.start({ containers });
      await pod.event(
        /^Warning Unhealthy: Readiness probe failed: dial tcp \d+\.\d+\.\d+\.\d+:7001: connect: connection refused$/,
      );
    },
    'an answer of HTTP between 200 and 399 is well': async (t) => {
      const answer = (code: string) => `printf "HTTP/1.0 ${code}\\r\\nContent-Length: 0\\r\\n\\r\\n"`;
      const serve = (port: number, code: string) => `while :; do ${answer(code)} | nc -l -p ${port} >/dev/null; done`;
      const httpProbe = (port: number) => ({ httpGet: { port, path: '/x' }, periodSeconds: 1 });
      const containers = [
        shell(serve(7002, '204 No Content'), { name: 'good', readinessProbe: httpProbe(7002) }),
        shell(serve(7003, '503 Unavailable'), { name: 'bad', readinessProbe: httpProbe(7003) }),
      ];
      const pod = await t.start({ containers });
      const status = await pod.until('half ready', (now) => container(now, 'good')?.ready);
      expect(container(status, 'bad')?.ready).toBe(false);
      await pod.event(/^Warning Unhealthy: Readiness probe failed: HTTP probe failed with statuscode: 503$/);
    },
    'a probe that takes too long has failed': async (t) => {
      const containers = [shell(idle, { readinessProbe: probe('sleep 10', { timeoutSeconds: 1 }) })];
      const pod = await t.start({ containers });
      await pod.event(
        /^Warning Unhealthy: Readiness probe failed: command timed out: "\/bin\/sh -c sleep 10" timed out after 1s$/,
      );
    },
    'others may have a say in readiness': async (t) => {
      const readinessGates = [{ conditionType: 'example.com/gate' }];
      const pod = await t.start({ readinessGates, containers: [shell(idle)] });
      const status = await pod.until('up', (now) => condition(now, 'ContainersReady')?.status === 'True');
      expect(condition(status, 'Ready')).toMatchObject({
        status: 'False',
        reason: 'ReadinessGatesNotReady',
        message: 'corresponding condition of pod readiness gate "example.com/gate" does not exist.',
      });
      const conditions = [{ type: 'example.com/gate', status: 'True' }];
      await t.patch(`${pod.path}/status`, 'strategic', { status: { conditions } });
      await pod.ready();
    },
  },
};
