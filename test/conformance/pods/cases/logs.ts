// SPDX-License-Identifier: Apache-2.0
import { expect } from 'vitest';
import { badRequest, refusalOf } from '../../answer.ts';
import { container, idle, once, type PodSubject, shell } from '../pod-trial.ts';

/** The logs of containers, as the server returns them. */
export const logs: PodSubject = {
  name: 'logs',
  cases: {
    'both streams are in the log, each in its order': async (t) => {
      // The runtime copies each stream separately: the order between the lines of both is undefined.
      const lines = (await t.output('echo one; echo two >&2; echo three; echo four >&2')).split('\n');
      expect(lines.filter((line) => line === 'one' || line === 'three')).toEqual(['one', 'three']);
      expect(lines.filter((line) => line === 'two' || line === 'four')).toEqual(['two', 'four']);
      expect(lines.length).toBe(5);
    },
    'the log is plain text': async (t) => {
      const pod = await t.start(once('echo hello'));
      await pod.ended();
      const { code, headers } = await t.get(`${pod.path}/log`);
      expect({ code, type: headers['content-type'] }).toEqual({ code: 200, type: 'text/plain' });
    },
    'the last lines can be asked for, and the first bytes': async (t) => {
      const pod = await t.start(once('for i in 1 2 3 4 5; do echo $i; done'));
      await pod.ended();
      expect(await pod.log('tailLines=2')).toBe('4\n5\n');
      expect(await pod.log('tailLines=0')).toBe('');
      expect(await pod.log('limitBytes=3')).toBe('1\n2');
    },
    'lines can carry their time': async (t) => {
      const pod = await t.start(once('echo hello'));
      await pod.ended();
      expect(await pod.log('timestamps=true')).toMatch(
        /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+(Z|[+-]\d\d:\d\d) hello\n$/,
      );
    },
    'the log of the container before can be asked for': async (t) => {
      const volumes = [{ name: 'v', emptyDir: {} }];
      const script = `[ -e /v/x ] && { echo second; ${idle}; }; touch /v/x; echo first; exit 1`;
      const containers = [shell(script, { volumeMounts: [{ name: 'v', mountPath: '/v' }] })];
      const pod = await t.start({ containers, volumes });
      await pod.until('restarted', (now) => container(now)?.restartCount === 1 && !!container(now)?.state?.running);
      expect(await pod.logged(/second/)).toBe('second\n');
      expect(await pod.log('previous=true')).toBe('first\n');
    },
    'a container that did not run before has no such log': async (t) => {
      const pod = await t.start({ containers: [shell(idle)] });
      await pod.ready();
      expect(refusalOf(await t.get(`${pod.path}/log?previous=true`))).toEqual(
        badRequest('previous terminated container "c" in pod "p" not found'),
      );
    },
    'of several containers one must be chosen': async (t) => {
      const pod = await t.start({
        containers: [shell('echo one', { name: 'a' }), shell('echo two', { name: 'b' })],
        restartPolicy: 'Never',
      });
      await pod.ended();
      expect(refusalOf(await t.get(`${pod.path}/log`))).toEqual(
        badRequest('a container name must be specified for pod p, choose one of: [a b]'),
      );
      expect(await pod.log('container=b')).toBe('two\n');
      expect(refusalOf(await t.get(`${pod.path}/log?container=none`))).toEqual(
        badRequest('container none is not valid for pod p'),
      );
    },
    'a container that waits has no log yet': async (t) => {
      const pod = await t.start({ containers: [shell(idle, { image: 'docker.io/library/none-such:1' })] });
      await pod.until('refused', (now) => /ImagePull/.test(container(now)?.state?.waiting?.reason ?? ''));
      const { code, message } = refusalOf(await t.get(`${pod.path}/log`));
      expect(code).toBe(400);
      expect(message).toMatch(
        /^container "c" in pod "p" is waiting to start: (image can't be pulled|trying and failing to pull image)$/,
      );
    },
    'a Pod on no node has no log': async (t) => {
      const pod = await t.start({ nodeSelector: { nowhere: 'yes' }, containers: [shell(idle)] });
      const { code, body } = await t.get<string>(`${pod.path}/log`);
      expect({ code, body }).toEqual({ code: 204, body: '' });
    },
    'a log can be followed to its end': async (t) => {
      const pod = await t.start(once('for i in 1 2 3; do echo $i; sleep 0.5; done'));
      await pod.until('started', ({ phase }) => phase !== 'Pending');
      expect(await pod.log('follow=true')).toBe('1\n2\n3\n');
    },
  },
};
