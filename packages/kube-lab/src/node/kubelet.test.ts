// SPDX-License-Identifier: Apache-2.0
import { configMaps, pods, secrets } from '@operator-parts/kube';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { app, NodeWorld } from './testing/node-world.ts';

let world: NodeWorld;

beforeEach(async () => {
  world = await NodeWorld.open();
  onTestFinished(() => world[Symbol.asyncDispose]());
});

const key = { namespace: 'default', name: 'p' };
const isReady = async () =>
  (await world.pod('p')).status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;
const phase = async () => (await world.pod('p')).status?.phase;
const waiting = async (container = 'app') => (await world.status('p', container))?.state?.waiting?.reason;

/** The clock advances meanwhile: a machine is off for a moment. */
async function reboot(): Promise<void> {
  let isBack = false;
  const work = world.node.reboot().then(() => {
    isBack = true;
  });
  await world.until(async () => {
    await world.clock.advance(1);
    return isBack;
  });
  await work;
}

describe('a pod that is bound to the node', () => {
  test('gets an address, runs, and becomes ready', async () => {
    await world.create('p', {});
    await world.until(isReady);
    const { status } = await world.pod('p');
    expect(status).toMatchObject({ phase: 'Running', podIP: '10.244.1.2', hostIP: '10.244.0.10' });
    expect(status?.conditions?.map(({ type }) => type)).toEqual([
      'PodReadyToStartContainers',
      'Initialized',
      'Ready',
      'ContainersReady',
      'PodScheduled',
    ]);
    expect(await world.status('p')).toMatchObject({
      ready: true,
      started: true,
      restartCount: 0,
      image: 'docker.io/library/app:v1',
      containerID: expect.stringMatching(/^containerd:\/\/[0-9a-f]{64}$/),
      imageID: expect.stringMatching(/^docker.io\/library\/app@sha256:/),
      state: { running: { startedAt: '2026-01-01T00:00:00Z' } },
      lastState: {},
    });
  });

  test('leaves other nodes alone', async () => {
    await world.create('p', { nodeName: 'node-2' });
    await world.clock.advance(1000);
    expect(world.runtime.containers).toEqual([]);
  });
});

