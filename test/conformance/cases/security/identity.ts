// SPDX-License-Identifier: Apache-2.0
import { expect } from 'vitest';
import { refusalOf } from '../../answer.ts';
import { invalid } from '../../invalid.ts';
import type { Subject, Trial } from '../../trial.ts';

const authentication = '/apis/authentication.k8s.io/v1';
const authorization = '/apis/authorization.k8s.io/v1';
const whoami = `${authentication}/selfsubjectreviews`;

interface Review {
  readonly kind: string;
  readonly status: Readonly<Record<string, unknown>> & {
    readonly userInfo?: { readonly username: string; readonly groups: readonly string[]; readonly extra?: object };
  };
}

interface Token {
  readonly status: { readonly token: string; readonly expirationTimestamp: string };
}

const review = (kind: string, group: string, spec: object = {}) => ({
  apiVersion: `${group}/v1`,
  kind,
  spec,
});
const accessReview = (kind: string, spec: object) => review(kind, 'authorization.k8s.io', spec);

/** A service account and a token for it. */
async function robot(t: Trial, spec: object = {}): Promise<{ ns: string; uid: string; token: string }> {
  const ns = await t.namespace();
  const accounts = `/api/v1/namespaces/${ns}/serviceaccounts`;
  const { metadata } = await t.make(accounts, { metadata: { name: 'robot' } });
  const body = review('TokenRequest', 'authentication.k8s.io', spec);
  const { status } = await t.make<Token>(`${accounts}/robot/token`, body);
  return { ns, uid: metadata.uid, token: status.token };
}

