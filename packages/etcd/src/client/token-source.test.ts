// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { EtcdError } from './etcd-error.ts';
import { type Login, TokenSource } from './token-source.ts';

/** A source that returns `t1`, `t2`, ... and counts logins. */
function sourceFor(login: () => Login | undefined, fail?: () => Error | undefined) {
  const logins: Login[] = [];
  const source = new TokenSource(login, (given) => {
    logins.push(given);
    const error = fail?.();
    return error ? Promise.reject(error) : Promise.resolve(`t${logins.length}`);
  });
  return { source, logins };
}

const root: Login = { name: 'root', password: 'secret' };
const refused = new EtcdError('InvalidAuthToken', 'etcdserver: invalid auth token');

describe('tokens', () => {
  test('without a login there is none', async () => {
    const { source, logins } = sourceFor(() => undefined);
    expect(await source.current({})).toBeUndefined();
    expect(logins).toEqual([]);
  });

  test('one login serves all calls, also those made at the same time', async () => {
    const { source, logins } = sourceFor(() => root);
    const tokens = await Promise.all([source.current({}), source.current({}), source.use({}, async (token) => token)]);
    expect(tokens).toEqual(['t1', 't1', 't1']);
    expect(logins).toEqual([root]);
  });

  test('a token that the member no longer knows is replaced, and the call made once more', async () => {
    const { source, logins } = sourceFor(() => root);
    const used: (string | undefined)[] = [];
    const result = await source.use({}, async (token) => {
      used.push(token);
      if (token === 't1') throw refused;
      return 'done';
    });
    expect([result, used, logins.length]).toEqual(['done', ['t1', 't2'], 2]);
  });

  test("a second refusal is the caller's", async () => {
    const { source, logins } = sourceFor(() => root);
    await expect(source.use({}, () => Promise.reject(refused))).rejects.toBe(refused);
    expect(logins).toHaveLength(2);
  });

  test('calls that fail together log in again only once', async () => {
    const { source, logins } = sourceFor(() => root);
    await source.current({});
    const call = async (token: string | undefined) => {
      if (token === 't1') throw refused;
      return token;
    };
    expect(await Promise.all([source.use({}, call), source.use({}, call)])).toEqual(['t2', 't2']);
    expect(logins).toHaveLength(2);
  });

  test.each(['Timeout', 'Unavailable', 'PermissionDenied', 'LeaderChanged'] as const)(
    'a call that fails with %s is not made again',
    async (code) => {
      const { source } = sourceFor(() => root);
      let calls = 0;
      const failing = () => {
        calls++;
        return Promise.reject(new EtcdError(code, 'failed'));
      };
      await expect(source.use({}, failing)).rejects.toMatchObject({ code });
      expect(calls).toBe(1);
    },
  );

  test('where access control is off, calls go without a token until the member wants one', async () => {
    let off = true;
    const { source } = sourceFor(
      () => root,
      () => (off ? new EtcdError('AuthNotEnabled', 'off') : undefined),
    );
    expect(await source.current({})).toBeUndefined();
    off = false;
    const result = await source.use({}, async (token) => {
      if (token === undefined) throw new EtcdError('LoginRequired', 'etcdserver: user name is empty');
      return token;
    });
    expect(result).toBe('t2');
  });

  test('a failed login is not remembered', async () => {
    let wrong = true;
    const { source } = sourceFor(
      () => root,
      () => (wrong ? new EtcdError('LoginFailed', 'wrong') : undefined),
    );
    await expect(source.current({})).rejects.toMatchObject({ code: 'LoginFailed' });
    wrong = false;
    expect(await source.current({})).toBe('t2');
  });

  test('another user, or a changed password, needs another token', async () => {
    let login = root;
    const { source, logins } = sourceFor(() => login);
    await source.current({});
    login = { ...root, password: 'changed' };
    expect(await source.current({})).toBe('t2');
    expect(logins.map(({ password }) => password)).toEqual(['secret', 'changed']);
  });

  test('a learner cannot log in: a token of another member is used there', async () => {
    const learner = new EtcdError('NotSupportedForLearner', 'etcdserver: rpc not supported for learner');
    const refuse = () => Promise.reject(learner);
    const beside = new TokenSource(
      () => root,
      refuse,
      async ({ name }) => `${name}-elsewhere`,
    );
    expect(await beside.current({})).toBe('root-elsewhere');
    await expect(new TokenSource(() => root, refuse).current({})).rejects.toBe(learner);
    const off = new EtcdError('AuthNotEnabled', 'etcdserver: authentication is not enabled');
    expect(
      await new TokenSource(
        () => root,
        refuse,
        () => Promise.reject(off),
      ).current({}),
    ).toBeUndefined();
  });
});
