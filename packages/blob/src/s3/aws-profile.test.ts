// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { readAwsProfile } from './aws-profile.ts';

const keys = { kind: 'keys', accessKeyId: 'AKIA', secretAccessKey: 'abc/def+ghi=' };
/** Without an endpoint of its own. */
const aws = { endpoint: undefined, isPathStyle: false };

describe('an AWS profile', () => {
  test('is the default one of both files', () => {
    const credentials = '[default]\naws_access_key_id = AKIA\naws_secret_access_key = abc/def+ghi=\n';
    const config = '[default]\nregion = eu-central-1\noutput = json\n';
    expect(readAwsProfile({ credentials, config })).toEqual({ region: 'eu-central-1', ...aws, credentials: keys });
  });

  test('may be another one, which the config file calls differently', () => {
    const credentials =
      '[default]\naws_access_key_id=X\naws_secret_access_key=Y\n[other]\naws_access_key_id=AKIA\naws_secret_access_key=abc/def+ghi=\n';
    const config = '[profile other]\nregion=us-west-2\n[default]\nregion=eu-central-1\n';
    expect(readAwsProfile({ credentials, config }, 'other')).toEqual({
      region: 'us-west-2',
      ...aws,
      credentials: keys,
    });
  });

  test.each([
    ['nothing at all', {}],
    ['empty files', { credentials: '', config: '\n\n# nothing\n' }],
    ['a region only', { config: '[default]\nregion = eu-central-1' }],
  ])('with %s leaves the credentials to the environment', (_title, files) => {
    expect(readAwsProfile(files).credentials).toEqual({ kind: 'chain' });
  });

  test('is read whatever its blanks, comments, cases and line ends', () => {
    const credentials =
      '# made by hand\r\n; really\r\n\r\n  [ default ]  # the one\r\n  AWS_ACCESS_KEY_ID=AKIA  \r\naws_secret_access_key  =  abc/def+ghi=   # rotate me\r\ns3 =\r\n  addressing_style = path\r\n  aws_access_key_id = nested\r\naws_session_token=tok#en\r\n';
    expect(readAwsProfile({ credentials }).credentials).toEqual({ ...keys, sessionToken: 'tok#en' });
  });

  test('what the credentials file says goes before the config file', () => {
    const config = '[default]\naws_access_key_id=OLD\naws_secret_access_key=OLD\nregion=a-1\n';
    const credentials = '[default]\naws_access_key_id=AKIA\naws_secret_access_key=abc/def+ghi=\n';
    expect(readAwsProfile({ credentials, config })).toEqual({ region: 'a-1', ...aws, credentials: keys });
  });

  test('may assume a role, with the keys of another profile or of itself', () => {
    const credentials = '[base]\naws_access_key_id=AKIA\naws_secret_access_key=abc/def+ghi=\n';
    const role = 'role_arn=arn:aws:iam::1:role/backup\nexternal_id=x\nrole_session_name=s\nduration_seconds=900\n';
    const expected = { kind: 'role', roleArn: 'arn:aws:iam::1:role/backup', externalId: 'x', sessionName: 's' };
    expect(readAwsProfile({ credentials, config: `[default]\n${role}source_profile=base\n` }).credentials).toEqual({
      ...expected,
      durationSeconds: 900,
      source: keys,
    });
    const self = `[base]\n${role}source_profile=base\n`.replace('[base]', '[profile base]');
    expect(readAwsProfile({ credentials, config: self }, 'base').credentials).toMatchObject({ source: keys });
    const fromMachine = '[default]\nrole_arn=r\ncredential_source=Ec2InstanceMetadata\n';
    expect(readAwsProfile({ config: fromMachine }).credentials).toEqual({
      kind: 'role',
      roleArn: 'r',
      source: { kind: 'chain' },
    });
  });
});