/** Authentication, and access reviews. */
export const identity: Subject = {
  name: 'identity and reviews',
  cases: {
    'a request without credentials is anonymous, may read the health checks, and little else': async (t) => {
      const nobody = t.bearer();
      expect((await nobody.get('/livez')).code).toBe(200);
      expect((await nobody.get('/version')).code).toBe(200);
      expect(refusalOf(await nobody.get('/api/v1/namespaces'))).toEqual({
        code: 403,
        reason: 'Forbidden',
        message:
          'namespaces is forbidden: User "system:anonymous" cannot list resource "namespaces" in API group "" at the cluster scope',
        details: { kind: 'namespaces' },
      });
    },
    'a token that the server did not issue is 401': async (t) => {
      expect(refusalOf(await t.bearer('made-up').get('/api/v1/namespaces'))).toEqual({
        code: 401,
        reason: 'Unauthorized',
        message: 'Unauthorized',
      });
    },
    'every user may ask for his identity': async (t) => {
      const answer = await t
        .as({ user: 'ann', groups: ['devs'] })
        .post<Review>(whoami, review('SelfSubjectReview', 'authentication.k8s.io'));
      expect(answer.code).toBe(201);
      expect(answer.body).toMatchObject({
        kind: 'SelfSubjectReview',
        apiVersion: 'authentication.k8s.io/v1',
        status: { userInfo: { username: 'ann', groups: ['devs', 'system:authenticated'] } },
      });
    },
    'who is impersonated can carry more than a name': async (t) => {
      const ann = t.as({ user: 'ann', extra: { 'example.com%2fteam': 'red' } });
      const { body } = await ann.post<Review>(whoami, review('SelfSubjectReview', 'authentication.k8s.io'));
      expect(body.status.userInfo).toMatchObject({ username: 'ann', extra: { 'example.com/team': ['red'] } });
    },
    'impersonation without the right is refused': async (t) => {
      const { token } = await robot(t);
      const answer = await t.bearer(token).get('/api/v1/namespaces', { 'impersonate-user': 'ann' });
      expect(refusalOf(answer)).toMatchObject({ code: 403, reason: 'Forbidden' });
      expect(refusalOf(answer).message).toMatch(
        /^namespaces is forbidden: User "system:serviceaccount:.*:robot" cannot impersonate-on:user-info:list resource "namespaces" in API group "" at the cluster scope$/,
      );
    },
    'a service account is known by its token, with its groups and its credential': async (t) => {
      const { ns, uid, token } = await robot(t);
      const { body } = await t.bearer(token).post<Review>(whoami, review('SelfSubjectReview', 'authentication.k8s.io'));
      expect(body.status.userInfo).toMatchObject({
        username: `system:serviceaccount:${ns}:robot`,
        uid,
        groups: ['system:serviceaccounts', `system:serviceaccounts:${ns}`, 'system:authenticated'],
        extra: { 'authentication.kubernetes.io/credential-id': [expect.stringMatching(/^JTI=[0-9a-f-]{36}$/)] },
      });
    },
    'a token lasts an hour unless asked otherwise, and says so in its claims': async (t) => {
      const { ns, uid, token } = await robot(t);
      const [, payload = ''] = token.split('.');
      const claims = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as { iat: number; exp: number };
      expect(claims.exp - claims.iat).toBe(3600);
      expect(claims).toMatchObject({
        aud: ['https://kubernetes.default.svc.cluster.local'],
        iss: 'https://kubernetes.default.svc.cluster.local',
        sub: `system:serviceaccount:${ns}:robot`,
        'kubernetes.io': { namespace: ns, serviceaccount: { name: 'robot', uid } },
      });
    },
    'a token lasts at least ten minutes': async (t) => {
      const ns = await t.namespace();
      const accounts = `/api/v1/namespaces/${ns}/serviceaccounts`;
      await t.make(accounts, { metadata: { name: 'robot' } });
      const body = review('TokenRequest', 'authentication.k8s.io', { expirationSeconds: 60 });
      expect(refusalOf(await t.post(`${accounts}/robot/token`, body))).toEqual(
        invalid(
          'TokenRequest.authentication.k8s.io',
          '',
          'spec.expirationSeconds: Invalid value: 60: may not specify a duration less than 10 minutes',
        ),
      );
    },
    'a token dies with its account': async (t) => {
      const { ns, token } = await robot(t);
      await t.delete(`/api/v1/namespaces/${ns}/serviceaccounts/robot`);
      await t.eventually(async () => expect((await t.bearer(token).get('/api/v1/namespaces')).code).toBe(401));
    },
    'a token can be reviewed': async (t) => {
      const { ns, uid, token } = await robot(t);
      const body = review('TokenReview', 'authentication.k8s.io', { token });
      const { code, body: answer } = await t.post<Review>(`${authentication}/tokenreviews`, body);
      expect(code).toBe(201);
      expect(answer.status).toMatchObject({
        authenticated: true,
        user: { username: `system:serviceaccount:${ns}:robot`, uid },
        audiences: ['https://kubernetes.default.svc.cluster.local'],
      });
    },
    'a token for others is not for the server': async (t) => {
      const { token } = await robot(t, { audiences: ['vault'] });
      expect((await t.bearer(token).get('/api/v1/namespaces')).code).toBe(401);
      const asked = (audiences?: string[]) =>
        t.post<Review>(
          `${authentication}/tokenreviews`,
          review('TokenReview', 'authentication.k8s.io', { token, ...(audiences && { audiences }) }),
        );
      expect((await asked(['vault'])).body.status).toMatchObject({ authenticated: true, audiences: ['vault'] });
      expect((await asked()).body.status['authenticated']).toBeUndefined();
    },
    'a made-up token is not authenticated': async (t) => {
      const body = review('TokenReview', 'authentication.k8s.io', { token: 'made-up' });
      const { code, body: answer } = await t.post<Review>(`${authentication}/tokenreviews`, body);
      expect(code).toBe(201);
      expect(answer.status['authenticated']).toBeUndefined();
      expect(answer.status['error']).toEqual(expect.stringContaining('invalid bearer token'));
    },
    'every user may ask for his own rights': async (t) => {
      const ns = await t.namespace();
      const ask = (caller: Pick<Trial, 'post'>, resourceAttributes: object) =>
        caller.post<Review>(
          `${authorization}/selfsubjectaccessreviews`,
          accessReview('SelfSubjectAccessReview', { resourceAttributes }),
        );
      const wanted = { namespace: ns, verb: 'create', group: 'apps', resource: 'deployments' };
      const admin = await ask(t, wanted);
      expect(admin.code).toBe(201);
      expect(admin.body.status['allowed']).toBe(true);
      const ann = await ask(t.as({ user: 'ann' }), wanted);
      expect(ann.body.status).toEqual({ allowed: false });
    },
    'the administrator may ask what any user may do, and is told why': async (t) => {
      const ns = await t.namespace();
      const user = t.unique('user');
      const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' };
      const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }];
      const bindings = `/apis/rbac.authorization.k8s.io/v1/namespaces/${ns}/rolebindings`;
      await t.make(bindings, { metadata: { name: 'b' }, roleRef, subjects });
      const ask = async (verb: string) => {
        const resourceAttributes = { namespace: ns, verb, resource: 'pods' };
        const spec = { user, groups: ['system:authenticated'], resourceAttributes };
        return (
          await t.make<Review>(`${authorization}/subjectaccessreviews`, accessReview('SubjectAccessReview', spec))
        ).status;
      };
      await t.eventually(async () => {
        expect(await ask('list')).toEqual({
          allowed: true,
          reason: `RBAC: allowed by RoleBinding "b/${ns}" of ClusterRole "view" to User "${user}"`,
        });
      });
      expect(await ask('delete')).toEqual({ allowed: false });
    },
    'a review needs a subject and one question': async (t) => {
      const resourceAttributes = { verb: 'list', resource: 'pods' };
      const body = accessReview('SubjectAccessReview', { resourceAttributes });
      expect(refusalOf(await t.post(`${authorization}/subjectaccessreviews`, body))).toMatchObject({
        code: 422,
        details: {
          causes: [
            { field: 'spec.user', message: 'Invalid value: "": at least one of user or group must be specified' },
          ],
        },
      });
    },
    'a local review stays in its namespace': async (t) => {
      const ns = await t.namespace();
      const spec = { user: 'ann', resourceAttributes: { namespace: 'other', verb: 'list', resource: 'pods' } };
      const path = `${authorization}/namespaces/${ns}/localsubjectaccessreviews`;
      const { code, details } = refusalOf(await t.post(path, accessReview('LocalSubjectAccessReview', spec)));
      expect(code).toBe(422);
      expect(details).toMatchObject({ causes: [{ field: 'spec.resourceAttributes.namespace' }] });
    },
    'a path can be asked about, too': async (t) => {
      const spec = {
        user: 'ann',
        groups: ['system:authenticated'],
        nonResourceAttributes: { path: '/healthz', verb: 'get' },
      };
      const { status } = await t.make<Review>(
        `${authorization}/subjectaccessreviews`,
        accessReview('SubjectAccessReview', spec),
      );
      expect(status['allowed']).toBe(true);
    },
    'every user may list his rights in a namespace': async (t) => {
      const ns = await t.namespace();
      const user = t.unique('user');
      const roles = `/apis/rbac.authorization.k8s.io/v1/namespaces/${ns}`;
      const rule = { verbs: ['get'], apiGroups: [''], resources: ['configmaps'], resourceNames: ['mine'] };
      await t.make(`${roles}/roles`, { metadata: { name: 'r' }, rules: [rule] });
      const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' };
      const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }];
      await t.make(`${roles}/rolebindings`, { metadata: { name: 'r' }, roleRef, subjects });
      await t.eventually(async () => {
        const body = accessReview('SelfSubjectRulesReview', { namespace: ns });
        const { status } = (await t.as({ user }).post<Review>(`${authorization}/selfsubjectrulesreviews`, body)).body;
        expect(status).toMatchObject({ incomplete: false });
        expect(status['resourceRules']).toEqual(expect.arrayContaining([rule]));
        expect(status['nonResourceRules']).toEqual(
          expect.arrayContaining([expect.objectContaining({ nonResourceURLs: expect.arrayContaining(['/healthz']) })]),
        );
      });
    },
  },
};
