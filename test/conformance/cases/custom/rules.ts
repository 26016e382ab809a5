// SPDX-License-Identifier: Apache-2.0
import { expect } from 'vitest';
import { refusalOf, successOf } from '../../answer.ts';
import { type CustomKind, crdsPath, customKind, widgetDefinition } from '../../custom-kind.ts';
import { type Cause, invalid } from '../../invalid.ts';
import type { Subject, Trial } from '../../trial.ts';

type Widgets = readonly [CustomKind, string];

/** A kind whose spec has these properties and rules, and a namespace for its objects. */
async function ruled(t: Trial, properties: object, ...rules: readonly object[]): Promise<Widgets> {
  const spec = { type: 'object', properties, 'x-kubernetes-validations': rules };
  return [await customKind(t, { spec }), await t.namespace()];
}

const post = (t: Trial, [kind, ns]: Widgets, spec: unknown, name = 'w') =>
  t.post(kind.path(ns), kind.object(name, { spec }));
const badWidget = ([kind]: Widgets, ...causes: readonly Cause[]) => invalid(`Widget.${kind.group}`, 'w', ...causes);

const sizes = { min: { type: 'integer' }, max: { type: 'integer' } };

/** Rules in CEL, the expression language of Kubernetes. */
export const rules: Subject = {
  name: 'rules of custom kinds',
  cases: {
    'a rule that is false refuses the object with its message at its place': async (t) => {
      const widgets = await ruled(t, sizes, { rule: 'self.min <= self.max', message: 'min must not exceed max' });
      expect((await post(t, widgets, { min: 1, max: 2 }, 'good')).code).toBe(201);
      expect(refusalOf(await post(t, widgets, { min: 3, max: 2 }))).toEqual(
        badWidget(widgets, 'spec: Invalid value: min must not exceed max'),
      );
    },
    'without a message the rule itself is told': async (t) => {
      const widgets = await ruled(t, sizes, { rule: 'self.min <= self.max' });
      expect(refusalOf(await post(t, widgets, { min: 3, max: 2 }))).toEqual(
        badWidget(widgets, 'spec: Invalid value: failed rule: self.min <= self.max'),
      );
    },
    'a message can be computed': async (t) => {
      const widgets = await ruled(
        t,
        { name: { type: 'string', maxLength: 10 } },
        { rule: "self.name != 'root'", messageExpression: "'the name ' + self.name + ' is taken'" },
      );
      expect(refusalOf(await post(t, widgets, { name: 'root' }))).toEqual(
        badWidget(widgets, 'spec: Invalid value: the name root is taken'),
      );
    },
    'a computed message that fails gives way to the plain one': async (t) => {
      const widgets = await ruled(t, sizes, {
        rule: '!has(self.max) || self.min <= self.max',
        message: 'plain',
        messageExpression: "'' + ''",
      });
      expect(refusalOf(await post(t, widgets, { min: 3, max: 2 }))).toEqual(
        badWidget(widgets, 'spec: Invalid value: plain'),
      );
    },
    'a rule can choose the field and the reason that it tells': async (t) => {
      const widgets = await ruled(t, sizes, {
        rule: 'self.min <= self.max',
        message: 'too large',
        fieldPath: '.min',
        reason: 'FieldValueForbidden',
      });
      expect(refusalOf(await post(t, widgets, { min: 3, max: 2 }))).toEqual(
        badWidget(widgets, 'spec.min: Forbidden: too large'),
      );
    },
    'a rule over a field that is not there fails and says so': async (t) => {
      const widgets = await ruled(t, sizes, { rule: 'self.min <= self.max' });
      expect(refusalOf(await post(t, widgets, { min: 3 }))).toEqual(
        badWidget(widgets, 'spec: Invalid value: "object": no such key: max evaluating rule: self.min <= self.max'),
      );
    },
    'has() tells whether a field is there': async (t) => {
      const widgets = await ruled(t, sizes, { rule: 'has(self.min) != has(self.max)', message: 'exactly one' });
      expect((await post(t, widgets, { min: 1 }, 'good')).code).toBe(201);
      expect(refusalOf(await post(t, widgets, {})).message).toMatch(/exactly one$/);
      expect(refusalOf(await post(t, widgets, { min: 1, max: 1 })).message).toMatch(/exactly one$/);
    },
    'a rule that names the old value applies to changes only': async (t) => {
      const size = {
        type: 'integer',
        'x-kubernetes-validations': [{ rule: 'self >= oldSelf', message: 'size must not shrink' }],
      };
      const widgets = await ruled(t, { size });
      const [kind, ns] = widgets;
      successOf(await post(t, widgets, { size: 3 }));
      expect((await t.patch(kind.path(ns, 'w'), 'merge', { spec: { size: 4 } })).code).toBe(200);
      expect(refusalOf(await t.patch(kind.path(ns, 'w'), 'merge', { spec: { size: 2 } }))).toEqual(
        badWidget(widgets, 'spec.size: Invalid value: 2: size must not shrink'),
      );
      expect((await t.patch(kind.path(ns, 'w'), 'merge', { spec: { size: null } })).code).toBe(200);
    },
    'a rule can ask for the old value also where there is none': async (t) => {
      const name = {
        type: 'string',
        'x-kubernetes-validations': [
          {
            rule: 'oldSelf.hasValue() ? self == oldSelf.value() : self != "reserved"',
            optionalOldSelf: true,
            message: 'no',
          },
        ],
      };
      const widgets = await ruled(t, { name });
      expect(refusalOf(await post(t, widgets, { name: 'reserved' })).code).toBe(422);
      expect((await post(t, widgets, { name: 'free' })).code).toBe(201);
    },
    'a list can be compared item by item with the old one by its keys': async (t) => {
      const item = {
        type: 'object',
        properties: { key: { type: 'string', maxLength: 10 }, value: { type: 'string', maxLength: 10 } },
        required: ['key'],
        'x-kubernetes-validations': [{ rule: 'self.value == oldSelf.value', message: 'value is immutable' }],
      };
      const list = {
        type: 'array',
        maxItems: 5,
        items: item,
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['key'],
      };
      const widgets = await ruled(t, { list });
      const [kind, ns] = widgets;
      successOf(await post(t, widgets, { list: [{ key: 'a', value: '1' }] }));
      const patch = (value: object[]) => t.patch(kind.path(ns, 'w'), 'merge', { spec: { list: value } });
      expect(
        (
          await patch([
            { key: 'b', value: '2' },
            { key: 'a', value: '1' },
          ])
        ).code,
      ).toBe(200);
      expect(
        refusalOf(
          await patch([
            { key: 'b', value: '2' },
            { key: 'a', value: 'x' },
          ]),
        ),
      ).toEqual(badWidget(widgets, 'spec.list[1]: Invalid value: value is immutable'));
    },
    'a rule at the root sees the name and nothing else of the metadata': async (t) => {
      const rule = { rule: "self.metadata.name.startsWith('w') && self.spec.size > 0", message: 'no' };
      const spec = { type: 'object', properties: { size: { type: 'integer' } } };
      const kind = await customKind(t, { spec, root: { 'x-kubernetes-validations': [rule] } });
      const widgets = [kind, await t.namespace()] as const;
      expect((await post(t, widgets, { size: 1 }, 'wide')).code).toBe(201);
      expect(refusalOf(await post(t, widgets, { size: 1 }, 'narrow'))).toEqual(
        invalid(`Widget.${kind.group}`, 'narrow', '<nil>: Invalid value: no'),
      );
    },
    'lists, maps and strings have their functions': async (t) => {
      const widgets = await ruled(
        t,
        {
          list: { type: 'array', maxItems: 5, items: { type: 'string', maxLength: 10 } },
          map: { type: 'object', maxProperties: 5, additionalProperties: { type: 'integer' } },
          text: { type: 'string', maxLength: 50 },
        },
        { rule: "self.list.all(x, x.matches('^[a-z]+$'))", message: 'all' },
        { rule: "self.list.exists_one(x, x == 'one')", message: 'exists_one' },
        { rule: 'self.map.all(k, k in self.list)', message: 'map keys' },
        { rule: 'self.list.filter(x, x.size() > 3).size() < 2', message: 'filter' },
        { rule: "self.text.split(',').size() == 1 && self.text.lowerAscii() == self.text", message: 'split' },
        { rule: "self.list.isSorted() && self.list.indexOf('one') >= 0", message: 'sorted' },
      );
      expect(
        successOf(await post(t, widgets, { list: ['one', 'two'], map: { one: 1 }, text: 'abc' }, 'good')),
      ).toBeTruthy();
      const causes = async (spec: object) => {
        const { details } = refusalOf(await post(t, widgets, spec));
        return (details as { causes: { message: string }[] }).causes.map(({ message }) => message);
      };
      expect(await causes({ list: ['one', 'Two'], map: { none: 1 }, text: 'a, b' })).toEqual([
        'Invalid value: all',
        'Invalid value: map keys',
        'Invalid value: split',
        'Invalid value: sorted',
      ]);
    },
    'quantities, URLs, addresses and durations have their functions': async (t) => {
      const text = { type: 'string', maxLength: 100 };
      const widgets = await ruled(
        t,
        { size: text, url: text, address: text, wait: { type: 'string', format: 'duration' } },
        { rule: "quantity(self.size).isLessThan(quantity('2Gi'))", message: 'size' },
        { rule: "isURL(self.url) && url(self.url).getScheme() == 'https'", message: 'url' },
        { rule: "isIP(self.address) && cidr('10.0.0.0/8').containsIP(self.address)", message: 'address' },
        { rule: "self.wait <= duration('1h')", message: 'wait' },
      );
      const good = { size: '1Gi', url: 'https://example.com/x', address: '10.1.2.3', wait: '30m' };
      expect(successOf(await post(t, widgets, good, 'good'))).toBeTruthy();
      const bad = { size: '3Gi', url: 'http://example.com', address: '11.1.2.3', wait: '2h' };
      const { details } = refusalOf(await post(t, widgets, bad));
      expect((details as { causes: { message: string }[] }).causes.map(({ message }) => message)).toEqual([
        'Invalid value: size',
        'Invalid value: url',
        'Invalid value: address',
        'Invalid value: wait',
      ]);
    },
    'addresses with a zone, IPv4 inside IPv6 and needless zeros are no addresses for rules': async (t) => {
      const text = { type: 'string', maxLength: 100 };
      const widgets = await ruled(t, { text }, { rule: 'isIP(self.text) || isCIDR(self.text)', message: 'no' });
      const good = [
        '10.0.0.1',
        '::1',
        'FD00:0::0001',
        '64:ff9b::1.2.3.4',
        '::ffff:0:1.2.3.4',
        '10.0.0.9/8',
        'fd00::/0',
      ];
      const bad = [
        'fe80::1%eth0',
        '::ffff:1.2.3.4',
        '0:0:0:0:0:FFFF:102:304',
        '010.0.0.1',
        '1.2.3',
        '1.2.3.4.5',
        ':::',
      ];
      const badBlocks = [
        '10.0.0.0/08',
        '10.0.0.0/33',
        '10.0.0.0',
        '::ffff:10.0.0.0/104',
        'fe80::1%eth0/64',
        '::/-1',
        '::/+1',
      ];
      const judged = async (one: string, index: number) => [
        one,
        (await post(t, widgets, { text: one }, `w${index}`)).code,
      ];
      const all = [...good, ...bad, ...badBlocks.filter((one) => one.includes('/'))];
      expect(await Promise.all(all.map(judged))).toEqual(all.map((one) => [one, good.includes(one) ? 201 : 422]));
    },
    'addresses and networks of rules know what they are for': async (t) => {
      const rule = [
        "ip('127.0.0.9').isLoopback() && !ip('127.0.0.9').isGlobalUnicast()",
        "ip('10.1.2.3').isGlobalUnicast() && ip('fd00::1').isGlobalUnicast()",
        "ip('::').isUnspecified() && ip('fe80::1').isLinkLocalUnicast() && ip('ff02::1').isLinkLocalMulticast()",
        "string(ip('FD00:0::0001')) == 'fd00::1' && ip('fd00::1').family() == 6",
        "string(cidr('192.168.7.9/20').masked()) == '192.168.0.0/20' && string(cidr('FD00:1234::1/20').masked()) == 'fd00:1000::/20'",
        "string(cidr('192.168.7.9/20')) == '192.168.7.9/20' && cidr('192.168.7.9/20').ip() == ip('192.168.7.9')",
        "cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16') && !cidr('10.0.0.0/8').containsIP(ip('fd00::1'))",
      ].join(' && ');
      const widgets = await ruled(t, { min: { type: 'integer' } }, { rule, message: 'no' });
      expect((await post(t, widgets, { min: 1 })).code).toBe(201);
    },
    'rules are judged only when the schema is satisfied': async (t) => {
      const widgets = await ruled(t, { min: { type: 'integer' } }, { rule: 'self.min > 0', message: 'rule' });
      const { details } = refusalOf(await post(t, widgets, { min: 'x' }));
      expect((details as { causes: { message: string }[] }).causes.map(({ message }) => message)).toEqual([
        'Invalid value: "string": spec.min in body must be of type integer: "string"',
        'Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
      ]);
    },
    'a rule that a stored value breaks lets it stay as long as it is not touched': async (t) => {
      const [kind, ns] = await ruled(t, { a: { type: 'integer' }, b: { type: 'integer' } });
      const widgets = [kind, ns] as const;
      successOf(await post(t, widgets, { a: 1, b: 1 }));
      const { metadata } = await t.read(`${crdsPath}/${kind.name}`);
      const a = { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self > 5', message: 'too small' }] };
      const spec = { type: 'object', properties: { a, b: { type: 'integer' } } };
      successOf(await t.put(`${crdsPath}/${kind.name}`, { ...widgetDefinition(kind.group, { spec }), metadata }));
      await t.eventually(async () => expect((await post(t, widgets, { a: 2 }, 'new')).code).toBe(422));
      expect((await t.patch(kind.path(ns, 'w'), 'merge', { spec: { b: 2 } })).code).toBe(200);
      expect(refusalOf(await t.patch(kind.path(ns, 'w'), 'merge', { spec: { a: 3 } }))).toEqual(
        badWidget(widgets, 'spec.a: Invalid value: 3: too small'),
      );
    },
    'names that CEL reserves are escaped in rules': async (t) => {
      const widgets = await ruled(
        t,
        { namespace: { type: 'string' }, 'a-b': { type: 'string' } },
        { rule: "self.__namespace__ == 'x' && self.a__dash__b == 'y'", message: 'no' },
      );
      expect((await post(t, widgets, { namespace: 'x', 'a-b': 'y' })).code).toBe(201);
    },
    'integers and strings in one field are told apart by type': async (t) => {
      const widgets = await ruled(
        t,
        { port: { 'x-kubernetes-int-or-string': true } },
        { rule: "type(self.port) == int ? self.port < 10 : self.port.endsWith('%')", message: 'port' },
      );
      expect((await post(t, widgets, { port: 5 }, 'a')).code).toBe(201);
      expect((await post(t, widgets, { port: '5%' }, 'b')).code).toBe(201);
      expect((await post(t, widgets, { port: 50 })).code).toBe(422);
      expect((await post(t, widgets, { port: '5' })).code).toBe(422);
    },
  },
};
