// SPDX-License-Identifier: Apache-2.0
import type { Agent as HttpAgent } from 'node:http';
import type { Agent as HttpsAgent } from 'node:https';
import type { S3ClientConfig } from '@aws-sdk/client-s3';
import { type ProfileCredentials, readAwsProfile } from './aws-profile.ts';
import type { S3Credentials } from './s3-options.ts';

/** The resolved credentials. */
export interface ResolvedCredentials {
  /** The credentials for the SDK's client. */
  readonly provider: NonNullable<S3ClientConfig['credentials']>;
  /** The server settings of the config file. */
  readonly region: string | undefined;
  readonly endpoint: string | undefined;
  readonly isPathStyle: boolean;
  /** Texts that must not appear in messages. */
  readonly secrets: readonly string[];
}

/**
 * True if the credentials come from the environment of this process, or from a role that is assumed with such
 * credentials.
 */
export function areS3CredentialsAmbient(credentials: S3Credentials): boolean {
  return isAmbient(
    credentials.kind === 'files' ? readAwsProfile(credentials, credentials.profile).credentials : credentials,
  );
}

function isAmbient(credentials: ProfileCredentials): boolean {
  switch (credentials.kind) {
    case 'chain':
      return true;
    case 'keys':
      return false;
    case 'role':
      return isAmbient(credentials.source);
  }
}

/**
 * The connections to the service that issues credentials. Without them, the SDK would use the connections of the store,
 * which lead to the store only.
 */
export interface IdentityAgents {
  readonly httpAgent: HttpAgent;
  readonly httpsAgent: HttpsAgent;
}

/** Converts options to the SDK's credentials. The SDK's modules that contact AWS are loaded only if needed. */
export async function resolveCredentials(
  credentials: S3Credentials,
  agents: IdentityAgents,
): Promise<ResolvedCredentials> {
  if (credentials.kind !== 'files') {
    const nothing = { region: undefined, endpoint: undefined, isPathStyle: false };
    return { provider: await providerOf(credentials, undefined, agents), ...nothing, secrets: secretsOf(credentials) };
  }
  const profile = readAwsProfile(credentials, credentials.profile);
  return {
    provider: await providerOf(profile.credentials, profile.region, agents),
    region: profile.region,
    endpoint: profile.endpoint,
    isPathStyle: profile.isPathStyle,
    secrets: secretsOf(profile.credentials),
  };
}

async function providerOf(
  credentials: ProfileCredentials,
  region: string | undefined,
  requestHandler: IdentityAgents,
): Promise<ResolvedCredentials['provider']> {
  switch (credentials.kind) {
    case 'keys': {
      const { accessKeyId, secretAccessKey, sessionToken } = credentials;
      return { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) };
    }
    case 'chain': {
      const { fromNodeProviderChain } = await import('@aws-sdk/credential-providers');
      return fromNodeProviderChain({ clientConfig: { requestHandler } });
    }
    case 'role': {
      const { fromTemporaryCredentials } = await import('@aws-sdk/credential-providers');
      const { roleArn, externalId, sessionName, durationSeconds, source } = credentials;
      return fromTemporaryCredentials({
        masterCredentials: await providerOf(source, region, requestHandler),
        params: {
          RoleArn: roleArn,
          RoleSessionName: sessionName ?? 'etcd-operator',
          ...(externalId === undefined ? {} : { ExternalId: externalId }),
          ...(durationSeconds === undefined ? {} : { DurationSeconds: durationSeconds }),
        },
        clientConfig: { requestHandler, ...(region === undefined ? {} : { region }) },
      });
    }
  }
}

function secretsOf(credentials: ProfileCredentials): readonly string[] {
  switch (credentials.kind) {
    case 'keys':
      return [
        credentials.secretAccessKey,
        ...(credentials.sessionToken === undefined ? [] : [credentials.sessionToken]),
      ];
    case 'role':
      return secretsOf(credentials.source);
    case 'chain':
      return [];
  }
}
