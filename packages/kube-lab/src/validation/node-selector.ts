// SPDX-License-Identifier: Apache-2.0
import { asArray, asObjects, asString, type JsonObject } from '../json/json.ts';
import { type FieldError, forbiddenField, invalid, required } from './field-error.ts';
import { labelValueErrors, qualifiedNameErrors } from './names.ts';

/** The validation errors of a `NodeSelector`. At least one of its terms must hold for a node. */
export function validateNodeSelector(selector: JsonObject, field: string): FieldError[] {
  const terms = asObjects(selector['nodeSelectorTerms']);
  const place = `${field}.nodeSelectorTerms`;
  if (terms.length === 0) return [required(place, 'must have at least one node selector term')];
  return terms.flatMap((term, index) => validateNodeSelectorTerm(term, `${place}[${index}]`));
}

/** The validation errors of one term of a `NodeSelector`. */
export function validateNodeSelectorTerm(term: JsonObject, field: string): FieldError[] {
  return asObjects(term['matchExpressions']).flatMap((one, index) =>
    validateRequirement(one, `${field}.matchExpressions[${index}]`),
  );
}

function validateRequirement(requirement: JsonObject, field: string): FieldError[] {
  const key = asString(requirement['key']) ?? '';
  const values = asArray(requirement['values']).map(String);
  return [
    ...validateOperator(asString(requirement['operator']) ?? '', values.length, field),
    ...qualifiedNameErrors(key).map((detail) => invalid(`${field}.key`, key, detail)),
    ...values.flatMap((value, index) =>
      labelValueErrors(value).map((detail) => invalid(`${field}.values[${index}]`, value, detail)),
    ),
  ];
}

function validateOperator(operator: string, count: number, field: string): FieldError[] {
  const values = `${field}.values`;
  switch (operator) {
    case 'In':
    case 'NotIn':
      return count > 0 ? [] : [required(values, "must be specified when `operator` is 'In' or 'NotIn'")];
    case 'Exists':
    case 'DoesNotExist':
      if (count === 0) return [];
      return [forbiddenField(values, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
    case 'Gt':
    case 'Lt':
      return count === 1 ? [] : [required(values, "must be specified single value when `operator` is 'Lt' or 'Gt'")];
    default:
      return [invalid(`${field}.operator`, operator, 'not a valid selector operator')];
  }
}
