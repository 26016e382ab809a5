// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { labels } from '../../api/names.ts';
import { desiredOf } from '../../cluster/desired.ts';
import { podWeaknesses } from '../../cluster/grants/pod-weaknesses.ts';
import { proofPod, proofPodName } from './proof-pod.ts';

const backup = { name: 'nightly.of.production', namespace: 'default', uid: '0b0e3c1e-0000-4000-8000-000000000001' };
const spec = { size: 1, version: '3.6.16', pod: { checkDNS: false } };
const desired = desiredOf('proof', spec);
if ('problems' in desired) throw new Error(desired.problems.join());
const agent = { image: 'operator:1', namespace: 'operators', pullSecrets: [] };
const made = { backup, desired, spec, cluster: 'production', agent, bytes: 100 * 1024 * 1024, loginSecret: undefined };
const pod = proofPod(made);
const containers = [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])];

describe('the pod of a proof', () => {
  test('is the first member of a restore with another container beside it', () => {
    expect(containers.map(({ name }) => name)).toEqual(['fetch-backup', 'restore-datadir', 'etcd', 'prove']);
  });

  test('has a name that is a hostname', () => {
    expect(proofPodName(backup)).toBe('nightly-of-production-prove-0b0e3c1e');
    expect(proofPodName({ ...backup, name: 'x'.repeat(253) }).length).toBeLessThanOrEqual(63);
  });

  test('is behind no Service, is no member, and belongs to the EtcdBackup', () => {
    expect(Object.keys(pod.metadata?.labels ?? {}).toSorted()).toEqual([labels.cluster, labels.proof].toSorted());
    expect(pod.metadata?.labels?.[labels.cluster]).not.toBe('production');
    expect(pod.metadata?.ownerReferences).toMatchObject([{ kind: 'EtcdBackup', uid: backup.uid, controller: true }]);
  });

  test('is not reachable by clients: etcd listens on loopback alone', () => {
    const etcd = pod.spec?.containers.find(({ name }) => name === 'etcd');
    expect(JSON.stringify(etcd)).not.toContain('0.0.0.0');
    expect(etcd?.command).toContain('--listen-client-urls=http://127.0.0.1:2379');
    expect(etcd).not.toHaveProperty('ports');
    expect(etcd).not.toHaveProperty('livenessProbe');
  });

  test('is bounded in memory, processor, disk and time, and is not restarted', () => {
    for (const { resources } of containers)
      expect(resources?.limits).toEqual({ cpu: '1', memory: '356Mi', 'ephemeral-storage': '556Mi' });
    const emptyDirs = pod.spec?.volumes?.flatMap(({ emptyDir }) => (emptyDir ? [emptyDir] : []));
    expect(emptyDirs).toEqual([{ sizeLimit: '556Mi' }, { sizeLimit: '556Mi' }]);
    expect(pod.spec).toMatchObject({ restartPolicy: 'Never', activeDeadlineSeconds: 7200 });
  });

  test('meets the restricted Pod Security Standard, and has no token', () => {
    expect(pod.spec?.automountServiceAccountToken).toBe(false);
    expect(pod.spec?.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
    for (const { securityContext: containerSecurityContext } of containers) {
      expect(containerSecurityContext).toMatchObject({
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
      });
      expect(podWeaknesses({ ...(containerSecurityContext && { containerSecurityContext }) })).toEqual([]);
    }
  });

  test('mounts a login only if there is one, and only where it is compared', () => {
    expect(JSON.stringify(pod)).not.toContain('etcd-login');
    const secured = proofPod({ ...made, loginSecret: 'root' });
    const mounting = secured.spec?.containers.filter(({ volumeMounts }) =>
      volumeMounts?.some(({ name }) => name === 'login'),
    );
    expect(mounting?.map(({ name }) => name)).toEqual(['prove']);
  });

  test('does not bump the revision: it is compared', () => {
    expect(JSON.stringify(pod)).not.toContain('bump-revision');
  });
});
