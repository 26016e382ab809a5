// SPDX-License-Identifier: Apache-2.0
import type { Client } from '@operator-parts/kube';
import { describe, expect, test } from 'vitest';
import type { EtcdClusterSpec } from '../../api/etcd-cluster.ts';
import { noGrants, type PodGrants } from '../../cluster/grants/pod-grants.ts';
import { proofPod } from './proof-pod.ts';
import { type Proven, proofTarget } from './proof-target.ts';

const { signal } = new AbortController();
const uid = '0b0e3c1e-0000-4000-8000-000000000001';

interface World {
  readonly spec?: Partial<EtcdClusterSpec>;
  readonly grants?: PodGrants;
  readonly facts?: object;
  readonly order?: object;
  /** Names of the Secrets that exist in this world and that the operator may read. */
  readonly secrets?: readonly string[];
}

/** The target of a proof, and the objects that were read to find it. */
async function target({ spec, grants = noGrants, facts = {}, order = { cluster: 'theirs' }, secrets = [] }: World) {
  const asked: unknown[] = [];
  const get = async (name: { readonly namespace: string; readonly name: string }) => {
    asked.push(name);
    return { metadata: name, spec: { size: 3, version: '3.6.16', ...spec } };
  };
  const client = { resource: () => ({ get }) } as unknown as Client;
  const readSecret = async (name: string) => {
    asked.push(name);
    return secrets.includes(name) ? { username: 'root' } : undefined;
  };
  const backup = { metadata: { name: 'nightly', namespace: 'tenant', uid }, spec: {} };
  const proven = { backup, order, facts: { etcdVersion: '3.6.16', ...facts } } as unknown as Proven;
  return { found: await proofTarget(proven, { client, grants, readSecret }, signal), asked };
}

const agent = { image: 'operator:1', namespace: 'operators', pullSecrets: [] };

describe('a proof as a way to another pod', () => {
  const hostile = {
    serviceAccountName: 'admin',
    automountServiceAccountToken: true,
    securityContext: { runAsUser: 0 },
    containerSecurityContext: { privileged: true },
    extraVolumes: [{ name: 'host', hostPath: { path: '/' } }],
    extraContainers: [{ name: 'mine', image: 'example.com/mine' }],
    etcdEnv: [{ name: 'LD_PRELOAD', value: '/tmp/mine.so' }],
    hostAliases: [{ ip: '127.0.0.1', hostnames: ['x'] }],
    annotations: { 'example.com/mine': 'yes' },
    nodeSelector: { disk: 'fast' },
  };

  test('takes over of the cluster where its pod may run, and no account, volume, container, variable or weakness', async () => {
    const { found } = await target({ spec: { pod: hostile } as unknown as EtcdClusterSpec });
    expect(found.spec.pod).toEqual({ checkDNS: false, nodeSelector: { disk: 'fast' } });
    const owner = { name: 'nightly', namespace: 'tenant', uid };
    const { spec } = proofPod({ ...found, backup: owner, agent, bytes: 1 });
    expect(spec).not.toHaveProperty('serviceAccountName');
    expect(spec?.automountServiceAccountToken).toBe(false);
    const text = JSON.stringify(spec);
    for (const word of ['admin', 'hostPath', 'mine', 'LD_PRELOAD', 'privileged', '"runAsUser":0'])
      expect(text).not.toContain(word);
  });

  test('has no image that the administrator does not allow', async () => {
    const grants = { ...noGrants, repositories: ['quay.io/coreos/etcd'] };
    const spec = { repository: 'example.com/mine' };
    await expect(target({ spec, grants })).rejects.toMatchObject({
      reason: 'ProofPodFailed',
      message: expect.stringContaining('example.com/mine'),
    });
  });

  test('looks for the cluster in its own namespace, whatever a manifest says of another', async () => {
    const facts = { cluster: { namespace: 'victim', name: 'etcd' } };
    const { asked } = await target({ facts, order: {} });
    expect(asked).toEqual([{ namespace: 'tenant', name: 'etcd' }]);
  });

  test('mounts no login that the operator may not read for this object', async () => {
    const spec = { auth: { secret: 'of-somebody' } };
    await expect(target({ spec, facts: { authEnabled: true } })).rejects.toMatchObject({ reason: 'ProofLoginRefused' });
    const { found } = await target({ spec, facts: { authEnabled: true }, secrets: ['of-somebody'] });
    expect(found.loginSecret).toBe('of-somebody');
  });
});
