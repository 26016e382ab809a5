// SPDX-License-Identifier: Apache-2.0
import { BlobError } from '../blob-error.ts';

/** The two files of an AWS set-up, as text; either may be missing. */
export interface AwsFiles {
  /** The shared credentials file, with sections like `[default]`. */
  readonly credentials?: string;
  /** The config file, with sections like `[default]` and `[profile other]`. */
  readonly config?: string;
}

/** How a profile gets its credentials. `chain`: not from these files; the environment has them. */
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
  readonly credentials: ProfileCredentials;
}

type Section = ReadonlyMap<string, string>;

/**
 * Settings that make the reader run a program, read a file of its own machine, or ask another host. These files come from a Secret that
 * somebody in a namespace wrote; they must not reach that far.
 */
const refusedSettings = [
  'credential_process',
  'web_identity_token_file',
  'sso_session',
  'sso_start_url',
  'endpoint_url',
  'services',
  'ca_bundle',
  'login_session',
];

/** How far a role may be assumed through another role. */
const maxSources = 5;

/** Reads one profile. What the credentials file says goes before what the config file says. */
export function readAwsProfile(files: AwsFiles, profile = 'default'): AwsProfile {
  const sections = mergedSections(files);
  const section = sections.get(profile);
  if (!section && profile !== 'default') throw configuration(`there is no profile "${profile}"`);
  return {
    region: section?.get('region'),
    credentials: credentialsOf(sections, profile, 0),
  };
}

function credentialsOf(sections: ReadonlyMap<string, Section>, profile: string, depth: number): ProfileCredentials {
  const section = sections.get(profile) ?? new Map<string, string>();
  for (const name of refusedSettings) {
    if (section.has(name)) throw configuration(`the profile "${profile}" uses ${name}, which is not supported here`);
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
    throw configuration(`the profile "${profile}" has no ${missing}`);
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
    throw configuration(`duration_seconds of the profile "${profile}" is not a number`);
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
  if (depth >= maxSources) throw configuration('the profiles name each other as source_profile without end');
  if (!sections.has(sourceProfile)) {
    throw configuration(`the source_profile "${sourceProfile}" of the profile "${profile}" is not there`);
  }
  // A profile may be its own source: then its keys are meant, not its role.
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
    add(/^profile\s+(?<name>.+)$/.exec(name)?.groups?.['name']?.trim() ?? name, settings);
  }
  for (const [name, settings] of parseIni(files.credentials ?? '')) add(name, settings);
  return merged;
}

/** Sections and their settings. Indented lines below a setting without a value belong to it and are left out. */
function parseIni(text: string): ReadonlyMap<string, Section> {
  const sections = new Map<string, Map<string, string>>();
  let current = new Map<string, string>();
  let isNested = false;
  for (const line of text.split(/\r?\n/)) {
    const section = /^\s*\[(?<name>[^\]]+)\]\s*([#;].*)?$/.exec(line)?.groups?.['name']?.trim();
    const setting = /^\s*(?<key>[^\s=#;][^=]*?)\s*=\s*(?<value>.*?)\s*$/.exec(line)?.groups;
    if (section !== undefined) {
      current = sections.get(section) ?? new Map<string, string>();
      sections.set(section, current);
      isNested = false;
    } else if (setting && !(isNested && /^\s/.test(line))) {
      // A comment begins after a blank; keys may well contain its sign.
      const value = (setting['value'] ?? '').replace(/(^|\s)[#;].*$/, '').trim();
      isNested = value === '';
      if (!isNested) current.set((setting['key'] ?? '').toLowerCase(), value);
    }
  }
  return sections;
}

function configuration(problem: string): BlobError {
  return new BlobError('Configuration', `the AWS credentials or config file cannot be used: ${problem}`);
}