describe('init containers', () => {
  test('run one after the other, then the others start', async () => {
    await world.create('p', { initContainers: [app({ name: 'first' }), app({ name: 'second' })] });
    await world.runs('first', 1);
    await world.until(async () => (await waiting()) === 'PodInitializing');
    expect(world.runtime.runs('second')).toEqual([]);
    world.runtime.end('first', 0);
    await world.runs('second', 1);
    expect(world.runtime.runs('app')).toEqual([]);
    world.runtime.end('second', 0);
    await world.runs('app', 1);
    await world.until(isReady);
    expect(await world.status('p', 'first')).toMatchObject({
      ready: true,
      state: { terminated: { reason: 'Completed' } },
    });
  });

  test('that fail are tried again; with restart policy Never the pod has failed', async () => {
    await world.create('p', { restartPolicy: 'Never', initContainers: [app({ name: 'first' })] });
    await world.runs('first', 1);
    world.runtime.end('first', 3);
    await world.until(async () => (await phase()) === 'Failed');
    expect(await world.status('p', 'first')).toMatchObject({ state: { terminated: { exitCode: 3, reason: 'Error' } } });
    expect(world.runtime.runs('app')).toEqual([]);
    expect(world.runtime.sandboxes.size).toBe(0);
  });

  test('with restart policy Always stay as sidecars and end last', async () => {
    world.runtime.endsOnTerm = false;
    await world.create('p', {
      restartPolicy: 'Never',
      initContainers: [app({ name: 'sidecar', restartPolicy: 'Always' }), app({ name: 'first' })],
    });
    await world.runs('first', 1);
    expect(world.runtime.latest('sidecar').running).toBe(true);
    world.runtime.end('first', 0);
    await world.runs('app', 1);
    world.runtime.end('app', 0);
    await world.until(() => world.runtime.latest('sidecar').signals.includes('SIGTERM'));
    expect(await phase()).toBe('Running');
    world.runtime.end('sidecar', 143);
    await world.until(async () => (await phase()) === 'Succeeded');
  });

  test('run again after a reboot, before the others: the sandbox they ran in is gone', async () => {
    await world.create('p', { initContainers: [app({ name: 'first' }), app({ name: 'second' })] });
    for (const name of ['first', 'second']) {
      await world.runs(name, 1);
      world.runtime.end(name, 0);
    }
    await world.runs('app', 1);
    await world.until(isReady);
    await reboot();
    await world.runs('first', 2);
    await world.until(async () => (await phase()) === 'Pending');
    expect(await world.status('p', 'first')).toMatchObject({ ready: false, restartCount: 1 });
    expect(world.runtime.runs('second')).toHaveLength(1);
    world.runtime.end('first', 0);
    await world.runs('second', 2);
    expect(world.runtime.runs('app')).toHaveLength(1);
    world.runtime.end('second', 0);
    await world.runs('app', 2);
    await world.until(isReady);
    expect(await phase()).toBe('Running');
    for (const name of ['first', 'second']) {
      expect(await world.status('p', name)).toMatchObject({
        ready: true,
        restartCount: 1,
        state: { terminated: { reason: 'Completed' } },
      });
    }
    expect(await world.status('p')).toMatchObject({ restartCount: 1, lastState: { terminated: { exitCode: 255 } } });
    // Once the pod runs, an exited container does not mean that the sandbox ended.
    world.runtime.end('app', 1);
    await world.clock.advance(60_000);
    await world.runs('app', 3);
    expect(world.runtime.runs('first')).toHaveLength(2);
  });

  test('stay as they are after a reboot with restart policy Never: the pod has failed', async () => {
    await world.create('p', { restartPolicy: 'Never', initContainers: [app({ name: 'first' })] });
    await world.runs('first', 1);
    world.runtime.end('first', 0);
    await world.runs('app', 1);
    await world.until(isReady);
    await reboot();
    await world.until(async () => (await phase()) === 'Failed');
    expect(world.runtime.runs('first')).toHaveLength(1);
    expect(world.runtime.runs('app')).toHaveLength(1);
  });
});

describe('a container that ends', () => {
  test('is restarted at once, then after 10 s, 20 s, 40 s, and shows CrashLoopBackOff meanwhile', async () => {
    await world.create('p', {});
    await world.runs('app', 1);
    world.runtime.end('app', 1);
    await world.runs('app', 2);
    for (const [index, delay] of [10, 20, 40].entries()) {
      world.runtime.end('app', 1);
      await world.until(async () => (await waiting()) === 'CrashLoopBackOff');
      const status = await world.status('p');
      const uid = (await world.pod('p')).metadata?.uid;
      expect(status?.state?.waiting?.message).toBe(
        `back-off ${delay}s restarting failed container=app pod=p_default(${uid})`,
      );
      expect(status).toMatchObject({
        restartCount: index + 1,
        lastState: { terminated: { exitCode: 1, reason: 'Error' } },
      });
      await world.clock.advance(delay * 1000 - 1);
      expect(world.runtime.runs('app')).toHaveLength(index + 2);
      await world.clock.advance(1);
      await world.runs('app', index + 3);
    }
    expect(await world.eventReasons()).toContainEqual(
      expect.stringMatching(/^BackOff: Back-off restarting failed container app in pod p_default/),
    );
  });

  test('is restarted at once again after ten quiet minutes', async () => {
    await world.create('p', {});
    await world.runs('app', 1);
    world.runtime.end('app', 1);
    await world.runs('app', 2);
    await world.clock.advance(600_001);
    world.runtime.end('app', 1);
    await world.runs('app', 3);
    expect((await world.status('p'))?.restartCount).toBeLessThanOrEqual(2);
  });

  test('stays ended with policy Never, and the pod with it', async () => {
    await world.create('p', { restartPolicy: 'Never' });
    await world.runs('app', 1);
    world.runtime.end('app', 0);
    await world.until(async () => (await phase()) === 'Succeeded');
    expect((await world.pod('p')).status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'Ready', status: 'False', reason: 'PodCompleted' }),
    );
    expect((await world.pod('p')).status?.podIP).toBe('10.244.1.2');
  });

  test('is restarted by policy OnFailure only if it failed', async () => {
    await world.create('p', { restartPolicy: 'OnFailure' });
    await world.runs('app', 1);
    world.runtime.end('app', 7);
    await world.runs('app', 2);
    world.runtime.end('app', 0);
    await world.until(async () => (await phase()) === 'Succeeded');
    expect(world.runtime.runs('app')).toHaveLength(2);
  });

  test('that was killed for memory is OOMKilled with 137', async () => {
    await world.create('p', { restartPolicy: 'Never' });
    await world.runs('app', 1);
    await world.node.kubelet.workers[0]?.runner.killForMemory('app');
    await world.until(async () => (await phase()) === 'Failed');
    expect((await world.status('p'))?.state?.terminated).toMatchObject({ reason: 'OOMKilled', exitCode: 137 });
  });

  test('with a missing program is a start error with 128 and is tried again with back-off', async () => {
    world.runtime.programs = new Set();
    await world.create('p', {});
    await world.until(async () => (await waiting()) === 'RunContainerError');
    expect((await world.status('p'))?.lastState?.terminated).toMatchObject({ reason: 'StartError', exitCode: 128 });
    world.runtime.programs = undefined;
    await world.clock.advance(10_000);
    await world.runs('app', 1);
    await world.until(isReady);
  });
});

