// SPDX-License-Identifier: Apache-2.0
import { labelRule, labelValueRule, qualifiedNameRule, subdomainRule } from '../messages.ts';
import type { Refused } from './refused.ts';

/** Invalid Services, slices and volumes. */
export const refusedServices: readonly Refused[] = [
  {
    says: 'a port of a Service has a name that is a label',
    of: 'service',
    change: { 'spec.ports.0.name': 'Bad_' },
    error: `spec.ports[0].name: Invalid value: "Bad_": ${labelRule}`,
  },
  {
    says: 'two ports of a Service are not the same',
    of: 'service',
    change: { 'spec.ports.1.port': 80 },
    error:
      'spec.ports[1]: Duplicate value: {"Name":"","Protocol":"TCP","AppProtocol":null,"Port":80,"TargetPort":0,"NodePort":0}',
  },
  {
    says: 'the target of a port is a port',
    of: 'service',
    change: { 'spec.ports.0.targetPort': 'much-too-long-a-name' },
    error: 'spec.ports[0].targetPort: Invalid value: "much-too-long-a-name": must be no more than 15 characters',
  },
  {
    says: 'the protocol of a Service is known',
    of: 'service',
    change: { 'spec.ports.0.protocol': 'HTTP' },
    error: 'spec.ports[0].protocol: Unsupported value: "HTTP": supported values: "SCTP", "TCP", "UDP"',
  },
  {
    says: 'the selector of a Service holds labels',
    of: 'service',
    change: { 'spec.selector': { a: 'bad value!' } },
    error: `spec.selector: Invalid value: "bad value!": ${labelValueRule}`,
  },
  {
    says: 'affinity to clients is known',
    of: 'service',
    change: { 'spec.sessionAffinity': 'Nope' },
    error: 'spec.sessionAffinity: Unsupported value: "Nope": supported values: "ClientIP", "None"',
  },
  {
    says: 'affinity to clients has a limit',
    of: 'service',
    change: { 'spec.sessionAffinityConfig.clientIP.timeoutSeconds': 0 },
    error:
      'spec.sessionAffinityConfig.clientIP.timeoutSeconds: Invalid value: 0: must be greater than 0 and less than 86400',
  },
  {
    says: 'traffic inside has a known policy',
    of: 'service',
    change: { 'spec.internalTrafficPolicy': 'Nope' },
    error: 'spec.internalTrafficPolicy: Unsupported value: "Nope": supported values: "Cluster", "Local"',
  },
  {
    says: 'an external address is one',
    of: 'service',
    change: { 'spec.externalIPs.0': 'nope' },
    error: 'spec.externalIPs[0]: Invalid value: "nope": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
  },
  {
    says: 'a family of addresses is known',
    of: 'service',
    change: { 'spec.ipFamilies.0': 'IPv5' },
    error: 'spec.ipFamilies[0]: Unsupported value: "IPv5": supported values: "IPv4", "IPv6"',
  },
  {
    says: 'a slice has addresses of its type',
    of: 'endpointslice',
    change: { 'endpoints.0.addresses.0': 'nope' },
    error:
      'endpoints[0].addresses[0]: Invalid value: "nope": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
  },
  {
    says: 'an endpoint has an address',
    of: 'endpointslice',
    change: { 'endpoints.0.addresses': [] },
    error: 'endpoints[0].addresses: Required value: must contain at least 1 address',
  },
  {
    says: 'a slice has a known type',
    of: 'endpointslice',
    change: { addressType: 'Nope' },
    error: 'addressType: Unsupported value: "Nope": supported values: "FQDN", "IPv4", "IPv6"',
  },
  {
    says: 'the protocol of a slice is known',
    of: 'endpointslice',
    change: { 'ports.0.protocol': 'HTTP' },
    error: 'ports[0].protocol: Unsupported value: "HTTP": supported values: "SCTP", "TCP", "UDP"',
  },
  {
    says: 'the selector of a claim has known operators',
    of: 'pvc',
    change: { 'spec.selector.matchExpressions.0.operator': 'Nope' },
    error: 'spec.selector.matchExpressions[0].operator: Invalid value: "Nope": not a valid selector operator',
  },
  {
    says: 'the mode of a claim is known',
    of: 'pvc',
    change: { 'spec.volumeMode': 'Nope' },
    error: 'spec.volumeMode: Unsupported value: "Nope": supported values: "Block", "Filesystem"',
  },
  {
    says: 'the class of a claim has a name',
    of: 'pvc',
    change: { 'spec.storageClassName': 'Bad_' },
    error: `spec.storageClassName: Invalid value: "Bad_": ${subdomainRule}`,
  },
  {
    says: 'a volume has a source',
    of: 'pv',
    change: { 'spec.hostPath': undefined },
    error: 'spec: Required value: must specify a volume type',
  },
  {
    says: 'a volume has a capacity',
    of: 'pv',
    change: { 'spec.capacity': undefined },
    error: ['spec.capacity: Required value', 'spec.capacity: Unsupported value: null: supported values: "storage"'],
  },
  {
    says: 'a volume is reclaimed in a known way',
    of: 'pv',
    change: { 'spec.persistentVolumeReclaimPolicy': 'Nope' },
    error:
      'spec.persistentVolumeReclaimPolicy: Unsupported value: "Nope": supported values: "Delete", "Recycle", "Retain"',
  },
  {
    says: 'a volume on the host has a path',
    of: 'pv',
    change: { 'spec.hostPath.path': '' },
    error: 'spec.hostPath.path: Required value',
  },
  {
    says: 'the nodes of a volume are selected by terms',
    of: 'pv',
    change: { 'spec.nodeAffinity.required.nodeSelectorTerms': [] },
    error: 'spec.nodeAffinity.required.nodeSelectorTerms: Required value: must have at least one node selector term',
  },
  {
    says: 'a class has a provisioner',
    of: 'storageclass',
    change: { provisioner: '' },
    error: 'provisioner: Required value',
  },
  {
    says: 'a provisioner is a qualified name',
    of: 'storageclass',
    change: { provisioner: '10%' },
    error: `provisioner: Invalid value: "10%": name part ${qualifiedNameRule}`,
  },
  {
    says: 'the places of a class are named',
    of: 'storageclass',
    change: { 'allowedTopologies.0.matchLabelExpressions.0.values': [] },
    error: 'allowedTopologies[0].matchLabelExpressions[0].values: Required value',
  },
  {
    says: 'the name of a host in a slice is a label',
    of: 'endpointslice',
    change: { 'endpoints.0.hostname': 'Bad_Name' },
    error: `endpoints[0].hostname: Invalid value: "Bad_Name": ${labelRule}`,
  },
  {
    says: 'a class binds in a known mode',
    of: 'storageclass',
    change: { volumeBindingMode: 'Nope' },
    error: 'volumeBindingMode: Unsupported value: "Nope": supported values: "Immediate", "WaitForFirstConsumer"',
  },
];
