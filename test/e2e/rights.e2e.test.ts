// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { isRunning, shellPod } from './testing/scenes/pods.ts';
import { openScene, type Scene } from './testing/scenes/scene.ts';
import { untilTrue } from './testing/until.ts';

/** kubectl as the namespace's service account, with a real token instead of the administrator's certificate. */
async function asServiceAccount(
  scene: Scene,
): Promise<(...args: readonly string[]) => ReturnType<Scene['tryKubectl']>> {
  const token = (await scene.kubectl('create', 'token', 'default')).trim();
  const ca = `${scene.cluster.layout.certificates}/ca.crt`;
  const as = [
    '--kubeconfig=/dev/null',
    '--server=https://127.0.0.1:6443',
    `--certificate-authority=${ca}`,
    `--token=${token}`,
  ];
  return (...args) => scene.tryKubectl([...as, ...args]);
}

describe('a service account', () => {
  test('may do nothing by itself', async () => {
    await using scene = await openScene('rbac');
    const kubectl = await asServiceAccount(scene);
    const { status, stderr } = await kubectl('get', 'pods');
    expect(status).toBe(1);
    expect(stderr).toContain(`"system:serviceaccount:${scene.namespace}:default" cannot list resource "pods"`);
  });

  test('may do what a role gives it, and nothing beside', async () => {
    await using scene = await openScene('rbac');
    const kubectl = await asServiceAccount(scene);
    await scene.kubectl('create', 'role', 'reader', '--verb=list', '--resource=pods');
    await scene.kubectl(
      'create',
      'rolebinding',
      'reader',
      '--role=reader',
      `--serviceaccount=${scene.namespace}:default`,
    );
    // The API server applies new rights after a moment.
    await untilTrue('the role counts', async () => (await kubectl('get', 'pods')).status === 0);
    for (const denied of [
      ['get', 'secrets'],
      ['delete', 'pod', 'one'],
      ['get', 'pods', '--all-namespaces'],
    ])
      expect((await kubectl(...denied)).stderr).toContain('forbidden');
  });
});

describe('a namespace that enforces the restricted Pod Security Standard', () => {
  test('refuses a pod that runs as root and says what is missing', async () => {
    await using scene = await openScene('restricted', { podSecurity: 'restricted' });
    await expect(scene.create(shellPod('root'))).rejects.toThrow(
      /violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false.*unrestricted capabilities.*runAsNonRoot != true.*seccompProfile/s,
    );
  });

  test('runs a pod that keeps to it', async () => {
    await using scene = await openScene('restricted', { podSecurity: 'restricted' });
    await scene.create(
      shellPod('modest', {
        securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
        container: {
          securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          },
        },
      }),
    );
    await scene.podWhen('modest', 'running', isRunning);
    expect(await scene.exec('modest', 'id', '-u')).toBe('1000\n');
  });
});
