// SPDX-License-Identifier: Apache-2.0

const labelPattern = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const subdomainPattern = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const qualifiedPart = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const labelValuePattern = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;
const label1035Pattern = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;

const subdomainText =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end " +
  "with an alphanumeric character (e.g. 'example.com', regex used for validation is " +
  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const labelText =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an " +
  "alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const label1035Text =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end " +
  "with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const qualifiedText =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character " +
  "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const labelValueText =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with " +
  "an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is " +
  "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

function tooLongText(limit: number): string {
  return `must be no more than ${limit} bytes`;
}

/** The validation errors of a DNS subdomain, such as most names of objects. */
export function subdomainErrors(value: string): string[] {
  const errors: string[] = [];
  if (value.length > 253) errors.push('must be no more than 253 characters');
  if (!subdomainPattern.test(value)) errors.push(subdomainText);
  return errors;
}

/** The validation errors of a DNS label, such as the name of a namespace. */
export function labelErrors(value: string): string[] {
  const errors: string[] = [];
  if (value.length > 63) errors.push(tooLongText(63));
  if (value.includes('.') && subdomainPattern.test(value)) errors.push('must not contain dots');
  else if (!labelPattern.test(value)) errors.push(labelText);
  return errors;
}

/** The validation errors of a DNS-1035 label: a DNS label that begins with a letter, such as the name of a Service. */
export function label1035Errors(value: string): string[] {
  const errors: string[] = [];
  if (value.length > 63) errors.push(tooLongText(63));
  if (!label1035Pattern.test(value)) errors.push(label1035Text);
  return errors;
}

/** The validation errors of the value of a label. */
export function labelValueErrors(value: string): string[] {
  const errors: string[] = [];
  if (value.length > 63) errors.push(tooLongText(63));
  if (!labelValuePattern.test(value)) errors.push(labelValueText);
  return errors;
}

/** The validation errors of `prefix/name`: keys of labels and annotations, finalizers, condition types. */
export function qualifiedNameErrors(value: string, what = 'a qualified name'): string[] {
  const parts = value.split('/');
  if (parts.length > 2) {
    return [
      `${what} ${qualifiedText.replace('name part ', '')} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const errors: string[] = [];
  const name = parts[parts.length - 1] ?? '';
  const prefix = parts.length === 2 ? (parts[0] ?? '') : undefined;
  if (prefix === '') errors.push('prefix part must be non-empty');
  else if (prefix !== undefined) errors.push(...subdomainErrors(prefix).map((error) => `prefix part ${error}`));
  if (name === '') errors.push('name part must be non-empty');
  else if (name.length > 63) errors.push(`name part ${tooLongText(63)}`);
  if (!qualifiedPart.test(name)) errors.push(qualifiedText);
  return errors;
}

/** The validation errors of a name that becomes part of a path, such as those of RBAC. */
export function pathSegmentErrors(value: string): string[] {
  if (value === '.' || value === '..') return [`may not be '${value}'`];
  return ['/', '%'].filter((bad) => value.includes(bad)).map((bad) => `may not contain '${bad}'`);
}
