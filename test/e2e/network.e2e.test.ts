// SPDX-License-Identifier: Apache-2.0
import { Resolver } from 'node:dns/promises';
import { addresses } from '@etcd-operator/tools/cluster';
import type { Service } from '@operator-parts/kube';
import { describe, expect, test } from 'vitest';
import { isReady, isRunning, shellPod } from './testing/scenes/pods.ts';
import { openScene, type Scene } from './testing/scenes/scene.ts';
import { until } from './testing/until.ts';

/** Queries the cluster's DNS: this process is in the cluster's network. */
const resolver = new Resolver({ timeout: 1000, tries: 2 });
resolver.setServers([addresses.dns]);

function service(name: string, spec: object): object {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name },
    spec: { selector: { app: name }, ports: [{ name: 'http', port: 80, targetPort: 8080 }], ...spec },
  };
}

/** A pod that serves its own name over HTTP. */
const web = (name: string, app: string) =>
  shellPod(name, {
    labels: { app },
    script: 'mkdir /tmp/www; hostname > /tmp/www/index.html; exec httpd -f -p 8080 -h /tmp/www',
    container: { readinessProbe: { tcpSocket: { port: 8080 }, periodSeconds: 1 } },
  });

/** Requests the page as busybox can: its nc supports names and addresses. */
async function page(scene: Scene, from: string, host: string): Promise<string> {
  const ask = 'printf "GET / HTTP/1.0\\r\\n\\r\\n" | nc -w 2 "$0" 80';
  const answer = await scene.exec(from, 'sh', '-c', ask, host);
  return answer.split('\r\n\r\n')[1] ?? '';
}

async function clusterIp(scene: Scene, name: string): Promise<string> {
  return (await scene.get<Service>('service', name)).spec?.clusterIP ?? '';
}

describe('names of a headless Service', () => {
  const neverReady = (app: string) =>
    shellPod('member', {
      labels: { app },
      hostname: 'member',
      subdomain: app,
      container: { readinessProbe: { exec: { command: ['false'] }, periodSeconds: 1 } },
    });

  test('with publishNotReadyAddresses, a pod that is not Ready has its name, forward and reverse', async () => {
    await using scene = await openScene('dns');
    await scene.create(service('peers', { clusterIP: 'None', publishNotReadyAddresses: true }), neverReady('peers'));
    const pod = await scene.podWhen('member', 'running', isRunning);
    const name = `member.peers.${scene.namespace}.svc.${addresses.domain}`;
    const ip = pod.status?.podIP ?? '';
    expect(await until('the name resolves', () => resolver.resolve4(name))).toEqual([ip]);
    expect(isReady(await scene.pod('member'))).toBe(false);
    expect(await until('the address resolves', () => resolver.reverse(ip))).toEqual([name]);
    expect(await until('an answer to the pod', () => scene.exec('member', 'nslookup', `${name}.`))).toContain(ip);
  });

  test('without it, a pod that is not Ready has none', async () => {
    await using scene = await openScene('dns');
    await scene.create(service('peers', { clusterIP: 'None' }), neverReady('peers'));
    await scene.create(
      service('open', { clusterIP: 'None', publishNotReadyAddresses: true, selector: { app: 'peers' } }),
    );
    await scene.podWhen('member', 'running', isRunning);
    // When one Service has the pod, so has the other.
    await until('the open Service has an address', () =>
      resolver.resolve4(`open.${scene.namespace}.svc.${addresses.domain}`),
    );
    const name = `member.peers.${scene.namespace}.svc.${addresses.domain}`;
    // On a busy machine an answer may take longer than its limit.
    const answer = await until('an answer about the other', () =>
      resolver.resolve4(name).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOTFOUND') return 'no such name';
        throw error;
      }),
    );
    expect(answer).toBe('no such name');
  });
});

describe('a Service with an address', () => {
  test('leads from a pod to the pods behind it, also to itself', async () => {
    await using scene = await openScene('service');
    await scene.create(service('web', {}), web('one', 'web'), shellPod('client'));
    await scene.podWhen('one', 'ready', isReady);
    await scene.podWhen('client', 'running', isRunning);
    const host = `web.${scene.namespace}.svc.${addresses.domain}`;
    for (const from of ['client', 'one']) {
      const answer = await until(`an answer to ${from}`, async () => (await page(scene, from, host)) || undefined);
      expect(answer).toBe('one\n');
    }
  });

  test('leads nowhere while no pod behind it is Ready', async () => {
    await using scene = await openScene('service');
    await scene.create(service('web', {}), shellPod('client'));
    await scene.podWhen('client', 'running', isRunning);
    await expect(page(scene, 'client', await clusterIp(scene, 'web'))).rejects.toThrow('ended with 1');
  });

  test('is reached by this process too', async () => {
    await using scene = await openScene('service');
    await scene.create(service('web', {}), web('one', 'web'));
    await scene.podWhen('one', 'ready', isReady);
    const url = `http://${await clusterIp(scene, 'web')}/`;
    expect(await until('an answer', async () => (await fetch(url)).text())).toBe('one\n');
  });
});
