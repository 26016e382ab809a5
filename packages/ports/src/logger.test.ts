// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createLogger, type LogFields, type LogLevel, type LogRecord, silentLogger } from './logger.ts';
import { VirtualClock } from './virtual-clock.ts';

const levels: readonly LogLevel[] = ['trace', 'debug', 'info', 'warn', 'error'];

function recorder(level?: LogLevel) {
  const records: LogRecord[] = [];
  const clock = new VirtualClock('2026-05-01T00:00:00Z');
  const logger = createLogger({ clock, ...(level ? { level } : {}), write: (record) => records.push(record) });
  return { records, logger, clock };
}

/** The fields of one line as the writer gets them. */
function logged(fields: LogFields): LogFields {
  const { records, logger } = recorder();
  logger.info('line', fields);
  return records[0]?.fields ?? {};
}

describe('levels', () => {
  test.each(levels)('%s lets through itself and what is graver', (level) => {
    const { records, logger } = recorder(level);
    for (const each of levels) logger[each]('line');
    expect(records.map((record) => record.level)).toEqual(levels.slice(levels.indexOf(level)));
  });

  test('info is the default', () => {
    const { records, logger } = recorder();
    logger.debug('dropped');
    logger.info('kept');
    expect(records.map(({ message }) => message)).toEqual(['kept']);
  });

  test('a dropped line costs nothing: its fields are not even looked at', () => {
    const { logger } = recorder('error');
    const trap = {
      get field(): string {
        throw new Error('looked at');
      },
    };
    expect(() => logger.info('dropped', trap)).not.toThrow();
  });
});

describe('a line', () => {
  test('carries the time of the clock, its message and its fields', async () => {
    const { records, logger, clock } = recorder();
    await clock.advance(1500);
    logger.warn('member is slow', { object: 'EtcdCluster default/a', milliseconds: 1200 });
    expect(records).toEqual([
      {
        time: Date.parse('2026-05-01T00:00:01.500Z'),
        level: 'warn',
        message: 'member is slow',
        fields: { object: 'EtcdCluster default/a', milliseconds: 1200 },
      },
    ]);
  });

  test('children add their fields, and the nearest wins', () => {
    const { records, logger } = recorder();
    const child = logger.child({ controller: 'cluster', object: 'a' }).child({ object: 'b' });
    child.info('line', { step: 1 });
    child.info('line', { controller: 'other' });
    expect(records.map(({ fields }) => fields)).toEqual([
      { controller: 'cluster', object: 'b', step: 1 },
      { controller: 'other', object: 'b' },
    ]);
  });

  test('a writer that throws never disturbs the caller', () => {
    const logger = createLogger({
      clock: { now: () => 0 },
      write: () => {
        throw new Error('disk full');
      },
    });
    expect(() => logger.error('line')).not.toThrow();
  });

  test('every value can be written: no line is lost, and each can become JSON', () => {
    const anything = fc.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true });
    fc.assert(
      fc.property(fc.dictionary(fc.string(), anything), (fields) => {
        const { records, logger } = recorder();
        logger.info('line', fields);
        expect(records).toHaveLength(1);
        expect(() => JSON.stringify(records[0])).not.toThrow();
      }),
    );
  });

  test('the silent logger writes nothing', () => {
    expect(() => silentLogger.child({ a: 1 }).error('line', { b: 2 })).not.toThrow();
  });
});

describe('secrets', () => {
  const names = [
    'password',
    'token',
    'Authorization',
    'client-secret',
    'private-key',
    'aws_secret',
    'AWS_SECRET_ACCESS_KEY',
    'credentials',
    'accessToken',
    'clientSecret',
    'privateKey',
    'set-cookie',
  ];

  test.each(names)('a field called %s is masked at any depth, in arrays too', (name) => {
    const line = JSON.stringify(
      logged({
        [name]: 'hunter2',
        deep: { [name]: 'hunter2' },
        list: [{ [name]: 'hunter2' }],
        [`x-${name}`]: 'hunter2',
      }),
    );
    expect(line).not.toContain('hunter2');
    expect(line.match(/\*\*\*/g)).toHaveLength(4);
  });

  test('a list of secrets is masked item by item', () => {
    expect(logged({ token: ['hunter2', 'hunter3'] })).toEqual({ token: ['***', '***'] });
  });

  test('an object called so is masked as a whole', () => {
    expect(logged({ secret: { data: { key: 'hunter2' } }, credentials: { user: 'a', pin: 1 } })).toEqual({
      secret: '***',
      credentials: '***',
    });
  });

  test('whether there is one, and how many, may be told', () => {
    expect(logged({ token: undefined, password: null, secret: true, cookie: 3 })).toEqual({
      password: null,
      secret: true,
      cookie: 3,
    });
  });

  test('bytes are masked as text is', () => {
    expect(logged({ password: new TextEncoder().encode('hunter2') })).toEqual({ password: '***' });
  });

  test('a secret is not logged by a child logger either', () => {
    const { records, logger } = recorder();
    logger.child({ token: 'hunter2' }).info('line');
    expect(records[0]?.fields).toEqual({ token: '***' });
  });

  test.each(['tokens-left', 'secretName', 'passwordless', 'tokenReview', 'accessKeyId'])(
    'a field called %s holds none',
    (name) => {
      expect(logged({ [name]: 'plain' })).toEqual({ [name]: 'plain' });
    },
  );
});

describe('values that JSON does not have', () => {
  test('an error is written with its message, code and cause', () => {
    const error = Object.assign(new Error('cannot read'), {
      code: 'ECONNRESET',
      cause: new Error('socket hang up', { cause: new Error('reset by peer') }),
    });
    expect(logged({ error })).toEqual({
      error: {
        message: 'cannot read',
        code: 'ECONNRESET',
        cause: { message: 'socket hang up', cause: { message: 'reset by peer' } },
      },
    });
  });

  test('a chain of causes that is a circle ends', () => {
    const error = new Error('circle');
    error.cause = error;
    expect(() => JSON.stringify(logged({ error }))).not.toThrow();
    expect(logged({ error })).toMatchObject({ error: { message: 'circle' } });
  });

  test('an object that holds itself ends', () => {
    const circle: Record<string, unknown> = { name: 'circle' };
    circle['self'] = circle;
    expect(JSON.stringify(logged({ circle }))).toContain('...');
  });

  test('a bigint, as etcd ids are, is written in full', () => {
    expect(logged({ member: 18_446_744_073_709_551_615n })).toEqual({ member: '18446744073709551615' });
  });
});
