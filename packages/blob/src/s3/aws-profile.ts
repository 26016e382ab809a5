// SPDX-License-Identifier: Apache-2.0
import { BlobError } from '../blob-error.ts';

/** The two files of an AWS configuration, as text; either may be missing. */
export interface AwsFiles {
  /** The shared credentials file, with sections like `[default]`. */
  readonly credentials?: string;
  /** The config file, with sections like `[default]` and `[profile other]`. */
  readonly config?: string;
}

/** How a profile gets its credentials. `chain`: from the environment, not from these files. */
export type ProfileCredentials =
  | {
      readonly kind: 'keys';
      readonly accessKeyId: string;
      readonly secretAccessKey: string;
      readonly sessionToken?: string;
    }
  | {
      readonly kind: 'role';
      readonly roleArn: string;
      readonly source: ProfileCredentials;
      readonly externalId?: string;
      readonly sessionName?: string;
      readonly durationSeconds?: number;
    }
  | { readonly kind: 'chain' };

export interface AwsProfile {
  readonly region: string | undefined;
  /** URL of the S3 server. The author of the files chose it, so it must pass the endpoint policy. */
  readonly endpoint: string | undefined;
  /** The bucket in the path of requests (`s3.addressing_style = path`). */
  readonly isPathStyle: boolean;
  readonly credentials: ProfileCredentials;
}

type Section = ReadonlyMap<string, string>;

/**
 * Settings that would make the operator run a program, read a local file, or authenticate elsewhere. They are refused,
 * because a user of a namespace wrote the Secret with these files.
 */
const refusedSettings = [
  'credential_process',
  'web_identity_token_file',
  'sso_session',
  'sso_start_url',
  'ca_bundle',
  'login_session',
];

/** The maximum length of a chain of assumed roles. */
const maxSources = 5;

/** True if it may be the name of a region, which becomes part of a host name. */
export function isRegion(text: string): boolean {
  return /^[a-z0-9-]{1,64}$/.test(text);
}

/** Reads one profile. The credentials file has priority over the config file. */
export function readAwsProfile(files: AwsFiles, profile = 'default'): AwsProfile {
  const sections = mergedSections(files);
  const section = sections.get(profile);
  if (!section && profile !== 'default') throw configuration(`profile "${profile}" does not exist`);
  const credentials = credentialsOf(sections, profile, 0);
  const region = section?.get('region');
  // The region is also part of the name of the host that is asked to assume a role.
  if (region !== undefined && !isRegion(region)) throw configuration(`"${region}" is not a valid region`);
  return {
    region,
    endpoint: endpointOf(sections, profile, credentials),
    isPathStyle: section?.get('s3.addressing_style') === 'path',
    credentials,
  };
}

/**
 * The endpoint, as in the AWS CLI: `endpoint_url` of S3 in the `[services NAME]` section of the profile, else
 * `endpoint_url` of the profile. A profile with an endpoint must contain the access keys as well: a user chose the
 * server, so the operator neither sends its own keys to it nor assumes a role for it.
 */
function endpointOf(
  sections: ReadonlyMap<string, Section>,
  profile: string,
  credentials: ProfileCredentials,
): string | undefined {
  const section = sections.get(profile);
  const services = section?.get('services');
  if (services !== undefined && !sections.has(`services ${services}`))
    throw configuration(`profile "${profile}" refers to [services ${services}], which does not exist`);
  const endpoint = sections.get(`services ${services}`)?.get('s3.endpoint_url') ?? section?.get('endpoint_url');
  if (endpoint === undefined || credentials.kind === 'keys') return endpoint;
  const lack = credentials.kind === 'role' ? 'has role_arn instead of access keys' : 'has no access keys';
  throw configuration(
    `profile "${profile}" sets endpoint_url but ${lack}; a custom endpoint needs aws_access_key_id and aws_secret_access_key in the same profile`,
  );
}

function credentialsOf(sections: ReadonlyMap<string, Section>, profile: string, depth: number): ProfileCredentials {
  const section = sections.get(profile) ?? new Map<string, string>();
  for (const name of refusedSettings) {
    if (section.has(name)) throw configuration(`profile "${profile}" uses ${name}, which is not supported here`);
  }
  const roleArn = section.get('role_arn');
  if (roleArn !== undefined) return roleOf(sections, profile, section, roleArn, depth);
  return keysOf(profile, section) ?? { kind: 'chain' };
}

function keysOf(profile: string, section: Section): ProfileCredentials | undefined {
  const accessKeyId = section.get('aws_access_key_id');
  const secretAccessKey = section.get('aws_secret_access_key');
  const sessionToken = section.get('aws_session_token');
  if (accessKeyId === undefined && secretAccessKey === undefined) return undefined;
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    const missing = accessKeyId === undefined ? 'aws_access_key_id' : 'aws_secret_access_key';
    throw configuration(`profile "${profile}" has no ${missing}`);
  }
  return { kind: 'keys', accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) };
}

