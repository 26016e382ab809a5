// SPDX-License-Identifier: Apache-2.0
import type { Container, Pod, SecurityContext } from '@operator-parts/kube';
import { describe, expect, test } from 'vitest';
import type { EtcdClusterSpec } from '../../api/etcd-cluster.ts';
import { annotations } from '../../api/names.ts';
import { templateDigest } from '../objects/template.ts';
import { judgePods, noGrants } from './pod-grants.ts';

const refusals = (...of: Parameters<typeof judgePods>) => judgePods(...of).refused;
const privileged: EtcdClusterSpec = { size: 3, pod: { containerSecurityContext: { privileged: true } } };

describe('a privileged pod', () => {
  test('is refused unless its namespace was granted it, and the words say what to do', () => {
    expect(refusals('team-a', privileged, noGrants)).toEqual([
      'spec.pod.containerSecurityContext.privileged is true: this weakens the restricted Pod Security Standard, which is not allowed ' +
        'in namespace team-a. Remove it, or start the operator with -allow-privileged-pods=team-a.',
    ]);
    expect(refusals('team-a', privileged, { ...noGrants, privileged: ['team-b'] })).toHaveLength(1);
  });

  test.each([[['team-a']], ['all' as const]])('is allowed by a grant to %j', (granted) => {
    expect(refusals('team-a', privileged, { ...noGrants, privileged: granted })).toEqual([]);
  });

  test('with a thousand faults is told in a few words', () => {
    const add = Array.from({ length: 1_000 }, (_, index) => `CAPABILITY_${index}`);
    const spec = { size: 1, pod: { containerSecurityContext: { capabilities: { add } } } };
    expect(refusals('a', spec, noGrants).join().length).toBeLessThan(1_000);
  });
});

describe('a weakness that pods of the cluster already have', () => {
  const image = 'quay.io/coreos/etcd:v3.6.16';
  const podWith = (securityContext: SecurityContext, more: Partial<Container> = {}): Pod => ({
    spec: { containers: [{ name: 'etcd', image, securityContext, ...more }] },
  });
  const asking = (context: SecurityContext): EtcdClusterSpec => ({
    size: 3,
    pod: { containerSecurityContext: context },
  });

  test('is tolerated, so that an upgrade of the operator leaves no cluster without repair', () => {
    const { refused, tolerated } = judgePods('a', privileged, noGrants, { pods: [podWith({ privileged: true })] });
    expect(refused).toEqual([]);
    expect(tolerated.join()).toContain('-allow-privileged-pods=a');
  });

  test('does not excuse another one', () => {
    const spec = asking({ privileged: true, runAsUser: 0 });
    expect(refusals('a', spec, noGrants, { pods: [podWith({ privileged: true })] })).toHaveLength(1);
    expect(
      refusals('a', spec, noGrants, { pods: [podWith({ privileged: true }), podWith({ runAsUser: 0 })] }),
    ).toHaveLength(1);
  });

  test('is not found in annotations, which can be changed, nor in another container', () => {
    const annotations = { 'container.apparmor.security.beta.kubernetes.io/etcd': 'unconfined' };
    const pod: Pod = { metadata: { annotations }, spec: { containers: [] } };
    expect(refusals('a', { size: 1, pod: { annotations } }, noGrants, { pods: [pod] })).toHaveLength(1);
    const beside = podWith({ privileged: true }, { name: 'beside' });
    expect(refusals('a', privileged, noGrants, { pods: [beside] })).toHaveLength(1);
  });
});

describe('what was tolerated once', () => {
  const made = (spec: EtcdClusterSpec): Pod => ({
    metadata: { annotations: { [annotations.template]: templateDigest(spec) } },
    spec: {
      containers: [{ name: 'etcd', image: 'quay.io/coreos/etcd:v3.6.16', securityContext: { privileged: true } }],
    },
  });
  const { tolerated } = judgePods('a', privileged, noGrants, { pods: [made(privileged)] });
  const conditions = tolerated.map((message) => ({ type: 'SpecRefused', message: message.slice(0, 1024) }));

  test('is known from the status when the last pod is gone', () => {
    expect(tolerated).toHaveLength(1);
    expect(judgePods('a', privileged, noGrants, { conditions })).toEqual({ refused: [], tolerated });
    expect(
      refusals('a', privileged, noGrants, { conditions: [{ type: 'Available', message: tolerated[0] ?? '' }] }),
    ).toHaveLength(1);
  });

  test.each<[string, EtcdClusterSpec]>([
    ['repository', { ...privileged, repository: 'evil.example.com/etcd' }],
    ['image', { ...privileged, version: '3.6.16', image: 'evil.example.com/etcd:v3.6.16' }],
    ['runtime', { ...privileged, pod: { ...privileged.pod, runtimeClassName: 'other' } }],
    [
      'node',
      { ...privileged, pod: { ...privileged.pod, nodeSelector: { 'node-role.kubernetes.io/control-plane': '' } } },
    ],
    ['toleration', { ...privileged, pod: { ...privileged.pod, tolerations: [{ operator: 'Exists' }] } }],
  ])('does not cover another %s', (_, spec) => {
    expect(refusals('a', spec, noGrants, { conditions, pods: [made(privileged)] })).toHaveLength(1);
  });

  test('covers another size and version', () => {
    const spec = { ...privileged, size: 5, version: '3.6.17' };
    expect(refusals('a', spec, noGrants, { conditions })).toEqual([]);
  });
});