describe('the server that a profile names', () => {
  const credentials = '[default]\naws_access_key_id=AKIA\naws_secret_access_key=abc/def+ghi=\n';
  const read = (config: string) => readAwsProfile({ credentials, config });

  test('with its region and the bucket in the path', () => {
    const config =
      '[default]\nregion = eu-1\nendpoint_url = http://s3.store.svc:9000\ns3 =\n  addressing_style = path\n  max_queue_size = 10\n';
    expect(read(config)).toEqual({
      region: 'eu-1',
      endpoint: 'http://s3.store.svc:9000',
      isPathStyle: true,
      credentials: keys,
    });
  });

  test('is that of S3 among its services before that for all', () => {
    const services = '[services mine]\nec2 =\n  endpoint_url = http://ec2\ns3 =\n  endpoint_url = http://s3\n';
    expect(read(`[default]\nservices = mine\nendpoint_url = http://all\n${services}`).endpoint).toBe('http://s3');
    expect(read(`[default]\nservices = mine\n[services mine]\nec2 =\n  endpoint_url = http://ec2\n`).endpoint).toBe(
      undefined,
    );
    expect(read(`[default]\nendpoint_url = http://all\n${services}`).endpoint).toBe('http://all');
  });

  test('any other style of addressing is what AWS does by itself', () => {
    expect(read('[default]\ns3 =\n  addressing_style = virtual\n').isPathStyle).toBe(false);
    expect(read('[default]\naddressing_style = path\n').isPathStyle).toBe(false);
  });
});

describe('what a profile may not do', () => {
  test.each([
    ['run programs', 'credential_process=/bin/sh -c "curl evil"'],
    ['read files', 'web_identity_token_file=/var/run/secrets/token\nrole_arn=r'],
    ['log in elsewhere', 'sso_start_url=https://evil.test'],
    ['send the credentials of the machine elsewhere', 'endpoint_url=https://store.test'],
    ['assume a role elsewhere', 'endpoint_url=https://store.test\nrole_arn=r'],
    ['name services that are not there', 'services=none\naws_access_key_id=A\naws_secret_access_key=B'],
    ['have half a key', 'aws_access_key_id=AKIA'],
    ['have the other half', 'aws_secret_access_key=hunter2secret'],
    ['name a source that is not there', 'role_arn=r\nsource_profile=none'],
    ['name a duration that is none', 'role_arn=r\nduration_seconds=1h'],
  ])('%s', (_title, settings) => {
    const read = () => readAwsProfile({ credentials: `[default]\n${settings}\n` });
    expect(read).toThrow(/^the AWS credentials or config file cannot be used: /);
    expect(read).not.toThrow('hunter2secret');
  });

  test('keep its reader busy', () => {
    const config = `[default]\nregion${' '.repeat(1_000_000)}x\n${' '.repeat(1_000_000)}[a\nregion = eu-west-1${' '.repeat(1_000_000)}# ${' '.repeat(1_000_000)}\n`;
    expect(readAwsProfile({ config }).region).toBe('eu-west-1');
  });

  test('name a host as its region', () => {
    expect(() => readAwsProfile({ config: '[default]\nregion = evil.test/\n' })).toThrow('is not a valid region');
  });

  test('assume roles in a circle', () => {
    const config = '[profile a]\nrole_arn=r\nsource_profile=b\n[profile b]\nrole_arn=r\nsource_profile=a\n';
    expect(() => readAwsProfile({ config }, 'a')).toThrow('form a loop');
  });

  test('be missing, unless it is the default', () => {
    expect(() => readAwsProfile({}, 'other')).toThrow('profile "other" does not exist');
  });

  test('be called like something that every object has', () => {
    expect(() => readAwsProfile({ credentials: '[x]\na=b' }, '__proto__')).toThrow(
      'profile "__proto__" does not exist',
    );
    const credentials = '[__proto__]\naws_access_key_id=AKIA\naws_secret_access_key=abc/def+ghi=\n';
    expect(readAwsProfile({ credentials }).credentials).toEqual({ kind: 'chain' });
  });
});
