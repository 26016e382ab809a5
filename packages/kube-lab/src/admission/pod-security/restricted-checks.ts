// SPDX-License-Identifier: Apache-2.0
import { asArray, asObject, asObjects, asString, type JsonObject } from '../../json/json.ts';
import { badSeccomp, baselineChecks, type Check, type Checks, procMount } from './baseline-checks.ts';
import { containersText, plural, quoted, settersText, sortedTexts } from './pod-view.ts';

const allowPrivilegeEscalation: Check = ({ containers }) => {
  const bad = containers.filter(({ security }) => security['allowPrivilegeEscalation'] !== false);
  if (bad.length === 0) return undefined;
  return {
    reason: 'allowPrivilegeEscalation != false',
    detail: `${containersText(bad)} must set securityContext.allowPrivilegeEscalation=false`,
  };
};

const capabilities: Check = ({ containers }) => {
  const list = (security: JsonObject, key: string) => asArray(asObject(security['capabilities'])?.[key]).map(String);
  const added = (security: JsonObject) => list(security, 'add').filter((name) => name !== 'NET_BIND_SERVICE');
  const keeping = containers.filter(({ security }) => !list(security, 'drop').includes('ALL'));
  const adding = containers.filter(({ security }) => added(security).length > 0);
  const details: string[] = [];
  if (keeping.length > 0) details.push(`${containersText(keeping)} must set securityContext.capabilities.drop=["ALL"]`);
  if (adding.length > 0) {
    const names = quoted(sortedTexts(adding.flatMap(({ security }) => added(security))));
    details.push(`${containersText(adding)} must not include ${names} in securityContext.capabilities.add`);
  }
  return details.length === 0 ? undefined : { reason: 'unrestricted capabilities', detail: details.join('; ') };
};

const allowedVolumes = new Set([
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'image',
  'persistentVolumeClaim',
  'projected',
  'secret',
]);

const volumes: Check = ({ spec }) => {
  const type = (volume: JsonObject) => Object.keys(volume).find((key) => key !== 'name') ?? 'unknown';
  const bad = asObjects(spec['volumes']).filter((volume) => !allowedVolumes.has(type(volume)));
  if (bad.length === 0) return undefined;
  const names = quoted(bad.map(({ name }) => String(name)));
  const types = sortedTexts(bad.map(type));
  const what = `${plural('restricted volume type', 'restricted volume types', types.length)} ${quoted(types)}`;
  const who = `${plural('volume', 'volumes', bad.length)} ${names} ${plural('uses', 'use', bad.length)}`;
  return { reason: 'restricted volume types', detail: `${who} ${what}` };
};

const runAsNonRoot: Check = ({ spec, security, containers }) => {
  if (spec['hostUsers'] === false) return undefined;
  const reason = 'runAsNonRoot != true';
  const refusing = containers.filter((one) => one.security['runAsNonRoot'] === false);
  const setters = settersText(security['runAsNonRoot'] === false, refusing);
  if (setters) return { reason, detail: `${setters} must not set securityContext.runAsNonRoot=false` };
  const unset = containers.filter((one) => one.security['runAsNonRoot'] === undefined);
  if (unset.length === 0 || security['runAsNonRoot'] === true) return undefined;
  return { reason, detail: `pod or ${containersText(unset)} must set securityContext.runAsNonRoot=true` };
};

const runAsUser: Check = ({ spec, security, containers }) => {
  if (spec['hostUsers'] === false) return undefined;
  const bad = containers.filter((one) => one.security['runAsUser'] === 0);
  const setters = settersText(security['runAsUser'] === 0, bad);
  return setters ? { reason: 'runAsUser=0', detail: `${setters} must not set runAsUser=0` } : undefined;
};

const seccomp: Check = (pod) => {
  const explicit = badSeccomp(pod);
  if (explicit) return explicit;
  const type = (context: JsonObject) => asString(asObject(context['seccompProfile'])?.['type']);
  const unset = pod.containers.filter(({ security }) => type(security) === undefined);
  if (unset.length === 0 || type(pod.security) !== undefined) return undefined;
  const what = 'must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"';
  return { reason: 'seccompProfile', detail: `pod or ${containersText(unset)} ${what}` };
};

// Three checks of the baseline level have stricter variants. Windows pods are not exempt, because no node here runs
// them.
const { capabilities_baseline: _one, hostPathVolumes: _two, seccompProfile_baseline: _three, ...kept } = baselineChecks;

/** The checks of the restricted level: those of baseline, and more. */
export const restrictedChecks: Checks = {
  ...kept,
  allowPrivilegeEscalation,
  capabilities_restricted: capabilities,
  procMount_restricted: (pod) => (pod.spec['hostUsers'] === false ? procMount(pod) : undefined),
  restrictedVolumes: volumes,
  runAsNonRoot,
  runAsUser,
  seccompProfile_restricted: seccomp,
};
