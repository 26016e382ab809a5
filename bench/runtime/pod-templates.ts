// SPDX-License-Identifier: Apache-2.0

const teams = ['checkout', 'search', 'identity', 'ledger', 'media', 'routing', 'reports', 'stock'];
const parts = ['api', 'worker', 'web', 'indexer', 'gateway'];
const topics = ['database', 'cache', 'queue', 'search', 'payment', 'tracing', 'mail', 'objects', 'features', 'audit'];

/**
 * Typical pods: one to three containers with probes, variables and mounts, and a full status; about 12 kB of JSON.
 * Forty shapes, which differ in the number and kind of nearly everything. The loader (bench/go/template.go) creates
 * applications of five pods from each shape and replaces the placeholders of an application (`%APP%`, `%APPHASH:x%`)
 * and of a pod (`%NAME%`, `%NODE%`, `%IP%`, `%HASH:x%`, `%TIME:x%`), so that pods are as similar as in a cluster with
 * 2,000 Deployments.
 */
export const podTemplates = Array.from({ length: 40 }, (_, shape) => podTemplate(shape));

/** Selects an item of a list for a shape; `step` makes lists vary independently. */
function pick<T>(list: readonly T[], shape: number, step = 1): T {
  const chosen = list[Math.floor(shape / step) % list.length];
  if (chosen === undefined) throw new Error('a list to pick from is empty');
  return chosen;
}

function podTemplate(shape: number) {
  const team = pick(teams, shape);
  const part = pick(parts, shape, 2);
  const names = [part, 'proxy', 'shipper'].slice(0, 1 + (shape % 3));
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: metadata(team, part, shape),
    spec: {
      ...scheduling(shape),
      restartPolicy: 'Always',
      dnsPolicy: 'ClusterFirst',
      serviceAccountName: `${team}-${part}`,
      enableServiceLinks: shape % 4 === 0,
      terminationGracePeriodSeconds: 30 + 15 * (shape % 4),
      securityContext: {
        runAsNonRoot: true,
        runAsUser: 10_000 + shape,
        fsGroup: 10_000 + shape,
        seccompProfile: { type: 'RuntimeDefault' },
      },
      volumes: volumes(team, part, shape),
      ...(shape % 5 === 0 ? { initContainers: [container('migrate', team, shape, false)] } : {}),
      containers: names.map((name) => container(name, team, shape, true)),
    },
    status: status(names, team, shape),
  };
}

function metadata(team: string, part: string, shape: number) {
  return {
    name: '%NAME%',
    labels: {
      'app.kubernetes.io/name': `${team}-${part}`,
      'app.kubernetes.io/instance': `${team}-%APP%`,
      'app.kubernetes.io/component': part,
      ...(shape % 2 === 0
        ? { 'app.kubernetes.io/part-of': team, 'app.kubernetes.io/version': `1.${shape}.%APP%` }
        : {}),
      ...(shape % 3 === 0 ? { 'example.com/team': team, 'example.com/tier': pick(['gold', 'silver'], shape) } : {}),
      'pod-template-hash': '%APPHASH:template:10%',
    },
    annotations: {
      'checksum/config': '%APPHASH:config%',
      'example.com/deployed-by': `pipeline %APP% of the ${team} repository, stage production, region ${shape % 4}`,
      ...(shape % 2 === 0 ? { 'prometheus.io/scrape': 'true', 'prometheus.io/port': String(9000 + shape) } : {}),
      ...(shape % 7 === 0 ? { 'example.com/restarted-at': '%TIME:restarted%' } : {}),
    },
    ownerReferences: [
      {
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        name: `${team}-${part}-%APP%-%APPHASH:template:10%`,
        uid: '%APPHASH:owner:8%-5d6f-4a7e-9a55-%APPHASH:owner:12%',
        controller: true,
        blockOwnerDeletion: true,
      },
    ],
  };
}

function scheduling(shape: number) {
  const matchLabels = { 'app.kubernetes.io/instance': `${pick(teams, shape)}-%APP%` };
  const spread = {
    maxSkew: 1,
    topologyKey: 'topology.kubernetes.io/zone',
    whenUnsatisfiable: 'ScheduleAnyway',
    labelSelector: { matchLabels },
  };
  const term = {
    weight: 100,
    podAffinityTerm: { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels } },
  };
  return {
    nodeName: 'node-%NODE%.region-one.example.com',
    priority: 0,
    ...(shape % 2 === 0
      ? { affinity: { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [term] } } }
      : { topologySpreadConstraints: [spread] }),
    ...(shape % 4 === 1 ? { nodeSelector: { 'example.com/pool': pick(['general', 'memory', 'burst'], shape) } } : {}),
    tolerations: [
      { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
      { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
      ...(shape % 6 === 0
        ? [{ key: 'example.com/pool', operator: 'Equal', value: 'memory', effect: 'NoSchedule' }]
        : []),
    ],
  };
}

