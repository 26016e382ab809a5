// SPDX-License-Identifier: Apache-2.0
import { asObject, asObjects, asString, ensureObject, type JsonObject } from '../../json/json.ts';

/** The defaults of a pod's spec, in a Pod and in every pod template. */
function podSpecDefaults(spec: JsonObject): void {
  spec['restartPolicy'] ??= 'Always';
  const grace = spec['terminationGracePeriodSeconds'];
  if (typeof grace !== 'number') spec['terminationGracePeriodSeconds'] = 30;
  else if (grace < 0) spec['terminationGracePeriodSeconds'] = 1;
  spec['dnsPolicy'] ??= 'ClusterFirst';
  spec['securityContext'] ??= {};
  spec['schedulerName'] ??= 'default-scheduler';
  const account = spec['serviceAccountName'] ?? spec['serviceAccount'];
  if (account !== undefined) {
    spec['serviceAccountName'] = account;
    spec['serviceAccount'] = account;
  }
  for (const list of ['initContainers', 'containers', 'ephemeralContainers']) {
    for (const container of asObjects(spec[list])) containerDefaults(container);
  }
  if (spec['hostNetwork'] === true) hostPorts(spec);
  for (const volume of asObjects(spec['volumes'])) volumeDefaults(volume);
}

/** Under `hostNetwork` a port of the container is a port of the host. */
function hostPorts(spec: JsonObject): void {
  for (const list of ['initContainers', 'containers']) {
    for (const container of asObjects(spec[list])) {
      for (const port of asObjects(container['ports'])) port['hostPort'] ??= port['containerPort'];
    }
  }
}

function containerDefaults(container: JsonObject): void {
  container['imagePullPolicy'] ??= pullPolicy(asString(container['image']) ?? '');
  container['terminationMessagePath'] ??= '/dev/termination-log';
  container['terminationMessagePolicy'] ??= 'File';
  for (const name of ['livenessProbe', 'readinessProbe', 'startupProbe']) {
    const probe = asObject(container[name]);
    if (probe) probeDefaults(probe);
  }
  const lifecycle = asObject(container['lifecycle']);
  for (const hook of ['postStart', 'preStop']) httpDefaults(asObject(lifecycle?.[hook]));
  for (const env of asObjects(container['env'])) fieldRefDefaults(asObject(asObject(env['valueFrom'])?.['fieldRef']));
}

/** Images without a tag or with `latest` are always pulled. */
function pullPolicy(image: string): string {
  const name = image.slice(image.lastIndexOf('/') + 1);
  if (image.includes('@')) return 'IfNotPresent';
  const colon = name.indexOf(':');
  const tag = colon < 0 ? 'latest' : name.slice(colon + 1);
  return tag === 'latest' ? 'Always' : 'IfNotPresent';
}

function probeDefaults(probe: JsonObject): void {
  probe['timeoutSeconds'] ??= 1;
  probe['periodSeconds'] ??= 10;
  probe['successThreshold'] ??= 1;
  probe['failureThreshold'] ??= 3;
  httpDefaults(probe);
  const grpc = asObject(probe['grpc']);
  if (grpc) grpc['service'] ??= '';
}

function httpDefaults(handler: JsonObject | undefined): void {
  const http = asObject(handler?.['httpGet']);
  if (!http) return;
  http['path'] ??= '/';
  http['scheme'] ??= 'HTTP';
}

function fieldRefDefaults(reference: JsonObject | undefined): void {
  if (reference) reference['apiVersion'] ??= 'v1';
}

function volumeDefaults(volume: JsonObject): void {
  if (Object.keys(volume).every((key) => key === 'name')) volume['emptyDir'] = {};
  for (const kind of ['secret', 'configMap', 'downwardAPI', 'projected']) {
    const source = asObject(volume[kind]);
    if (source) source['defaultMode'] ??= 420;
  }
  const hostPath = asObject(volume['hostPath']);
  if (hostPath) hostPath['type'] ??= '';
  for (const item of asObjects(asObject(volume['downwardAPI'])?.['items']))
    fieldRefDefaults(asObject(item['fieldRef']));
  for (const source of asObjects(asObject(volume['projected'])?.['sources'])) projectedDefaults(source);
  const template = asObject(asObject(volume['ephemeral'])?.['volumeClaimTemplate']);
  if (template) ensureObject(template, 'spec')['volumeMode'] ??= 'Filesystem';
}

function projectedDefaults(source: JsonObject): void {
  const token = asObject(source['serviceAccountToken']);
  if (token) token['expirationSeconds'] ??= 3600;
  for (const item of asObjects(asObject(source['downwardAPI'])?.['items']))
    fieldRefDefaults(asObject(item['fieldRef']));
}

/** The defaults of a Pod itself: requests default to limits, and service links are enabled. */
export function podDefaults(object: JsonObject): void {
  const spec = asObject(object['spec']);
  if (!spec) return;
  podSpecDefaults(spec);
  spec['enableServiceLinks'] ??= true;
  for (const list of ['initContainers', 'containers']) {
    for (const container of asObjects(spec[list])) requestsFromLimits(container);
  }
}

function requestsFromLimits(container: JsonObject): void {
  const resources = asObject(container['resources']);
  const limits = asObject(resources?.['limits']);
  if (!resources || !limits) return;
  const requests = ensureObject(resources, 'requests');
  for (const [name, amount] of Object.entries(limits)) requests[name] ??= amount;
}

/** The defaults of the template inside a workload. */
export function templateDefaults(parent: JsonObject | undefined): void {
  const spec = asObject(asObject(parent?.['template'])?.['spec']);
  if (spec) podSpecDefaults(spec);
}
