// SPDX-License-Identifier: Apache-2.0
/** A valid Pod with most of the possible fields; each case changes one of them. */

/** The allowed fields in a pod template with restartPolicy Always. */
export const lastingSpec = {
  serviceAccountName: 'default',
  automountServiceAccountToken: false,
  hostname: 'h',
  subdomain: 's',
  restartPolicy: 'Always',
  terminationGracePeriodSeconds: 5,
  dnsPolicy: 'ClusterFirst',
  nodeSelector: { a: 'b' },
  nodeName: 'n1',
  securityContext: {
    runAsUser: 1,
    runAsNonRoot: true,
    fsGroup: 3,
    seccompProfile: { type: 'RuntimeDefault' },
    sysctls: [{ name: 'a.b', value: '1' }],
  },
  tolerations: [
    { key: 'a', operator: 'Equal', value: 'b', effect: 'NoSchedule' },
    { key: 'c', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 },
  ],
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] }],
      },
    },
    podAntiAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        {
          weight: 5,
          podAffinityTerm: { labelSelector: { matchLabels: { a: 'b' } }, topologyKey: 'kubernetes.io/hostname' },
        },
      ],
    },
  },
  topologySpreadConstraints: [
    {
      maxSkew: 1,
      topologyKey: 'zone',
      whenUnsatisfiable: 'DoNotSchedule',
      labelSelector: { matchLabels: { a: 'b' } },
    },
  ],
  hostAliases: [{ ip: '10.0.0.1', hostnames: ['x.y'] }],
  readinessGates: [{ conditionType: 'example.com/x' }],
  imagePullSecrets: [{ name: 'reg' }],
  dnsConfig: { nameservers: ['10.0.0.2'], searches: ['a.b'], options: [{ name: 'ndots', value: '1' }] },
  volumes: [
    { name: 'e', emptyDir: { medium: 'Memory', sizeLimit: '1Mi' } },
    { name: 's', secret: { secretName: 'x', defaultMode: 256, items: [{ key: 'k', path: 'p', mode: 256 }] } },
    { name: 'm', configMap: { name: 'y', optional: true } },
    { name: 'c', persistentVolumeClaim: { claimName: 'z' } },
    { name: 'd', downwardAPI: { items: [{ path: 'l', fieldRef: { fieldPath: 'metadata.labels' } }] } },
    {
      name: 'p',
      projected: {
        sources: [
          { serviceAccountToken: { path: 't', expirationSeconds: 3600, audience: 'a' } },
          { configMap: { name: 'cm' } },
        ],
      },
    },
    { name: 'h', hostPath: { path: '/x', type: 'Directory' } },
  ],
  initContainers: [{ name: 'init', image: 'i:1', command: ['a'] }],
  containers: [
    {
      name: 'main',
      image: 'i:1',
      imagePullPolicy: 'IfNotPresent',
      command: ['a'],
      args: ['b'],
      workingDir: '/w',
      ports: [{ name: 'web', containerPort: 80, protocol: 'TCP' }],
      env: [
        { name: 'A', value: 'b' },
        { name: 'B', valueFrom: { secretKeyRef: { name: 'x', key: 'k' } } },
        { name: 'C', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
        { name: 'D', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '1' } } },
      ],
      envFrom: [{ prefix: 'P_', configMapRef: { name: 'y' } }],
      resources: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '500m' } },
      volumeMounts: [
        { name: 'e', mountPath: '/e', subPath: 'q' },
        { name: 's', mountPath: '/s', readOnly: true },
      ],
      livenessProbe: {
        httpGet: { path: '/h', port: 80, scheme: 'HTTP', httpHeaders: [{ name: 'X', value: 'y' }] },
        initialDelaySeconds: 1,
        periodSeconds: 2,
        timeoutSeconds: 1,
        successThreshold: 1,
        failureThreshold: 3,
      },
      readinessProbe: { tcpSocket: { port: 'web' } },
      startupProbe: { exec: { command: ['x'] } },
      lifecycle: { preStop: { exec: { command: ['x'] } }, postStart: { httpGet: { port: 80 } } },
      securityContext: {
        runAsUser: 5,
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'], add: ['NET_BIND_SERVICE'] },
        readOnlyRootFilesystem: true,
      },
      terminationMessagePath: '/t',
      terminationMessagePolicy: 'File',
    },
  ],
};

export const podSpec = { ...lastingSpec, activeDeadlineSeconds: 50 };
