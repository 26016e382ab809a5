// SPDX-License-Identifier: Apache-2.0
import { expect } from 'vitest';
import { busybox, condition, container, idle, once, type PodSubject, shell, stateOf } from '../pod-trial.ts';

const missing = 'docker.io/library/none-such:1';

/** Reasons why a container does not start, and how they are reported. */
export const trouble: PodSubject = {
  name: 'containers that cannot start',
  cases: {
    'an image that is nowhere is pulled in vain, again and again': async (t) => {
      const pod = await t.start({ containers: [shell(idle, { image: missing })] });
      const first = await pod.until('refused', (now) => container(now)?.state?.waiting?.reason === 'ErrImagePull');
      expect(first.phase).toBe('Pending');
      expect(container(first)).toMatchObject({ image: missing, imageID: '', ready: false, started: false });
      const later = await pod.until(
        'backing off',
        (now) => container(now)?.state?.waiting?.reason === 'ImagePullBackOff',
      );
      expect(container(later)?.state?.waiting?.message).toMatch(
        new RegExp(`^Back-off pulling image "${missing}": ErrImagePull: `),
      );
      // Events are written asynchronously, beside the status.
      await t.eventually(async () => {
        expect(await pod.events()).toEqual(
          expect.arrayContaining([
            `Normal Pulling: Pulling image "${missing}"`,
            'Warning Failed: Error: ErrImagePull',
            expect.stringMatching(/^Normal BackOff: Back-off pulling image /),
            'Warning Failed: Error: ImagePullBackOff',
          ]),
        );
      });
    },
    'an image that must not be pulled and is not there is told so': async (t) => {
      const pod = await t.start({ containers: [shell(idle, { image: missing, imagePullPolicy: 'Never' })] });
      const status = await pod.until('refused', (now) => !!container(now)?.state?.waiting?.message);
      expect(container(status)?.state?.waiting).toEqual({
        reason: 'ErrImageNeverPull',
        message: `Container image "${missing}" is not present with pull policy of Never`,
      });
      await pod.event(/^Warning ErrImageNeverPull: /);
    },
    'a name that is no image is told so': async (t) => {
      const pod = await t.start({ containers: [shell(idle, { image: 'Not An Image' })] });
      const status = await pod.until('refused', (now) => !!container(now)?.state?.waiting?.message);
      expect(container(status)?.state?.waiting).toMatchObject({
        reason: 'InvalidImageName',
        message: expect.stringMatching(
          /^Failed to apply default image tag "Not An Image": couldn't parse image name "Not An Image": invalid reference format/,
        ),
      });
      await pod.event(/^Warning InspectFailed: Failed to apply default image tag "Not An Image"/);
    },
    'a Pod waits for the ConfigMap that its environment needs, and starts when it comes': async (t) => {
      const ns = await t.podNamespace();
      const env = [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'late', key: 'a' } } }];
      const pod = await t.start(once('echo "got $A"', { env }), { ns });
      const status = await pod.until('refused', (now) => !!container(now)?.state?.waiting?.message);
      expect(container(status)?.state?.waiting).toEqual({
        reason: 'CreateContainerConfigError',
        message: 'configmap "late" not found',
      });
      await pod.event(/^Warning Failed: Error: configmap "late" not found$/);
      await t.make(`/api/v1/namespaces/${ns}/configmaps`, { metadata: { name: 'late' }, data: { a: 'it' } });
      expect((await pod.ended()).phase).toBe('Succeeded');
      expect(await pod.log()).toBe('got it\n');
    },
    'a key that a Secret lacks is told by name': async (t) => {
      const ns = await t.podNamespace();
      await t.make(`/api/v1/namespaces/${ns}/secrets`, { metadata: { name: 's' }, stringData: { a: '1' } });
      const env = [{ name: 'A', valueFrom: { secretKeyRef: { name: 's', key: 'none' } } }];
      const pod = await t.start(once('true', { env }), { ns });
      const status = await pod.until('refused', (now) => !!container(now)?.state?.waiting?.message);
      expect(container(status)?.state?.waiting).toEqual({
        reason: 'CreateContainerConfigError',
        message: `couldn't find key none in Secret ${ns}/s`,
      });
    },
    'a Pod waits for the Secret of a volume, and starts when it comes': async (t) => {
      const ns = await t.podNamespace();
      const volumes = [{ name: 'v', secret: { secretName: 'late' } }];
      const spec = once('cat /v/a', { volumeMounts: [{ name: 'v', mountPath: '/v' }] });
      const pod = await t.start({ ...spec, volumes }, { ns });
      await pod.event(/^Warning FailedMount: MountVolume\.SetUp failed for volume "v" : secret "late" not found$/);
      const waiting = 'waiting ContainerCreating';
      const status = await pod.until(waiting, (now) => stateOf(container(now)?.state) === waiting);
      expect(status.phase).toBe('Pending');
      await t.make(`/api/v1/namespaces/${ns}/secrets`, { metadata: { name: 'late' }, stringData: { a: 'it' } });
      expect((await pod.ended()).phase).toBe('Succeeded');
      expect(await pod.log()).toBe('it');
    },
    'what is optional is not waited for': async (t) => {
      const env = [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'none', key: 'a', optional: true } } }];
      const volumes = [{ name: 'v', secret: { secretName: 'none', optional: true } }];
      const mount = { volumeMounts: [{ name: 'v', mountPath: '/v' }] };
      expect(await t.output('echo "<$A>"; ls /v | wc -l', { env, ...mount }, { volumes })).toBe('<>\n0\n');
    },
    'a program that is not there fails the container with the code 128': async (t) => {
      const containers = [{ name: 'c', image: busybox, command: ['/no/such/program'] }];
      const pod = await t.start({ restartPolicy: 'Never', containers });
      const status = await pod.ended();
      expect(status.phase).toBe('Failed');
      expect(stateOf(container(status)?.state)).toBe('terminated StartError 128');
      expect(container(status)?.state?.terminated?.message).toMatch(/\/no\/such\/program.*no such file or directory/);
      await pod.event(/^Warning Failed: Error: failed to create containerd task: /);
    },
    'a program that is not there is tried again where restarts are wanted': async (t) => {
      const containers = [{ name: 'c', image: busybox, command: ['/no/such/program'] }];
      const pod = await t.start({ containers });
      const status = await pod.until(
        'backing off',
        (now) => container(now)?.state?.waiting?.reason === 'CrashLoopBackOff',
      );
      expect(stateOf(container(status)?.lastState)).toBe('terminated StartError 128');
    },
    'a container that must not be root is refused if it would be': async (t) => {
      const pod = await t.start({ containers: [shell(idle)], securityContext: { runAsNonRoot: true } });
      const status = await pod.until('refused', (now) => !!container(now)?.state?.waiting?.message);
      const uid = (await pod.read()).metadata?.uid;
      expect(container(status)?.state?.waiting).toEqual({
        reason: 'CreateContainerConfigError',
        message: `container has runAsNonRoot and image will run as root (pod: "p_${pod.ns}(${uid})", container: c)`,
      });
    },
    'one container that cannot start does not keep the others from it': async (t) => {
      const containers = [shell(idle, { name: 'good' }), shell(idle, { name: 'bad', image: missing })];
      const pod = await t.start({ containers });
      const status = await pod.until('half up', (now) => !!container(now, 'good')?.state?.running);
      expect(status.phase).toBe('Pending');
      expect(container(status, 'good')?.ready).toBe(true);
      expect(condition(status, 'Ready')).toMatchObject({
        status: 'False',
        message: 'containers with unready status: [bad]',
      });
    },
  },
};