function roleOf(
  sections: ReadonlyMap<string, Section>,
  profile: string,
  section: Section,
  roleArn: string,
  depth: number,
): ProfileCredentials {
  const sourceProfile = section.get('source_profile');
  const externalId = section.get('external_id');
  const sessionName = section.get('role_session_name');
  const duration = section.get('duration_seconds');
  if (duration !== undefined && !/^\d+$/.test(duration)) {
    throw configuration(`duration_seconds of profile "${profile}" is not a number`);
  }
  return {
    kind: 'role',
    roleArn,
    source: roleSource(sections, profile, section, sourceProfile, depth),
    ...(externalId === undefined ? {} : { externalId }),
    ...(sessionName === undefined ? {} : { sessionName }),
    ...(duration === undefined ? {} : { durationSeconds: Number(duration) }),
  };
}

function roleSource(
  sections: ReadonlyMap<string, Section>,
  profile: string,
  section: Section,
  sourceProfile: string | undefined,
  depth: number,
): ProfileCredentials {
  if (sourceProfile === undefined) return { kind: 'chain' };
  if (depth >= maxSources) throw configuration('the source_profile settings form a loop, or a chain that is too long');
  if (!sections.has(sourceProfile)) {
    throw configuration(`profile "${profile}" has source_profile "${sourceProfile}", which does not exist`);
  }
  // A profile may be its own source: then its keys are used, not its role.
  if (sourceProfile === profile) return keysOf(profile, section) ?? { kind: 'chain' };
  return credentialsOf(sections, sourceProfile, depth + 1);
}

function mergedSections(files: AwsFiles): ReadonlyMap<string, Section> {
  const merged = new Map<string, Map<string, string>>();
  const add = (name: string, settings: Section) => {
    const into = merged.get(name) ?? new Map<string, string>();
    for (const [key, value] of settings) into.set(key, value);
    merged.set(name, into);
  };
  for (const [name, settings] of parseIni(files.config ?? '')) {
    add(/^profile\s(?<name>.+)$/.exec(name)?.groups?.['name']?.trim() ?? name, settings);
  }
  for (const [name, settings] of parseIni(files.credentials ?? '')) add(name, settings);
  return merged;
}

/** Sections and their settings. */
function parseIni(text: string): ReadonlyMap<string, Section> {
  const sections = new Map<string, Map<string, string>>();
  let body: string[] = [];
  const end = (name: string | undefined) => {
    const into = sections.get(name ?? '') ?? new Map<string, string>();
    for (const [key, value] of settingsOf(body)) into.set(key, value);
    if (name !== undefined) sections.set(name, into);
    body = [];
  };
  let current: string | undefined;
  for (const line of text.split(/\r?\n/)) {
    const name = sectionOf(line);
    if (name === undefined) body.push(line);
    else {
      end(current);
      current = name;
    }
  }
  end(current);
  return sections;
}

/** Settings of one section. Indented lines below a setting without a value belong to it: `s3.addressing_style`. */
function settingsOf(lines: readonly string[]): readonly (readonly [key: string, value: string])[] {
  const found: [string, string][] = [];
  let above = '';
  for (const line of lines) {
    const { key, value } = settingOf(line);
    const isNested = above !== '' && /^\s/.test(line);
    if (value !== '') found.push([isNested ? `${above}.${key}` : key, value]);
    if (!isNested && key !== '') above = value === '' ? key : '';
  }
  return found;
}

function sectionOf(line: string): string | undefined {
  return /^\s*\[(?<name>[^\]]+)\]\s*([#;].*)?$/.exec(line)?.groups?.['name']?.trim();
}

/** The key and the value of a line; both are empty if it has no setting. */
function settingOf(line: string): { readonly key: string; readonly value: string } {
  const sign = line.indexOf('=');
  const key = line.slice(0, Math.max(0, sign)).trim();
  if (key === '' || key.startsWith('#') || key.startsWith(';')) return { key: '', value: '' };
  // A comment begins after a blank: `#` and `;` without a blank before them are part of the value.
  const value = line.slice(sign + 1);
  return { key: key.toLowerCase(), value: value.slice(0, commentOf(value)).trim() };
}

function commentOf(value: string): number | undefined {
  const found = /(^|\s)[#;]/.exec(value);
  return found?.index;
}

function configuration(problem: string): BlobError {
  return new BlobError('Configuration', `the AWS credentials or config file cannot be used: ${problem}`);
}
