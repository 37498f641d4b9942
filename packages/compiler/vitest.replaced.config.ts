import { defineProject } from 'vitest/config'
import { shared } from '../../vitest.shared.js'

/** What replaces modules, or puts modes and languages of its own into the tables: each file with modules of its own. */
export default defineProject({
  ssr: { resolve: { conditions: ['@kube-rules/source', 'module', 'node', 'development|production'] } },
  test: { ...shared, name: 'replaced', include: ['test/tables/**/*.test.ts', 'test/trace/leading.test.ts'] },
})