describe('a changed image', () => {
  test.each(['Always', 'Never'] as const)('restarts the container in place with policy %s', async (restartPolicy) => {
    await world.create('p', { restartPolicy });
    await world.runs('app', 1);
    await world.until(isReady);
    const patch = { spec: { containers: [{ ...app(), image: 'app:v2' }] } };
    await world.client.resource(pods).patch(key, { type: 'merge', patch });
    await world.runs('app', 2);
    await world.until(async () => (await world.status('p'))?.image === 'docker.io/library/app:v2');
    await world.until(isReady);
    expect(world.runtime.runs('app')[0]?.signals).toEqual(['SIGTERM']);
    expect(world.runtime.latest('app').spec.argv).toEqual(['app-v2']);
    expect(await world.status('p')).toMatchObject({
      restartCount: 1,
      lastState: { terminated: { reason: 'Completed' } },
    });
    expect((await world.pod('p')).status?.podIP).toBe('10.244.1.2');
    expect(await world.eventReasons()).toContainEqual('Killing: Container app definition changed, will be restarted');
  });

  test('helps a container that waits for an image that does not exist', async () => {
    await world.create('p', { containers: [app({ image: 'app:v9' })] });
    await world.until(async () => (await waiting()) === 'ErrImagePull');
    await world.clock.advance(5000);
    await world.until(async () => (await waiting()) === 'ImagePullBackOff');
    expect(await phase()).toBe('Pending');
    const patch = { spec: { containers: [app()] } };
    await world.client.resource(pods).patch(key, { type: 'merge', patch });
    await world.runs('app', 1);
    await world.until(isReady);
  });
});

describe('the environment', () => {
  test('takes annotations as they are at each start of the container', async () => {
    const env = [{ name: 'CLUSTER', valueFrom: { fieldRef: { fieldPath: "metadata.annotations['cluster']" } } }];
    await world.create('p', { containers: [app({ env })] }, { cluster: 'one' });
    await world.runs('app', 1);
    expect(world.runtime.latest('app').spec.env['CLUSTER']).toBe('one');
    await world.client
      .resource(pods)
      .patch(key, { type: 'merge', patch: { metadata: { annotations: { cluster: 'two' } } } });
    world.runtime.end('app', 1);
    await world.runs('app', 2);
    expect(world.runtime.latest('app').spec.env['CLUSTER']).toBe('two');
  });

  test('waits for a Secret that is missing, and expands variables in arguments', async () => {
    const env = [
      { name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 's', key: 'password' } } },
      { name: 'URL', value: 'x:$(PASSWORD)' },
    ];
    await world.create('p', { containers: [app({ env, args: ['--url=$(URL)', '$(NONE)', '$$(URL)'] })] });
    await world.until(async () => (await waiting()) === 'CreateContainerConfigError');
    expect((await world.status('p'))?.state?.waiting?.message).toBe('secret "s" not found');
    await world.client.resource(secrets).create({
      metadata: { namespace: 'default', name: 's' },
      data: { password: Buffer.from('hush').toString('base64') },
    });
    await world.clock.advance(10_000);
    await world.runs('app', 1);
    expect(world.runtime.latest('app').spec.argv).toEqual(['app-v1', '--url=x:hush', '$(NONE)', '$(URL)']);
  });
});