function volumes(team: string, part: string, shape: number) {
  return [
    { name: 'config', configMap: { name: `${team}-${part}-%APP%`, defaultMode: 420 } },
    { name: 'certificates', secret: { secretName: `${team}-${part}-%APP%-tls`, defaultMode: 256 } },
    { name: 'scratch', emptyDir: shape % 2 === 0 ? { sizeLimit: `${64 + shape}Mi` } : {} },
    ...(shape % 3 === 1 ? [{ name: 'data', persistentVolumeClaim: { claimName: 'data-%NAME%' } }] : []),
    {
      name: 'kube-api-access-%HASH:access:5%',
      projected: {
        defaultMode: 420,
        sources: [
          { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
          { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
          {
            downwardAPI: {
              items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
            },
          },
        ],
      },
    },
  ];
}

function container(name: string, team: string, shape: number, long: boolean) {
  const port = 8000 + 10 * shape + name.length;
  return {
    name,
    image: `registry.example.com/${team}/${name}:v1.${shape}.%APP%`,
    imagePullPolicy: 'IfNotPresent',
    args: [`--listen=:${port}`, `--config=/etc/${team}/config.yaml`, `--shard=%APP%`, '--log-format=json'].slice(
      0,
      2 + (shape % 3),
    ),
    ports: long
      ? [
          { name: 'http', containerPort: port, protocol: 'TCP' },
          { name: 'metrics', containerPort: port + 1, protocol: 'TCP' },
        ]
      : [],
    env: variables(team, shape, name),
    resources: {
      requests: { cpu: `${100 + 50 * (shape % 8)}m`, memory: `${128 + 32 * (shape % 16)}Mi` },
      limits: { memory: `${256 + 64 * (shape % 16)}Mi` },
    },
    volumeMounts: [
      { name: 'config', mountPath: `/etc/${team}`, readOnly: true },
      { name: 'certificates', mountPath: '/etc/certificates', readOnly: true },
      { name: 'scratch', mountPath: '/tmp' },
      {
        name: 'kube-api-access-%HASH:access:5%',
        mountPath: '/var/run/secrets/kubernetes.io/serviceaccount',
        readOnly: true,
      },
    ],
    ...(long
      ? { livenessProbe: probe(shape, '/healthz', port), readinessProbe: probe(shape + 1, '/readyz', port) }
      : {}),
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
  };
}

function variables(team: string, shape: number, name: string) {
  const used = topics.slice(0, 4 + (shape % 6)).map((topic) => ({
    name: `${topic.toUpperCase()}_URL`,
    value: `https://${topic}.${team}-%APP%.svc.cluster.local:${8443 + shape}/v1?client=${name}`,
  }));
  return [
    { name: 'POD_NAME', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } },
    { name: 'POD_IP', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'status.podIP' } } },
    { name: 'PASSWORD', valueFrom: { secretKeyRef: { name: `${team}-%APP%`, key: `password-${shape}` } } },
    { name: 'RELEASE', value: '%APPHASH:release:40%' },
    ...used,
  ];
}

function probe(shape: number, path: string, port: number) {
  const ways = [
    { httpGet: { path, port, scheme: 'HTTP' } },
    { tcpSocket: { port } },
    { exec: { command: ['/bin/check', '--timeout=1s', path] } },
  ];
  return {
    ...pick(ways, shape),
    initialDelaySeconds: shape % 20,
    periodSeconds: 5 + (shape % 10),
    timeoutSeconds: 1 + (shape % 3),
    successThreshold: 1,
    failureThreshold: 3 + (shape % 3),
  };
}

function status(names: readonly string[], team: string, shape: number) {
  const types = ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'];
  return {
    phase: 'Running',
    qosClass: 'Burstable',
    hostIP: '192.0.2.%NODE%',
    podIP: '%IP%',
    podIPs: [{ ip: '%IP%' }],
    startTime: '%TIME:start%',
    conditions: types.map((type) => ({ type, status: 'True', lastTransitionTime: `%TIME:${type}%` })),
    containerStatuses: names.map((name) => ({
      name,
      ready: true,
      started: true,
      restartCount: shape % 4,
      image: `registry.example.com/${team}/${name}:v1.${shape}.%APP%`,
      imageID: `registry.example.com/${team}/${name}@sha256:%APPHASH:${name}%`,
      containerID: `containerd://%HASH:${name}%`,
      state: { running: { startedAt: `%TIME:${name}%` } },
      lastState: {},
    })),
  };
}