describe('images', () => {
  const repositories = ['registry.example.com/etcd', 'busybox'];
  const grants = { ...noGrants, repositories };

  test('may come from anywhere if nothing is said', () => {
    expect(refusals('a', { size: 3, repository: 'evil.example.com/etcd' }, noGrants)).toEqual([]);
  });

  test('may come from what is listed', () => {
    expect(refusals('a', { size: 3, repository: 'registry.example.com/etcd' }, grants)).toEqual([]);
  });

  test('of another repository are refused by name, the default one included', () => {
    expect(refusals('a', { size: 3, repository: 'registry.example.com/etcd-evil' }, grants)).toEqual([
      'spec.repository is registry.example.com/etcd-evil, which is not in a repository that the operator allows ' +
        '(flag -allow-repositories). Set it to an image from an allowed repository.',
    ]);
    expect(refusals('a', { size: 3 }, grants)).toEqual([expect.stringContaining('spec.repository is quay.io/coreos/')]);
  });

  test('named in full count as well, by tag or by digest', () => {
    const named = (image: string) => refusals('a', { size: 3, version: '3.6.16', image }, grants);
    const digest = `sha256:${'a'.repeat(64)}`;
    expect(named(`registry.example.com/etcd@${digest}`)).toEqual([]);
    expect(named('registry.example.com/etcd:3.6.16-patched')).toEqual([]);
    expect(named(`evil.example.com/etcd@${digest}`)).toEqual([
      expect.stringContaining('spec.image is evil.example.com/etcd@sha256:'),
    ]);
  });

  test('of the init container count as well, unless there is none', () => {
    const own = { size: 3, repository: 'registry.example.com/etcd' };
    const foreign = { ...own, pod: { busyboxImage: 'evil/busybox:1' } };
    expect(refusals('a', foreign, grants)).toEqual([
      expect.stringContaining('spec.pod.busyboxImage is evil/busybox:1'),
    ]);
    expect(refusals('a', { ...own, pod: { ...foreign.pod, checkDNS: false } }, grants)).toEqual([]);
    expect(refusals('a', own, { ...noGrants, repositories: ['registry.example.com'] })).toEqual([
      expect.stringContaining('spec.pod.busyboxImage is busybox:'),
    ]);
  });
});

describe('what a spec adds to its pods', () => {
  const sidecar = { name: 'a', image: 'registry.example.com/a:1' };
  const tokens = [{ name: 't', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } }];

  test.each<[string, NonNullable<EtcdClusterSpec['pod']>]>([
    ['sidecars', { sidecars: [sidecar] }],
    ['initContainers', { initContainers: [sidecar] }],
    ['volumes', { volumes: [{ name: 'v', secret: { secretName: 's' } }] }],
    ['volumeMounts', { volumeMounts: [{ name: 'v', mountPath: '/v' }] }],
  ])('%s are refused unless the namespace was granted them', (field, pod) => {
    expect(refusals('team-a', { size: 3, pod }, noGrants)).toEqual([
      `spec.pod.${field}: this is not allowed in namespace team-a. Remove it, or start the operator with -allow-sidecars=team-a.`,
    ]);
    expect(refusals('team-a', { size: 3, pod }, { ...noGrants, sidecars: ['team-b'] })).toHaveLength(1);
    expect(refusals('team-a', { size: 3, pod }, { ...noGrants, sidecars: ['team-a'] })).toEqual([]);
    expect(refusals('team-a', { size: 3, pod }, { ...noGrants, sidecars: 'all' })).toEqual([]);
  });

  test('empty lists ask for nothing', () => {
    expect(refusals('a', { size: 3, pod: { sidecars: [], volumes: [] } }, noGrants)).toEqual([]);
  });

  test('a service account is granted by its name and namespace', () => {
    const spec = { size: 3, pod: { serviceAccountName: 'mine' } };
    const granting = (...serviceAccounts: string[]) => refusals('a', spec, { ...noGrants, serviceAccounts });
    expect(granting()).toEqual([expect.stringContaining('-allow-service-accounts=a/mine')]);
    expect(granting('b/mine', 'a/other', 'mine', 'a')).toHaveLength(1);
    expect(granting('a/mine')).toEqual([]);
    expect(refusals('a', spec, { ...noGrants, serviceAccounts: 'all' })).toEqual([]);
  });

  test('a token is one of the default account where none is named', () => {
    const spec = { size: 3, pod: { volumes: tokens } };
    const granting = (...serviceAccounts: string[]) =>
      refusals('a', spec, { ...noGrants, sidecars: 'all', serviceAccounts });
    expect(granting('a/mine')).toEqual([expect.stringContaining('the service account default')]);
    expect(granting('a/default')).toEqual([]);
    expect(
      refusals(
        'a',
        { size: 3, pod: { volumes: tokens, serviceAccountName: 'mine' } },
        { ...noGrants, sidecars: 'all', serviceAccounts: ['a/default'] },
      ),
    ).toEqual([expect.stringContaining('a/mine')]);
  });

  test('their images count as all others do', () => {
    const grants = { ...noGrants, sidecars: 'all', repositories: ['registry.example.com'] } as const;
    const own = { size: 3, repository: 'registry.example.com/etcd' };
    const pod = {
      checkDNS: false,
      sidecars: [sidecar],
      initContainers: [{ name: 'b', image: 'evil.example.com/b:1' }],
    };
    expect(refusals('a', { ...own, pod }, grants)).toEqual([
      expect.stringContaining('spec.pod.initContainers[0].image is evil.example.com/b:1'),
    ]);
  });
});
