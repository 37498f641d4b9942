import { configDefaults, defineProject } from 'vitest/config'
import { shared, sharedModules } from '../../vitest.shared.js'

/** What compares with the recorded cases of the real kube-proxy runs where this names their folder. */
const cases = process.env.KUBE_RULES_CONFORMANCE
const NEEDS_CASES = 'test/verify/conformance-mutations.test.ts'

export default defineProject({
  ssr: { resolve: { conditions: ['@kube-rules/source', 'module', 'node', 'development|production'] } },
  test: {
    ...shared,
    ...sharedModules,
    name: 'compiler',
    include: ['test/**/*.test.ts'],
    exclude: [
      ...configDefaults.exclude,
      'test/kernel/**',
      'test/tables/**',
      'test/trace/leading.test.ts',
      ...(cases === undefined ? [NEEDS_CASES] : []),
    ],
    setupFiles: ['test/support/seed.ts'],
  },
})
