// SPDX-License-Identifier: Apache-2.0
import { portRule, qualifiedNameRule, subdomainRule } from '../messages.ts';
import type { Refused } from './refused.ts';

/** Invalid containers of Pods. */
export const refusedContainers: readonly Refused[] = [
  {
    says: 'a container has no command of its image without one',
    of: 'pod',
    change: { 'spec.containers.0.image': undefined },
    error: 'spec.containers[0].image: Required value',
  },
  {
    says: 'the name of a port has few characters',
    of: 'pod',
    change: { 'spec.containers.0.ports.0.name': 'much-too-long-a-name' },
    error:
      'spec.containers[0].ports[0].name: Invalid value: "much-too-long-a-name": must be no more than 15 characters',
  },
  {
    says: 'the protocol of a port is known',
    of: 'pod',
    change: { 'spec.containers.0.ports.0.protocol': 'HTTP' },
    error: 'spec.containers[0].ports[0].protocol: Unsupported value: "HTTP": supported values: "SCTP", "TCP", "UDP"',
  },
  {
    says: 'a variable has one source',
    of: 'pod',
    change: { 'spec.containers.0.env.0.valueFrom': { secretKeyRef: { name: 'x', key: 'k' } } },
    error: 'spec.containers[0].env[0].valueFrom: Invalid value: "": may not be specified when `value` is not empty',
  },
  {
    says: 'a variable from a Secret names the key',
    of: 'pod',
    change: { 'spec.containers.0.env.1.valueFrom.secretKeyRef.key': '' },
    error: 'spec.containers[0].env[1].valueFrom.secretKeyRef.key: Required value',
  },
  {
    says: 'a variable from a Secret names one',
    of: 'pod',
    change: { 'spec.containers.0.env.1.valueFrom.secretKeyRef.name': 'Bad_' },
    error: `spec.containers[0].env[1].valueFrom.secretKeyRef.name: Invalid value: "Bad_": ${subdomainRule}`,
  },
  {
    says: 'a variable is of a known field',
    of: 'pod',
    change: { 'spec.containers.0.env.2.valueFrom.fieldRef.fieldPath': 'spec.nothing' },
    error:
      'spec.containers[0].env[2].valueFrom.fieldRef.fieldPath: Invalid value: "spec.nothing": error converting fieldPath: field label not supported: spec.nothing',
  },
  {
    says: 'a variable is of a known resource',
    of: 'pod',
    change: { 'spec.containers.0.env.3.valueFrom.resourceFieldRef.resource': 'limits.nothing' },
    error:
      'spec.containers[0].env[3].valueFrom.resourceFieldRef.resource: Unsupported value: "limits.nothing": supported values: "limits.cpu", "limits.ephemeral-storage", "limits.memory", "requests.cpu", "requests.ephemeral-storage", "requests.memory"',
  },
  {
    says: 'variables come from one source at a time',
    of: 'pod',
    change: { 'spec.containers.0.envFrom.0.secretRef': { name: 's' } },
    error: 'spec.containers[0].envFrom: Invalid value: "": may not have more than one field specified at a time',
  },
  {
    says: 'a resource is not negative',
    of: 'pod',
    change: { 'spec.containers.0.resources.limits.memory': '-1Gi' },
    error: [
      'spec.containers[0].resources.limits[memory]: Invalid value: "-1Gi": must be greater than or equal to 0',
      'spec.containers[0].resources.requests[memory]: Invalid value: "-1Gi": must be greater than or equal to 0',
    ],
  },
  {
    says: 'a resource is a qualified name',
    of: 'pod',
    change: { 'spec.containers.0.resources.limits': { 'bad key': '1' } },
    error: [
      `spec.containers[0].resources.limits[bad key]: Invalid value: "bad key": name part ${qualifiedNameRule}`,
      'spec.containers[0].resources.limits[bad key]: Invalid value: "bad key": must be a standard resource for containers',
      `spec.containers[0].resources.requests[bad key]: Invalid value: "bad key": name part ${qualifiedNameRule}`,
      'spec.containers[0].resources.requests[bad key]: Invalid value: "bad key": must be a standard resource for containers',
    ],
  },
  {
    says: 'an extended resource is whole',
    of: 'pod',
    change: { 'spec.containers.0.resources.limits': { 'example.com/gpu': '500m' } },
    error: [
      'spec.containers[0].resources.limits[example.com/gpu]: Invalid value: "500m": must be an integer',
      'spec.containers[0].resources.requests[example.com/gpu]: Invalid value: "500m": must be an integer',
    ],
  },
  {
    says: 'memory is not less than its request',
    of: 'pod',
    change: {
      'spec.containers.0.resources.limits.memory': '1Mi',
      'spec.containers.0.resources.requests.memory': '2Mi',
    },
    error:
      'spec.containers[0].resources.requests: Invalid value: "2Mi": must be less than or equal to memory limit of 1Mi',
  },
  {
    says: 'a mount has a path',
    of: 'pod',
    change: { 'spec.containers.0.volumeMounts.0.mountPath': '' },
    error: 'spec.containers[0].volumeMounts[0].mountPath: Required value',
  },
  {
    says: 'two mounts do not share a path',
    of: 'pod',
    change: { 'spec.containers.0.volumeMounts.1.mountPath': '/e' },
    error: 'spec.containers[0].volumeMounts[1].mountPath: Invalid value: "/e": must be unique',
  },
  {
    says: 'a part of a volume is relative',
    of: 'pod',
    change: { 'spec.containers.0.volumeMounts.0.subPath': '/abs' },
    error: 'spec.containers[0].volumeMounts.subPath: Invalid value: "/abs": must be a relative path',
  },
  {
    says: 'a probe has one way to probe',
    of: 'pod',
    change: { 'spec.containers.0.livenessProbe.tcpSocket': { port: 1 } },
    error: 'spec.containers[0].livenessProbe.tcpSocket: Forbidden: may not specify more than 1 handler type',
  },
  {
    says: 'a probe by HTTP has a port',
    of: 'pod',
    change: { 'spec.containers.0.livenessProbe.httpGet.port': 0 },
    error: `spec.containers[0].livenessProbe.httpGet.port: Invalid value: 0: ${portRule}`,
  },
  {
    says: 'a probe by HTTP has a known scheme',
    of: 'pod',
    change: { 'spec.containers.0.livenessProbe.httpGet.scheme': 'FTP' },
    error:
      'spec.containers[0].livenessProbe.httpGet.scheme: Unsupported value: "FTP": supported values: "HTTP", "HTTPS"',
  },
  {
    says: 'a header of a probe has a name',
    of: 'pod',
    change: { 'spec.containers.0.livenessProbe.httpGet.httpHeaders.0.name': '' },
    error:
      "spec.containers[0].livenessProbe.httpGet.httpHeaders: Invalid value: \"\": a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')",
  },
  {
    says: 'a probe by command has one',
    of: 'pod',
    change: { 'spec.containers.0.startupProbe.exec.command': [] },
    error: 'spec.containers[0].startupProbe.exec.command: Required value',
  },
  {
    says: 'thresholds are not negative',
    of: 'pod',
    change: { 'spec.containers.0.readinessProbe.failureThreshold': -1 },
    error: 'spec.containers[0].readinessProbe.failureThreshold: Invalid value: -1: must be greater than or equal to 0',
  },
  {
    says: 'a hook has one way to act',
    of: 'pod',
    change: { 'spec.containers.0.lifecycle.preStop': {} },
    error: 'spec.containers[0].lifecycle.preStop: Required value: must specify a handler type',
  },
  {
    says: 'the policy of the message is known',
    of: 'pod',
    change: { 'spec.containers.0.terminationMessagePolicy': 'Nope' },
    error:
      'spec.containers[0].terminationMessagePolicy: Unsupported value: "Nope": supported values: "File", "FallbackToLogsOnError"',
  },
  {
    says: 'privileges cannot be escalated and refused at once',
    of: 'pod',
    change: { 'spec.containers.0.securityContext.privileged': true },
    error:
      'spec.containers[0].securityContext: Invalid value: {"Capabilities":{"Add":["NET_BIND_SERVICE"],"Drop":["ALL"]},"Privileged":true,"SELinuxOptions":null,"WindowsOptions":null,"RunAsUser":5,"RunAsGroup":null,"RunAsNonRoot":null,"ReadOnlyRootFilesystem":true,"AllowPrivilegeEscalation":false,"ProcMount":null,"SeccompProfile":null,"AppArmorProfile":null}: cannot set `allowPrivilegeEscalation` to false and `privileged` to true',
  },
  {
    says: 'an init container needs no readiness',
    of: 'pod',
    change: { 'spec.initContainers.0.readinessProbe': { exec: { command: ['x'] } } },
    error:
      'spec.initContainers[0].readinessProbe: Forbidden: may not be set for init containers without restartPolicy=Always',
  },
  {
    says: 'an init container does not share the name of another',
    of: 'pod',
    change: { 'spec.initContainers.0.name': 'main' },
    error: 'spec.initContainers[0].name: Duplicate value: "main"',
  },
];