describe('probes', () => {
  test('decide on readiness, with thresholds', async () => {
    let healthy = false;
    world.runtime.probeOutcome = () => ({ success: healthy, output: 'no' });
    const readinessProbe = { tcpSocket: { port: 80 }, periodSeconds: 5, successThreshold: 1, failureThreshold: 2 };
    await world.create('p', { containers: [app({ readinessProbe })] });
    await world.runs('app', 1);
    await world.clock.advance(10_000);
    expect(await isReady()).toBe(false);
    healthy = true;
    await world.clock.advance(5000);
    await world.until(isReady);
    healthy = false;
    await world.clock.advance(5000);
    expect(await isReady()).toBe(true);
    await world.clock.advance(5000);
    await world.until(async () => !(await isReady()));
    expect(await world.eventReasons()).toContainEqual('Unhealthy: Readiness probe failed: no');
  });

  test('of liveness end and restart the container', async () => {
    const livenessProbe = {
      exec: { command: ['check'] },
      initialDelaySeconds: 10,
      periodSeconds: 1,
      failureThreshold: 3,
    };
    await world.create('p', { containers: [app({ livenessProbe })] });
    await world.runs('app', 1);
    world.runtime.probeOutcome = () => ({ success: false, output: 'dead' });
    await world.clock.advance(11_999);
    expect(world.runtime.latest('app').signals).toEqual([]);
    await world.clock.advance(1);
    await world.runs('app', 2);
    expect(await world.eventReasons()).toContainEqual(
      'Killing: Container app failed liveness probe, will be restarted',
    );
  });

  test('of startup come first', async () => {
    let started = false;
    world.runtime.probeOutcome = (target) => ({ success: target.kind === 'tcp' || started, output: '' });
    const startupProbe = { exec: { command: ['up'] }, periodSeconds: 1, failureThreshold: 30 };
    const livenessProbe = { tcpSocket: { port: 80 }, periodSeconds: 1 };
    await world.create('p', { containers: [app({ startupProbe, livenessProbe })] });
    await world.runs('app', 1);
    await world.clock.advance(5000);
    expect(world.runtime.probes.every(({ kind }) => kind === 'exec')).toBe(true);
    expect(await world.status('p')).toMatchObject({ started: false, ready: false });
    started = true;
    await world.clock.advance(1000);
    await world.until(isReady);
    expect(world.runtime.probes.at(-1)).toEqual({ kind: 'tcp', host: '10.244.1.2', port: 80 });
  });
});

test('a pod that runs longer than its active deadline has failed', async () => {
  await world.create('p', { activeDeadlineSeconds: 60 });
  await world.runs('app', 1);
  await world.clock.advance(60_000);
  await world.until(async () => (await phase()) === 'Failed');
  expect((await world.pod('p')).status).toMatchObject({ reason: 'DeadlineExceeded' });
});

test('a volume of a ConfigMap that is missing holds the pod back until it is there', async () => {
  const volumes = [{ name: 'v', configMap: { name: 'c' } }];
  await world.create('p', { volumes, containers: [app({ volumeMounts: [{ name: 'v', mountPath: '/v' }] })] });
  await world.until(async () => (await waiting()) === 'ContainerCreating');
  await world.until(async () => (await world.eventReasons()).length > 0);
  expect(await world.eventReasons()).toContainEqual(
    'FailedMount: MountVolume.SetUp failed for volume "v" : configmap "c" not found',
  );
  await world.client.resource(configMaps).create({ metadata: { namespace: 'default', name: 'c' }, data: { a: '1' } });
  await world.clock.advance(500);
  await world.runs('app', 1);
  expect(world.runtime.latest('app').spec.mounts).toContainEqual(
    expect.objectContaining({ target: '/v', readOnly: true }),
  );
});
