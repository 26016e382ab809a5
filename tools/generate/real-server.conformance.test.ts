// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { startApiServer } from '../api-server/api-server.ts';
import { repositoryRoot } from '../repository-root.ts';
import { labGroups } from './api-groups.ts';
import { captureFrom } from './capture.ts';
import { folders, generatedFiles } from './generated-files.ts';
import { differences } from './output.ts';

describe('what is generated and committed', () => {
  test('is what the real API server says', async () => {
    await using server = await startApiServer();
    const files = generatedFiles(await captureFrom(server, labGroups));
    expect(await differences(repositoryRoot, folders, files)).toEqual([]);
  });
});
