import { defineProject } from 'vitest/config'
import { shared } from '../../vitest.shared.js'

/** What puts modes and languages of its own into the tables: each file with modules of its own. */
export default defineProject({
  ssr: { resolve: { conditions: ['@kube-rules/source', 'module', 'node', 'development|production'] } },
  test: { ...shared, name: 'tables', include: ['test/tables/**/*.test.ts'] },
})
