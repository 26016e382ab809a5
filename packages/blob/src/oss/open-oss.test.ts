// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { s3Endpoint } from './open-oss.ts';

test.each([
  ['https://oss-cn-hangzhou.aliyuncs.com', 'https://s3.oss-cn-hangzhou.aliyuncs.com/', 'cn-hangzhou'],
  ['http://oss-cn-hangzhou.aliyuncs.com', 'http://s3.oss-cn-hangzhou.aliyuncs.com/', 'cn-hangzhou'],
  ['https://s3.oss-us-west-1.aliyuncs.com', 'https://s3.oss-us-west-1.aliyuncs.com/', 'us-west-1'],
  ['https://oss-cn-beijing-internal.aliyuncs.com', 'https://s3.oss-cn-beijing-internal.aliyuncs.com/', 'cn-beijing'],
  ['https://oss.example.com:8443', 'https://oss.example.com:8443/', 'oss'],
  ['https://oss-x.aliyuncs.com.evil.test', 'https://oss-x.aliyuncs.com.evil.test/', 'oss'],
])('%s speaks S3 as %s in %s', (given, endpoint, region) => {
  expect(s3Endpoint(new URL(given))).toEqual({ endpoint, region });
});
