// SPDX-License-Identifier: Apache-2.0
import { asArray, asObject, asObjects, type Json, type JsonObject } from '../../json/json.ts';
import { duplicate, type FieldError, invalid, notSupported, required } from '../../validation/field-error.ts';
import { descendingPathErrors } from '../../validation/paths.ts';

const profileTypes = ['Localhost', 'RuntimeDefault', 'Unconfined'];

/** The validation errors of a container's security context. */
export function validateContainerSecurity(context: JsonObject | undefined, field: string): FieldError[] {
  if (!context) return [];
  const errors = ['runAsUser', 'runAsGroup'].flatMap((key) => idErrors(context[key], `${field}.${key}`));
  errors.push(...validateSeccomp(asObject(context['seccompProfile']), `${field}.seccompProfile`));
  if (context['allowPrivilegeEscalation'] !== false) return errors;
  if (context['privileged'] === true) {
    const detail = 'cannot set `allowPrivilegeEscalation` to false and `privileged` to true';
    errors.push(invalid(field, shownContext(context), detail));
  }
  if (asArray(asObject(context['capabilities'])?.['add']).includes('CAP_SYS_ADMIN')) {
    const detail = 'cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN';
    errors.push(invalid(field, shownContext(context), detail));
  }
  return errors;
}

/** The validation errors of a pod's security context. */
export function validatePodSecurity(context: JsonObject | undefined, field: string): FieldError[] {
  if (!context) return [];
  return [
    ...['fsGroup', 'runAsUser', 'runAsGroup'].flatMap((key) => idErrors(context[key], `${field}.${key}`)),
    ...asArray(context['supplementalGroups']).flatMap((group, index) =>
      idErrors(group, `${field}.supplementalGroups[${index}]`),
    ),
    ...validateSysctls(asObjects(context['sysctls']), `${field}.sysctls`),
    ...validateSeccomp(asObject(context['seccompProfile']), `${field}.seccompProfile`),
  ];
}

/** The validation errors of a user or group ID. */
function idErrors(value: Json | undefined, field: string): FieldError[] {
  if (typeof value !== 'number' || (value >= 0 && value <= 2147483647)) return [];
  return [invalid(field, value, 'must be between 0 and 2147483647, inclusive')];
}

function validateSysctls(settings: readonly JsonObject[], field: string): FieldError[] {
  const names = new Set<string>();
  return settings.flatMap((setting, index) => {
    const name = String(setting['name'] ?? '');
    const place = `${field}[${index}].name`;
    const errors = name === '' ? [required(place)] : names.has(name) ? [duplicate(place, name)] : [];
    names.add(name);
    return errors;
  });
}

function validateSeccomp(profile: JsonObject | undefined, field: string): FieldError[] {
  if (!profile) return [];
  const { type, localhostProfile } = profile;
  const errors: FieldError[] = [];
  if (!type) errors.push(required(`${field}.type`, 'type is required when seccompProfile is set'));
  else if (!profileTypes.includes(String(type))) errors.push(notSupported(`${field}.type`, type, profileTypes));
  const place = `${field}.localhostProfile`;
  if (type !== 'Localhost') {
    if (localhostProfile === undefined) return errors;
    const shown = { Type: type ?? '', LocalhostProfile: localhostProfile };
    return [...errors, invalid(place, shown, 'can only be set when seccomp type is Localhost')];
  }
  if (localhostProfile === undefined) return [...errors, required(place, 'must be set when seccomp type is Localhost')];
  return [...errors, ...descendingPathErrors(String(localhostProfile), place)];
}

/** A security context in the real server's format: its Go type with every field. */
function shownContext(context: JsonObject): JsonObject {
  const capabilities = asObject(context['capabilities']);
  const shown: JsonObject = {
    Capabilities: capabilities ? { Add: capabilities['add'] ?? null, Drop: capabilities['drop'] ?? null } : null,
  };
  const fields = [
    'privileged',
    'seLinuxOptions',
    'windowsOptions',
    'runAsUser',
    'runAsGroup',
    'runAsNonRoot',
    'readOnlyRootFilesystem',
    'allowPrivilegeEscalation',
    'procMount',
    'seccompProfile',
    'appArmorProfile',
  ];
  for (const key of fields) shown[goNames[key] ?? capitalised(key)] = context[key] ?? null;
  return shown;
}

const goNames: Readonly<Record<string, string>> = { seLinuxOptions: 'SELinuxOptions' };

function capitalised(key: string): string {
  return `${key.charAt(0).toUpperCase()}${key.slice(1)}`;
}
