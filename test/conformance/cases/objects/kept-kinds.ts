// SPDX-License-Identifier: Apache-2.0
import { expect } from 'vitest';
import { refusalOf } from '../../answer.ts';
import type { Stored } from '../../caller.ts';
import type { Subject, Trial } from '../../trial.ts';

const networking = '/apis/networking.k8s.io/v1';
const scheduling = '/apis/scheduling.k8s.io/v1/priorityclasses';
const policies = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
const bindings = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings';
const target = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' };
const backend = { service: { name: 's', port: { number: 80 } } };

/** Everything except the differences between objects. */
function plain({ metadata, kind: _kind, apiVersion: _apiVersion, ...rest }: Stored): object {
  const { generation } = metadata;
  return { ...rest, ...(generation !== undefined && { generation }) };
}

async function messageOf(t: Trial, path: string, rest: object): Promise<string | undefined> {
  return refusalOf(await t.post(path, { metadata: { name: 'bad' }, ...rest })).message;
}

/** Kinds in charts and manifests that are stored, even if nothing implements them. */
export const keptKinds: Subject = {
  name: 'kinds that are kept',
  cases: {
    'a NetworkPolicy says for what it is': async (t) => {
      const path = `${networking}/namespaces/${await t.namespace()}/networkpolicies`;
      const ports = [{ port: 80 }];
      const from = [{ podSelector: {} }, { ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] } }];
      const spec = { podSelector: { matchLabels: { a: 'b' } }, ingress: [{ ports, from }], egress: [{}] };
      expect(plain(await t.make(path, { metadata: { name: 'a' }, spec }))).toEqual({
        generation: 1,
        spec: {
          ...spec,
          ingress: [{ from, ports: [{ port: 80, protocol: 'TCP' }] }],
          policyTypes: ['Ingress', 'Egress'],
        },
      });
      const simple = await t.make(path, { metadata: { name: 'b' }, spec: { podSelector: {} } });
      expect(plain(simple)).toEqual({ generation: 1, spec: { podSelector: {}, policyTypes: ['Ingress'] } });
      const changed = await t.patch(`${path}/b`, 'merge', { spec: { podSelector: { matchLabels: { c: 'd' } } } });
      expect(changed.body).toMatchObject({ metadata: { generation: 2 } });
    },
    'a NetworkPolicy with wrong peers and ports is refused': async (t) => {
      const path = `${networking}/namespaces/default/networkpolicies`;
      const wrong = (rest: object) => messageOf(t, path, { spec: { podSelector: {}, ...rest } });
      const prefix = 'NetworkPolicy.networking.k8s.io "bad" is invalid: ';
      expect(await wrong({ ingress: [{ from: [{}] }] })).toBe(
        `${prefix}spec.ingress[0].from[0]: Required value: must specify a peer`,
      );
      const both = { podSelector: {}, ipBlock: { cidr: '1.2.3.4/8' } };
      expect(await wrong({ ingress: [{ from: [both] }] })).toBe(
        `${prefix}[spec.ingress[0].from[0].ipBlock.cidr: Invalid value: "1.2.3.4/8": must not have bits set beyond the prefix length, spec.ingress[0].from[0]: Forbidden: may not specify both ipBlock and another peer]`,
      );
      const outside = { ipBlock: { cidr: '10.0.0.0/8', except: ['11.0.0.0/16'] } };
      expect(await wrong({ ingress: [{ from: [outside] }] })).toBe(
        `${prefix}spec.ingress[0].from[0].ipBlock.except[0]: Invalid value: "11.0.0.0/16": must be a strict subset of \`cidr\``,
      );
      expect(await wrong({ egress: [{ ports: [{ port: 70000 }, { endPort: 3 }, { protocol: 'X', port: 1 }] }] })).toBe(
        `${prefix}[spec.egress[0].ports[0].port: Invalid value: 70000: must be between 1 and 65535, inclusive, spec.egress[0].ports[1].endPort: Invalid value: 3: may not be specified when \`port\` is not specified, spec.egress[0].ports[2].protocol: Unsupported value: "X": supported values: "TCP", "UDP", "SCTP"]`,
      );
      expect(await wrong({ policyTypes: ['X'] })).toBe(
        `${prefix}spec.policyTypes[0]: Unsupported value: "X": supported values: "Ingress", "Egress"`,
      );
    },
    'an Ingress has a status from the start, and its rules are looked at': async (t) => {
      const path = `${networking}/namespaces/${await t.namespace()}/ingresses`;
      const spec = { rules: [{ host: 'a.b', http: { paths: [{ path: '/', pathType: 'Prefix', backend }] } }] };
      const made = await t.make(path, { metadata: { name: 'a' }, spec });
      expect(plain(made)).toEqual({ generation: 1, spec, status: { loadBalancer: {} } });
      const prefix = 'Ingress.networking.k8s.io "bad" is invalid: ';
      expect(await messageOf(t, path, {})).toBe(
        `${prefix}spec: Invalid value: null: either \`defaultBackend\` or \`rules\` must be specified`,
      );
      const paths = [
        { path: '/', backend },
        { path: 'x', pathType: 'Prefix', backend: {} },
      ];
      expect(await messageOf(t, path, { spec: { rules: [{ http: { paths } }] } })).toBe(
        `${prefix}[spec.rules[0].http.paths[0].pathType: Required value: pathType must be specified, spec.rules[0].http.paths[1].path: Invalid value: "x": must be an absolute path, spec.rules[0].http.paths[1].backend: Invalid value: "": resource or service backend is required]`,
      );
    },
    'the classes of a pod must be there, and its priority comes from one': async (t) => {
      const namespace = await t.podNamespace();
      const pods = `/api/v1/namespaces/${namespace}/pods`;
      const name = t.unique('high');
      const made = await t.make(scheduling, { metadata: { name }, value: 1000 });
      t.defer(async () => void (await t.delete(`${scheduling}/${name}`)));
      expect(plain(made)).toEqual({ generation: 1, value: 1000, preemptionPolicy: 'PreemptLowerPriority' });
      const spec = { containers: [{ name: 'a', image: 'a' }] };
      const pod = await t.make(pods, { metadata: { name: 'a' }, spec: { ...spec, priorityClassName: name } });
      expect(pod.spec).toMatchObject({ priority: 1000, preemptionPolicy: 'PreemptLowerPriority' });
      expect(await messageOf(t, pods, { spec: { ...spec, priorityClassName: 'nope' } })).toBe(
        'pods "bad" is forbidden: no PriorityClass with name nope was found',
      );
      expect(await messageOf(t, pods, { spec: { ...spec, runtimeClassName: 'nope' } })).toBe(
        'pods "bad" is forbidden: pod rejected: RuntimeClass "nope" not found',
      );
      const change = await t.patch(`${scheduling}/${name}`, 'merge', { value: 6, preemptionPolicy: 'Never' });
      expect(refusalOf(change).message).toBe(
        `PriorityClass.scheduling.k8s.io "${name}" is invalid: [value: Forbidden: may not be changed in an update., preemptionPolicy: Invalid value: "Never": field is immutable]`,
      );
    },
    'the two priorities of the system are there and stay': async (t) => {
      expect(await t.read(`${scheduling}/system-node-critical`)).toMatchObject({ value: 2_000_001_000 });
      expect(refusalOf(await t.delete(`${scheduling}/system-node-critical`)).message).toBe(
        'priorityclasses.scheduling.k8s.io "system-node-critical" is forbidden: this is a system priority class and cannot be deleted',
      );
      expect(await messageOf(t, scheduling, { value: 1_000_000_001 })).toBe(
        'PriorityClass.scheduling.k8s.io "bad" is invalid: value: Forbidden: maximum allowed value of a user defined priority is 1000000000',
      );
    },
    'a RuntimeClass and an IngressClass say who does it, for good': async (t) => {
      const runtimes = '/apis/node.k8s.io/v1/runtimeclasses';
      const name = t.unique('class');
      await t.make(runtimes, { metadata: { name }, handler: 'runc' });
      t.defer(async () => void (await t.delete(`${runtimes}/${name}`)));
      expect(refusalOf(await t.patch(`${runtimes}/${name}`, 'merge', { handler: 'x' })).message).toBe(
        `RuntimeClass.node.k8s.io "${name}" is invalid: handler: Invalid value: "x": field is immutable`,
      );
      expect(await messageOf(t, runtimes, {})).toBe(
        'RuntimeClass.node.k8s.io "bad" is invalid: handler: Required value',
      );
      const parameters = { kind: '', name: '' };
      expect(await messageOf(t, `${networking}/ingressclasses`, { spec: { controller: 'x', parameters } })).toBe(
        'IngressClass.networking.k8s.io "bad" is invalid: [spec.controller: Invalid value: "x": must be a domain-prefixed path (such as "acme.io/foo"), spec.parameters.kind: Required value, spec.parameters.name: Required value]',
      );
    },
    'a HorizontalPodAutoscaler is the same object in both of its versions': async (t) => {
      const namespace = await t.namespace();
      const path = (version: string) => `/apis/autoscaling/${version}/namespaces/${namespace}/horizontalpodautoscalers`;
      const spec = { scaleTargetRef: target, maxReplicas: 3 };
      await t.make(path('v1'), { metadata: { name: 'a' }, spec: { ...spec, targetCPUUtilizationPercentage: 50 } });
      const cpu = (share: number) => ({
        type: 'Resource',
        resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: share } },
      });
      expect(plain(await t.read(`${path('v2')}/a`))).toEqual({
        spec: { ...spec, minReplicas: 1, metrics: [cpu(50)] },
        status: { desiredReplicas: 0, currentMetrics: null },
      });
      await t.make(path('v2'), { metadata: { name: 'b' }, spec });
      expect(plain(await t.read(`${path('v1')}/b`))).toEqual({
        spec: { ...spec, minReplicas: 1, targetCPUUtilizationPercentage: 80 },
        status: { desiredReplicas: 0, currentReplicas: 0 },
      });
      expect(await messageOf(t, path('v2'), { spec: { ...spec, minReplicas: 4 } })).toBe(
        'HorizontalPodAutoscaler.autoscaling "bad" is invalid: spec.maxReplicas: Invalid value: 3: must be greater than or equal to `minReplicas`',
      );
    },
    'an admission policy and its binding are filled in and looked at': async (t) => {
      const name = t.unique('policy');
      const rule = { apiGroups: ['x.y'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['nothings'] };
      const validations = [{ expression: 'object.spec.replicas <= 5' }];
      const spec = { matchConstraints: { resourceRules: [rule] }, validations };
      const made = await t.make(policies, { metadata: { name }, spec });
      t.defer(async () => void (await t.delete(`${policies}/${name}`)));
      expect(made.spec).toEqual({
        failurePolicy: 'Fail',
        validations,
        matchConstraints: {
          matchPolicy: 'Equivalent',
          namespaceSelector: {},
          objectSelector: {},
          resourceRules: [{ ...rule, scope: '*' }],
        },
      });
      expect(await messageOf(t, policies, {})).toBe(
        'ValidatingAdmissionPolicy.admissionregistration.k8s.io "bad" is invalid: [spec.matchConstraints: Required value, spec.validations: Required value: validations or auditAnnotations must contain at least one item, spec.auditAnnotations: Required value: validations or auditAnnotations must contain at least one item]',
      );
      expect(await messageOf(t, bindings, {})).toBe(
        'ValidatingAdmissionPolicyBinding.admissionregistration.k8s.io "bad" is invalid: [spec.policyName: Required value, spec.validationActions: Required value: at least one validation action is required]',
      );
    },
    'a ResourceQuota and a LimitRange are kept as they are read': async (t) => {
      const namespace = await t.namespace();
      const quotas = `/api/v1/namespaces/${namespace}/resourcequotas`;
      const quota = await t.make(quotas, { metadata: { name: 'a' }, spec: { hard: { pods: '5' } } });
      expect(plain(quota)).toEqual({ spec: { hard: { pods: '5' } }, status: {} });
      const limits = [{ type: 'Container', default: { cpu: '1' } }];
      const range = await t.make(`/api/v1/namespaces/${namespace}/limitranges`, {
        metadata: { name: 'a' },
        spec: { limits },
      });
      expect(plain(range)).toEqual({ spec: { limits: [{ ...limits[0], defaultRequest: { cpu: '1' } }] } });
    },
  },
};
